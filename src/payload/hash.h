/* SPDX-License-Identifier: MIT */
/* The hashes that mkimage puts into a FIT: crc32, sha1, sha256, sha384, sha512. */
#ifndef PAYLOAD_HASH_H
#define PAYLOAD_HASH_H

#include <kexpress/error.h>
#include <stddef.h>

/*
 * Checks that value is what algorithm gives for [data, data + size).
 * Errors: HASH_TYPE; FIT where value has not the algorithm's length; HASH.
 */
enum kx_error hash_check(const char *algorithm, const void *value, size_t value_size,
			 const void *data, size_t size, struct kx_refusal *why);

#endif /* PAYLOAD_HASH_H */
