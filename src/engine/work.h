/* SPDX-License-Identifier: MIT */
/* Runs as work that any number of cores takes in chunks (src/kimage/share.h). */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "../kimage/share.h"
#include "copier.h"

enum work_kind { WORK_MOVE, WORK_CLEAN };

/* Shared by the cores but for what is set before they come. In memory that is mapped Normal. */
struct work {
	enum work_kind kind;
	const struct run *runs;
	size_t run_count;
	struct share_chunk *chunks;
	size_t chunk_count;
	uint8_t *done; /* of each chunk */
	size_t next;   /* chunk not yet claimed; runs past chunk_count */
};

/* What a core moves with; each has its own. */
struct mover {
	struct copier copier;
	const struct range_set *folded; /* destinations that are cleaned as well */
	uint64_t linear;		/* add to a physical address */
};

void mover_init(struct mover *m, const struct range_set *folded, uint64_t linear);

/* Executes one run. What it cleans is all asked for once copier_finish() has been called. */
void mover_move(struct mover *m, const struct run *run);

/* Claims a chunk and does it. False: all are claimed. */
bool work_one(struct work *w, struct mover *m);

/* Chunks not yet claimed. */
size_t work_left(struct work *w);

/*
 * For the boot core, when all are claimed: waits so many ticks for those that are not done, and
 * then does them again itself. That is harmless, and nobody needs to know whether their core is
 * dead: what a chunk reads is never written, so late stores are of the same bytes. Returns how many
 * it did.
 */
size_t work_finish(struct work *w, struct mover *m, uint64_t patience);

#endif /* ENGINE_WORK_H */
