/* SPDX-License-Identifier: MIT */
/* Damage to trees, for tests in which any bytes must be survived. */
#ifndef TESTS_UNIT_CORRUPT_H
#define TESTS_UNIT_CORRUPT_H

#include <libfdt.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

static inline void corrupt_byte(unsigned char *bytes, size_t size, uint64_t *random)
{
	size_t at = random_below(random, size);

	bytes[at] = (unsigned char)random_next(random);
}

/* Tags, lengths and offsets take values that are near to something. */
static inline void corrupt_word(unsigned char *bytes, size_t size, uint64_t *random)
{
	uint32_t word = (uint32_t)random_below(random, 32);

	if (random_below(random, 2))
		word = -word;
	fdt32_st(bytes + random_below(random, size / 4) * 4, word);
}

/* Bytes and words in turn. */
static inline void corrupt(void *bytes, size_t size, unsigned int round, uint64_t *random)
{
	if (round % 2)
		corrupt_word(bytes, size, random);
	else
		corrupt_byte(bytes, size, random);
}

#endif /* TESTS_UNIT_CORRUPT_H */
