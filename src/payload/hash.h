/* SPDX-License-Identifier: MIT */
/* The hashes that mkimage puts into a FIT: crc32, sha1, sha256, sha384, sha512. */
#ifndef PAYLOAD_HASH_H
#define PAYLOAD_HASH_H

#include <kexpress/error.h>
#include <stddef.h>
#include <stdint.h>

/* Goes on with SHA-256 from state, 32 bytes as in a digest, over blocks of 64 bytes, not 0. */
typedef void hash_sha256_blocks(uint8_t *state, const void *data, size_t blocks);

/* From now on whole blocks are hashed by this, where the machine knows better than portable C. */
void hash_use_sha256_blocks(hash_sha256_blocks *blocks);

/*
 * Checks that value is what algorithm gives for [data, data + size).
 * Errors: HASH_TYPE; FIT where value has not the algorithm's length; HASH.
 */
enum kx_error hash_check(const char *algorithm, const void *value, size_t value_size,
			 const void *data, size_t size, struct kx_refusal *why);

#endif /* PAYLOAD_HASH_H */
