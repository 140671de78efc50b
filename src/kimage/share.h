/* SPDX-License-Identifier: MIT */
/*
 * Runs shared by several cores: those whose order matters apart from the rest, and the rest in
 * chunks of equal bytes, each of several runs or a piece of one.
 */
#ifndef KIMAGE_SHARE_H
#define KIMAGE_SHARE_H

#include "../place/range.h"
#include "run.h"

/* Bytes of a chunk but for the last. Small beside what is worth several cores, and a core that dies
 * or comes late costs one; large beside what a claim costs, and it stays in a second-level cache.
 */
#define SHARE_CHUNK ((uint64_t)256 << 10)

/* Where a chunk begins. It ends where the next one does. */
struct share_chunk {
	size_t run;
	uint64_t offset;
};

/* Pieces of one chunk, one after the other. */
struct share_reader {
	const struct run *runs;
	size_t count;
	struct share_chunk at;
	uint64_t left;
};

/*
 * Moves to the front, in the order that they have, the runs that touch memory which is both read
 * and written: both, sorted and disjoint, in whole pages. Only these depend on each other. Returns
 * how many there are. scratch has room for count runs.
 */
size_t share_partition(struct run *runs, size_t count, const struct range *both, size_t both_count,
		       struct run *scratch);

/* Bytes of runs, their last pages in whole; RUN_IN_PLACE has none. */
uint64_t share_bytes(const struct run *runs, size_t count);

/* Number of chunks of so many bytes. */
size_t share_chunks(uint64_t bytes);

/* Cuts runs[first..count) to share_chunks of their share_bytes. */
void share_cut(const struct run *runs, size_t first, size_t count, struct share_chunk *chunks);

/* Starts at a chunk of runs[0..count). */
struct share_reader share_open(const struct run *runs, size_t count, struct share_chunk chunk);

/* The next piece, itself a run; reader->at.run was its number. False: the chunk's end. */
bool share_next(struct share_reader *reader, struct run *piece);

#endif /* KIMAGE_SHARE_H */
