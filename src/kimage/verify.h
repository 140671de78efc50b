/* SPDX-License-Identifier: MIT */
/* Whether a segment will be what it is to be, seen before any of it is moved. */
#ifndef KIMAGE_VERIFY_H
#define KIMAGE_VERIFY_H

#include <kexpress/error.h>

#include "list.h"

/* Bytes that are to be at a destination, and their CRC-32. */
struct verify {
	uint64_t destination;
	uint64_t size;
	uint32_t crc;
};

/*
 * Reads the bytes where they are now: at the sources of the runs that go there, or in place. The
 * runs are those of the list, in its order (list_runs), and that order must ascend for this
 * segment. Errors: HANDOFF (it does not), HASH.
 */
enum kx_error verify_segment(const struct verify *v, const struct run *runs, size_t count,
			     list_bias bias, struct kx_refusal *why);

#endif /* KIMAGE_VERIFY_H */
