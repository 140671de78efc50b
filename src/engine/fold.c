/* SPDX-License-Identifier: MIT */
#include "fold.h"

#include "plan.h"

/* Where all of a segment's file is copied: a page is written once. What is in place, or moved with
 * the MMU off, is left to settle. */
void fold_plan(struct stage *s)
{
	struct plan *p = &s->plan;

	p->folded = (struct range_set){p->folded_ranges, 0, STAGE_SEGMENTS};
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct segment *g = &s->payload.segments[i];
		struct range file = plan_file(g);

		g->folded = s->options.mmu && segment_is_cleaned(g) &&
			    g->copied == file.end - file.start;
		if (g->folded)
			range_set_add(&p->folded, file.start, file.end);
	}
}

struct range fold_left(const struct segment *g)
{
	struct range left = {g->destination, g->destination + g->memory_size};

	if (g->folded)
		left.start = plan_file(g).end;
	if (!segment_is_cleaned(g) || left.start > left.end)
		left.start = left.end;
	return left;
}
