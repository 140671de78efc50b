/* SPDX-License-Identifier: MIT */
/*
 * A record for each 64-byte line of RAM, made when it is first asked for. Words are of 8 bytes: a
 * mask has a bit for each, so that what shares a line is not taken for what was touched.
 */
#ifndef LENS_LINES_H
#define LENS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_SIZE      64
#define LINE_ALL_WORDS 0xffu

struct line {
	uint64_t cause : 47; /* PC / 4 of the store, or of the DC IVAC, that left it as it is */
	uint64_t cpu : 6;    /* who made the step that time is of */
	uint64_t dirty_pou : 1;
	uint64_t cached : 1;  /* a cache may hold it */
	uint64_t touched : 1; /* accessed through a cacheable mapping since it was invalidated */
	uint64_t lost : 1; /* wrong words were thrown away by DC IVAC, else: are stale in the cache
			    */
	uint64_t cleaning : 1;	   /* the step is a clean */
	uint64_t invalidating : 1; /* the step is an invalidation of stale data */
	uint64_t ic : 1;	   /* the step is an IC IVAU that counts for the written words */
	uint64_t maintained : 1;   /* the step is maintenance, which DSB ST does not complete */
	uint64_t code : 1;	   /* fetched since it was written */
	uint64_t patched : 1;	   /* one instruction of it was replaced after that */
	uint64_t replaceable : 1;  /* and by one that may be, while it is run */
	uint64_t time : 40;
	uint64_t dirty : 8;   /* words newer in the cache than in memory */
	uint64_t written : 8; /* words that the instruction side may not have seen */
	uint64_t wrong : 8;   /* words that a cacheable read may get wrong */
};

struct lines;

struct lines *lines_new(uint64_t base, uint64_t size);
void lines_free(struct lines *lines);

/* The record of pa's line; NULL outside RAM or where memory is short. */
struct line *lines_at(struct lines *lines, uint64_t pa);

/* The same, but NULL where no record of it or a neighbour was ever asked for. */
struct line *lines_known(const struct lines *lines, uint64_t pa);

/* The first address from pa on whose line has a record; the end of RAM where there is none. */
uint64_t lines_next(const struct lines *lines, uint64_t pa);

/* Bits of the words that [pa, pa + size) has in pa's line. */
static inline uint8_t lines_words(uint64_t pa, uint64_t size)
{
	unsigned int first = pa % LINE_SIZE / 8;
	uint64_t end = pa % LINE_SIZE + size;
	unsigned int last = end >= LINE_SIZE ? 7 : (unsigned int)(end - 1) / 8;

	return (uint8_t)(LINE_ALL_WORDS << first) & (uint8_t)(LINE_ALL_WORDS >> (7 - last));
}

static inline uint64_t lines_cause(const struct line *line)
{
	/* Bit 48 tells the halves of the address space apart. */
	return (uint64_t)((int64_t)((uint64_t)line->cause << 17) >> 15);
}

static inline void lines_blame(struct line *line, uint64_t pc)
{
	line->cause = pc >> 2;
}

#endif /* LENS_LINES_H */
