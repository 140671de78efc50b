/* SPDX-License-Identifier: MIT */
/*
 * Memory that outlives the process: System V shared memory, which stays until it is removed,
 * whoever dies and whatever is unmounted. In huge pages where they can be had, else locked. Its
 * pools are mapped one after the other; an offset counts from the first.
 */
#ifndef LOADER_STORE_H
#define LOADER_STORE_H

#include "layout.h"

#define STORE_POOLS 4

/* A segment of shared memory. */
struct pool {
	int32_t id;	      /* shmget(2) */
	uint32_t locked;      /* not of huge pages */
	uint64_t page_size;   /* what is physically contiguous */
	uint64_t size;	      /* bytes, whole pages */
	uint64_t pages_grown; /* huge pages that the system has got for it */
};

struct store {
	struct pool pools[STORE_POOLS];
	size_t pool_count;
	uint64_t size;
	unsigned char *base;
	uint64_t *pages; /* physical addresses, in order of offset */
};

/* Gets size bytes and maps them. False: there is too little memory; nothing is kept. */
bool store_get(struct store *s, uint64_t size);

/* Maps pools that were got before. False: one of them is gone. */
bool store_map(struct store *s);

/* Finds where the pages are now. Ends the process where the kernel does not tell. */
void store_locate(struct store *s);

/* How many pages it has, of whatever size. */
size_t store_page_count(const struct store *s);

/* What store_locate found: chunks sorted by physical address, in memory that the caller frees. */
struct chunk *store_chunks(const struct store *s, size_t *count);

/* Physical address of an offset, and for how many bytes the memory goes on there. */
uint64_t store_physical(const struct store *s, uint64_t offset, uint64_t *length);

/* Gives everything back, huge pages that the system has got for it included. */
void store_remove(struct store *s);

#endif /* LOADER_STORE_H */
