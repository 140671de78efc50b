/* SPDX-License-Identifier: MIT */
/* Built for FEAT_CRC32, and only called where the CPU has it. */
#include "crc32.h"

#include <arm_acle.h>

#define STEP (8 * sizeof(uint64_t))

static uint64_t word(const unsigned char *at)
{
	uint64_t value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

/* Written out: gcc does not unroll at -O2, and a loop's own instructions are as many again. */
static uint32_t step(uint32_t crc, const unsigned char *at)
{
	crc = __crc32d(crc, word(at + 0));
	crc = __crc32d(crc, word(at + 8));
	crc = __crc32d(crc, word(at + 16));
	crc = __crc32d(crc, word(at + 24));
	crc = __crc32d(crc, word(at + 32));
	crc = __crc32d(crc, word(at + 40));
	crc = __crc32d(crc, word(at + 48));
	crc = __crc32d(crc, word(at + 56));
	return crc;
}

uint32_t crc32_instructions(uint32_t crc, const void *data, size_t size)
{
	const unsigned char *at = data, *end = at + size;

	crc = ~crc;
	for (; (size_t)(end - at) >= STEP; at += STEP)
		crc = step(crc, at);
	for (; (size_t)(end - at) >= sizeof(uint64_t); at += sizeof(uint64_t))
		crc = __crc32d(crc, word(at));
	for (; at < end; at++)
		crc = __crc32b(crc, *at);
	return ~crc;
}
