/* SPDX-License-Identifier: MIT */
#include "share.h"

#include "../place/page.h"

/* Of the destination, whose last page is the run's in whole. */
static uint64_t run_size(const struct run *run)
{
	return run->kind == RUN_IN_PLACE ? 0 : page_up(run->length);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether [start, start + size) meets one of the ranges. */
static bool meets(const struct range *ranges, size_t count, uint64_t start, uint64_t size)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low < count && ranges[low].start < start + size;
}

size_t share_partition(struct run *runs, size_t count, const struct range *both, size_t both_count,
		       struct run *scratch)
{
	size_t ordered = 0, rest = 0;

	if (!both_count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct run run = runs[i];
		bool reads =
			run.kind == RUN_COPY && meets(both, both_count, run.source, run.length);

		if (reads || meets(both, both_count, run.destination, run_size(&run)))
			runs[ordered++] = run;
		else
			scratch[rest++] = run;
	}
	for (size_t i = 0; i < rest; i++)
		runs[ordered + i] = scratch[i];
	return ordered;
}

uint64_t share_bytes(const struct run *runs, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += run_size(&runs[i]);
	return bytes;
}

size_t share_chunks(uint64_t bytes)
{
	return (bytes + SHARE_CHUNK - 1) / SHARE_CHUNK;
}

void share_cut(const struct run *runs, size_t first, size_t count, struct share_chunk *chunks)
{
	uint64_t room = 0;

	for (size_t i = first; i < count; i++) {
		uint64_t size = run_size(&runs[i]);

		for (uint64_t offset = 0; offset < size;) {
			uint64_t step;

			if (!room) {
				*chunks++ = (struct share_chunk){i, offset};
				room = SHARE_CHUNK;
			}
			step = smaller(size - offset, room);
			offset += step;
			room -= step;
		}
	}
}

struct share_reader share_open(const struct run *runs, size_t count, struct share_chunk chunk)
{
	return (struct share_reader){runs, count, chunk, SHARE_CHUNK};
}

bool share_next(struct share_reader *r, struct run *piece)
{
	for (; r->left && r->at.run < r->count; r->at = (struct share_chunk){r->at.run + 1, 0}) {
		const struct run *run = &r->runs[r->at.run];
		uint64_t offset = r->at.offset;
		uint64_t size = smaller(run_size(run) - offset, r->left);

		if (!size)
			continue;
		*piece = *run;
		if (run->kind == RUN_COPY)
			piece->source += offset;
		piece->destination += offset;
		piece->length = smaller(run->length - offset, size);
		r->at.offset += size;
		r->left -= size;
		return true;
	}
	return false;
}
