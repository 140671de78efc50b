/* SPDX-License-Identifier: MIT */
/*
 * Which destinations are cleaned to PoC while they are moved, line behind line, rather than all
 * together afterwards: a core goes on copying while what it asked to be cleaned is on its way.
 */
#ifndef ENGINE_FOLD_H
#define ENGINE_FOLD_H

#include "stage.h"

/* In plan, once the runs are known: fills s->plan.folded. */
void fold_plan(struct stage *s);

/* What is left of a segment for settle to clean; empty: nothing, or the segment needs none. */
struct range fold_left(const struct segment *g);

#endif /* ENGINE_FOLD_H */
