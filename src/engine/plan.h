/* SPDX-License-Identifier: MIT */
/*
 * The parts of the step "plan". Both kinds of payload settle the segments' destinations, take them
 * in the occupancy together with their sources, and tell how much there is to move.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "stage.h"

struct plan_work {
	size_t runs;	/* upper bound, before ordering */
	uint64_t pages; /* destination pages of all runs */
};

/* plan_payload.c: a FIT or a plain Image, whose destinations are ours to choose. */
enum kx_error plan_payload_place(struct stage *s, struct plan_work *work);
size_t plan_payload_runs(const struct stage *s, struct run *runs);

/* plan_handoff.c: an entry list, whose destinations are given. */
enum kx_error plan_handoff_place(struct stage *s, struct plan_work *work);
enum kx_error plan_handoff_runs(struct stage *s, struct run *runs, size_t max, size_t *count);

/* Pages from destination on that size bytes take up. */
uint64_t plan_pages(uint64_t size);

#endif /* ENGINE_PLAN_H */
