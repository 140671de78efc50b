/* SPDX-License-Identifier: MIT */
/*
 * The copy at the core's limit. Which loop of asm/copy.S is the fastest is found by timing each on
 * the first pieces of the real work (src/kimage/trial.h): that costs nothing, and is right on cores
 * that nobody listed. Each core has a copier of its own, as cores may differ.
 */
#ifndef ENGINE_COPIER_H
#define ENGINE_COPIER_H

#include <stdbool.h>
#include <stdint.h>

#include "../kimage/trial.h"

struct copier {
	struct trial trials[2]; /* without and with cleaning, which may be the limit for all ways */
	bool folds;		/* cleaning goes along with the copy */
	uint64_t behind;	/* copied, whole lines, and still to be cleaned */
	uint64_t behind_bytes;
};

void copier_init(struct copier *c);

/*
 * Copies bytes to a page-aligned destination from a source of any alignment; VAs, MMU on, Normal
 * memory, a destination not above an overlapping source. clean: and cleans them to PoC, the last of
 * them at copier_finish(). No barrier.
 */
void copier_copy(struct copier *c, uint64_t to, uint64_t from, uint64_t bytes, bool clean);
void copier_finish(struct copier *c);

#endif /* ENGINE_COPIER_H */
