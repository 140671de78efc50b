/* SPDX-License-Identifier: MIT */
/* Entry lists in an arena that stands for RAM, with a hole in it. */
#ifndef TESTS_UNIT_LIST_ARENA_H
#define TESTS_UNIT_LIST_ARENA_H

#include "kimage/list.h"

#include <stdlib.h>

#include "runs.h"

#define PAGE_ENTRIES (PAGE / sizeof(uint64_t))
#define ARENA_PAGES  64
#define HOLE_START   40
#define HOLE_END     44
#define BASE	     0x80000000ull
#define TOP	     0xfffffffffffff000ull /* the last page of the address space */
#define MAX_RUNS     4096

#define P(page) (BASE + (page)*PAGE)
#define D(page) (P(page) | KX_LIST_DESTINATION)
#define I(page) (P(page) | KX_LIST_INDIRECTION)
#define S(page) (P(page) | KX_LIST_SOURCE)
#define DONE	((uint64_t)KX_LIST_DONE)

static uint8_t *arena;
static struct run runs[MAX_RUNS] __attribute__((unused));

/* The pages below TOP are RAM that the arena does not back: no list page of a test is there. */
static struct range ram_ranges[] = {
	{P(0), P(HOLE_START)}, {P(HOLE_END), P(ARENA_PAGES)}, {TOP - 2 * PAGE, TOP}};
static const struct range_set ram = {ram_ranges, 3, 3};
static const struct range_set arena_ram = {ram_ranges, 2, 2};
#define RAM_PAGES (ARENA_PAGES - (HOLE_END - HOLE_START) + 2)

/* RAM that need not be backed, for sources and destinations of long lists. */
#define WIDE_PAGES 0x100000
static struct range wide_range[] = {{P(0), P(WIDE_PAGES)}};
static const struct range_set wide = {wide_range, 1, 1};

static inline int arena_make(void **state)
{
	(void)state;
	arena = aligned_alloc(PAGE, ARENA_PAGES * PAGE);
	return arena ? 0 : -1;
}

static inline int arena_free(void **state)
{
	(void)state;
	free(arena);
	return 0;
}

static inline list_bias arena_bias(void)
{
	return (uintptr_t)arena - BASE;
}

/* The page with number page, for a writer. */
static inline struct list_page arena_page(uint64_t page)
{
	return (struct list_page){P(page), (uint64_t *)(arena + page * PAGE)};
}

static inline void arena_put(uint64_t page, size_t index, uint64_t entry)
{
	uint8_t *at = arena + page * PAGE + index * sizeof(entry);

	for (size_t i = 0; i < sizeof(entry); i++)
		at[i] = (uint8_t)(entry >> 8 * i);
}

#endif /* TESTS_UNIT_LIST_ARENA_H */
