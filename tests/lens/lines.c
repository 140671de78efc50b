// SPDX-License-Identifier: MIT
#include "lines.h"

#include <stdlib.h>

#define CHUNK_SHIFT 21 /* bytes of RAM whose records are made together */
#define CHUNK_LINES ((1u << CHUNK_SHIFT) / LINE_SIZE)

_Static_assert(sizeof(struct line) == 16, "a record takes a quarter of its line");

struct lines {
	uint64_t base;
	uint64_t size;
	struct line *chunks[];
};

struct lines *lines_new(uint64_t base, uint64_t size)
{
	uint64_t chunks = (size >> CHUNK_SHIFT) + 1;
	struct lines *lines = calloc(1, sizeof(*lines) + chunks * sizeof(lines->chunks[0]));

	if (!lines)
		return NULL;
	lines->base = base;
	lines->size = size;
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (uint64_t i = 0; i <= lines->size >> CHUNK_SHIFT; i++)
		free(lines->chunks[i]);
	free(lines);
}

static struct line *line_of(struct line *chunk, uint64_t offset)
{
	return chunk ? &chunk[offset / LINE_SIZE % CHUNK_LINES] : NULL;
}

struct line *lines_at(struct lines *lines, uint64_t pa)
{
	uint64_t offset = pa - lines->base;
	struct line **chunk;

	if (offset >= lines->size)
		return NULL;
	chunk = &lines->chunks[offset >> CHUNK_SHIFT];
	if (!*chunk)
		*chunk = calloc(CHUNK_LINES, sizeof(**chunk));
	return line_of(*chunk, offset);
}

struct line *lines_known(const struct lines *lines, uint64_t pa)
{
	uint64_t offset = pa - lines->base;

	return offset < lines->size ? line_of(lines->chunks[offset >> CHUNK_SHIFT], offset) : NULL;
}

uint64_t lines_next(const struct lines *lines, uint64_t pa)
{
	uint64_t offset = pa - lines->base;

	while (offset < lines->size && !lines->chunks[offset >> CHUNK_SHIFT])
		offset = ((offset >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
	return lines->base + (offset < lines->size ? offset : lines->size);
}
