/* SPDX-License-Identifier: MIT */
/*
 * Which parts of RAM are taken. One bit stands for one unit of RAM, a power of two of at least
 * 4 KiB, as small as the bitmap handed in allows: an entry list of any length scattered over RAM of
 * any size is marked in fixed memory. Bits count through the RAM ranges one after the other, so
 * holes cost nothing; a unit that RAM covers only in part counts as taken.
 */
#ifndef PLACE_OCCUPANCY_H
#define PLACE_OCCUPANCY_H

#include "range.h"

#define OCCUPANCY_MARKS 64

/* The whole units of a range of RAM: from where on, how many bytes, and the bit of the first. */
struct occupancy_part {
	uint64_t start;
	uint64_t size;
	size_t bit;
};

struct occupancy {
	const struct range_set *ram;
	struct occupancy_part near; /* where something was taken last: mostly the next time too */
	uint64_t *bits;
	size_t bit_count;
	unsigned int unit_shift;
	size_t stride;		       /* every stride-th RAM range has a mark: */
	size_t marks[OCCUPANCY_MARKS]; /* the bit of its first unit */
};

/* Starts with all of ram free. words, at least 1, is the number of 64-bit words at bits. ram must
 * stay unchanged for as long as the occupancy is used, and have at least one range. */
void occupancy_init(struct occupancy *o, const struct range_set *ram, uint64_t *bits, size_t words);

/* Marks as taken every unit that [start, end) touches; parts outside RAM are ignored. */
void occupancy_take(struct occupancy *o, uint64_t start, uint64_t end);

/*
 * Finds the lowest free [*at, *at + size) with *at aligned to align (a power of two) plus offset,
 * wholly inside one RAM range and inside window. Returns false if there is none, or size is 0.
 * Takes nothing.
 */
bool occupancy_find(const struct occupancy *o, uint64_t size, uint64_t align, uint64_t offset,
		    struct range window, uint64_t *at);

#endif /* PLACE_OCCUPANCY_H */
