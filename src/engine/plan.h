/* SPDX-License-Identifier: MIT */
/*
 * The parts of the step "plan" that differ by payload. Both check or choose the segments'
 * destinations, take them and their sources in the occupancy, and note where to jump.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "../place/page.h"
#include "../place/place.h"
#include "stage.h"

/* plan_payload.c: a FIT or a plain Image, whose destinations are ours to choose. */
enum kx_error plan_payload_place(struct stage *s);
enum kx_error plan_payload_runs(struct stage *s);

/* plan_handoff.c: an entry list, whose destinations are given. */
enum kx_error plan_handoff_place(struct stage *s);
enum kx_error plan_handoff_runs(struct stage *s);

/* What the boot protocol's placement rules need of the payload's kernel. */
static inline struct place_kernel plan_kernel_rules(const struct stage *s)
{
	const struct image_info *kernel = &s->payload.kernel;

	return (struct place_kernel){kernel->text_offset, kernel->memory_size, kernel->anywhere};
}

/* Memory that a segment keeps free, in whole pages. */
static inline struct range plan_memory(const struct segment *g)
{
	return (struct range){g->destination, page_up(g->destination + g->memory_size)};
}

/* Its file, likewise. */
static inline struct range plan_file(const struct segment *g)
{
	return (struct range){g->destination, page_up(g->destination + g->file_size)};
}

/* Accounts that pages within a segment's memory are copied. */
static inline void plan_count_copy(struct stage *s, struct segment *g, struct range pages)
{
	uint64_t file_end = plan_file(g).end;

	s->timing.bytes_copied += pages.end - pages.start;
	if (pages.end > file_end)
		pages.end = file_end;
	if (pages.start < pages.end)
		g->copied += pages.end - pages.start;
}

#endif /* ENGINE_PLAN_H */
