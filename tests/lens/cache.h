/* SPDX-License-Identifier: MIT */
/*
 * One set-associative cache of 64-byte lines, least recently used replaced first. Lines are known
 * by address / 64.
 */
#ifndef LENS_CACHE_H
#define LENS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_line {
	uint64_t line;
	uint64_t ready; /* when it arrives, or arrived */
	uint64_t used;	/* 0: empty */
	bool dirty;
};

struct cache {
	struct cache_line *lines;
	size_t sets;
	size_t ways;
	uint64_t clock;
	struct cache_line *recent; /* found last: most often asked for again */
};

/* A cache of 0 KiB holds nothing. 0, or -1 where memory is short. */
int cache_new(struct cache *cache, size_t kib, size_t ways);
void cache_free(struct cache *cache);

struct cache_line *cache_find(struct cache *cache, uint64_t line);

/* Puts a line in that is not there, and returns what had to leave (used == 0: nothing); of a cache
 * that holds nothing, the line itself. */
struct cache_line cache_insert(struct cache *cache, uint64_t line, uint64_t ready, bool dirty);

/* The line as it was; used == 0 if it was not there. */
struct cache_line cache_remove(struct cache *cache, uint64_t line);

#endif /* LENS_CACHE_H */
