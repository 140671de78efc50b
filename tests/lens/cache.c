/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include <stdlib.h>

#define LINES_PER_KIB 16

int cache_new(struct cache *cache, size_t kib, size_t ways)
{
	*cache = (struct cache){.ways = ways};
	if (!kib || !ways)
		return 0;
	cache->sets = kib * LINES_PER_KIB / ways;
	cache->lines = calloc(cache->sets * ways, sizeof(*cache->lines));
	return cache->lines ? 0 : -1;
}

void cache_free(struct cache *cache)
{
	free(cache->lines);
}

static struct cache_line *set_of(struct cache *cache, uint64_t line)
{
	return cache->lines + line % cache->sets * cache->ways;
}

static struct cache_line *look(struct cache *cache, uint64_t line)
{
	struct cache_line *set;

	if (!cache->sets)
		return NULL;
	set = set_of(cache, line);
	for (size_t i = 0; i < cache->ways; i++) {
		if (set[i].line == line && set[i].used)
			return &set[i];
	}
	return NULL;
}

struct cache_line *cache_find(struct cache *cache, uint64_t line)
{
	struct cache_line *found = cache->recent;

	if (found && found->line == line && found->used)
		return found;
	found = look(cache, line);
	if (found) {
		found->used = ++cache->clock;
		cache->recent = found;
	}
	return found;
}

struct cache_line cache_insert(struct cache *cache, uint64_t line, uint64_t ready, bool dirty)
{
	struct cache_line *set, *oldest, replaced;

	if (!cache->sets)
		return (struct cache_line){.line = line, .dirty = dirty, .used = 1};
	set = set_of(cache, line);
	oldest = set;
	for (size_t i = 1; i < cache->ways; i++) {
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	replaced = *oldest;
	*oldest = (struct cache_line){line, ready, ++cache->clock, dirty};
	return replaced;
}

struct cache_line cache_remove(struct cache *cache, uint64_t line)
{
	struct cache_line *found = look(cache, line);
	struct cache_line was = {0};

	if (found) {
		was = *found;
		found->used = 0;
	}
	return was;
}
