/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "control.h"

static enum kx_error place_segment(struct stage *s, struct segment *g)
{
	const struct segment *kernel = &s->payload.segments[0];
	const struct place_kernel rules = plan_kernel_rules(s);
	struct occupancy *o = &s->plan.occupancy;

	if (g->flags & KX_SEGMENT_KERNEL)
		return place_kernel_choose(o, &rules, &g->destination, &s->why);
	return place_initrd_choose(o, &rules, kernel->destination, g->file_size, &g->destination,
				   &s->why);
}

/* The kernel is the first segment: the initramfs's place depends on it. */
enum kx_error plan_payload_place(struct stage *s)
{
	struct payload *p = &s->payload;
	enum kx_error error = KX_OK;

	occupancy_take(&s->plan.occupancy, s->initrd.start, s->initrd.end);
	for (size_t i = 0; i < p->segment_count; i++)
		occupancy_take(&s->plan.occupancy, p->segments[i].source,
			       p->segments[i].source + p->segments[i].file_size);
	for (size_t i = 0; i < p->segment_count && !error; i++)
		error = place_segment(s, &p->segments[i]);
	s->plan.jump.entry = p->segments[0].destination;
	s->plan.jump.el = s->entry->el;
	return error;
}

/* One a segment, in any order: destinations were free memory. */
enum kx_error plan_payload_runs(struct stage *s)
{
	size_t count = s->payload.segment_count;
	struct run *runs = control_take(s, count * sizeof(*runs));

	if (!runs)
		return s->why.error;
	for (size_t i = 0; i < count; i++) {
		const struct segment *g = &s->payload.segments[i];

		runs[i] = (struct run){g->source, g->destination, g->file_size, RUN_COPY};
	}
	s->plan.runs = runs;
	s->plan.run_count = count;
	return KX_OK;
}
