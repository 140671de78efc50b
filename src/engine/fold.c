/* SPDX-License-Identifier: MIT */
#include "fold.h"

#include "../place/page.h"

static struct range file_pages(const struct segment *g)
{
	return (struct range){g->destination, page_up(g->destination + g->file_size)};
}

static uint64_t copied_to(const struct plan *p, struct range r)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->run_count; i++) {
		uint64_t start = p->runs[i].destination;
		uint64_t end = start + page_up(p->runs[i].length);

		if (p->runs[i].kind != RUN_COPY || end <= r.start || r.end <= start)
			continue;
		bytes += (end < r.end ? end : r.end) - (start > r.start ? start : r.start);
	}
	return bytes;
}

/* Where all of a segment's file is copied: a page is written once. What is in place, or moved with
 * the MMU off, is left to settle. */
void fold_plan(struct stage *s)
{
	struct plan *p = &s->plan;

	p->folded = (struct range_set){p->folded_ranges, 0, STAGE_SEGMENTS};
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct segment *g = &s->payload.segments[i];
		struct range file = file_pages(g);

		g->folded = s->options.mmu && segment_is_cleaned(g) &&
			    copied_to(p, file) == file.end - file.start;
		if (g->folded)
			range_set_add(&p->folded, file.start, file.end);
	}
}

struct range fold_left(const struct segment *g)
{
	struct range left = {g->destination, g->destination + g->memory_size};

	if (g->folded)
		left.start = file_pages(g).end;
	if (!segment_is_cleaned(g) || left.start > left.end)
		left.start = left.end;
	return left;
}
