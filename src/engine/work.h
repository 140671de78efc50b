/* SPDX-License-Identifier: MIT */
/* Runs as work that any number of cores takes in chunks (src/kimage/share.h). */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "../kimage/share.h"

enum work_kind { WORK_MOVE, WORK_CLEAN };

/* Shared by the cores but for what is set before they come. In memory that is mapped Normal. */
struct work {
	enum work_kind kind;
	const struct run *runs;
	size_t run_count;
	uint64_t linear; /* add to a physical address */
	struct share_chunk *chunks;
	size_t chunk_count;
	uint8_t *done; /* of each chunk */
	size_t next;   /* chunk not yet claimed; runs past chunk_count */
};

/* Executes one run. */
void work_move(const struct run *run, uint64_t linear);

/* Claims a chunk and does it. False: all are claimed. */
bool work_one(struct work *w);

/* Chunks not yet claimed. */
size_t work_left(struct work *w);

/*
 * For the boot core, when all are claimed: waits so many ticks for those that are not done, and
 * then does them again itself. That is harmless, and nobody needs to know whether their core is
 * dead: what a chunk reads is never written, so late stores are of the same bytes. Returns how many
 * it did.
 */
size_t work_finish(struct work *w, uint64_t patience);

#endif /* ENGINE_WORK_H */
