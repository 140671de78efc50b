/* SPDX-License-Identifier: MIT */
/*
 * Destinations that are ours to choose: those that move the fewest bytes. What lies where it may
 * stay stays; it is still cleaned.
 */
#include "plan.h"

#include "control.h"

static struct range source_of(const struct segment *g)
{
	return (struct range){g->source, g->source + g->file_size};
}

/* The kernel takes it from RAM only. */
static bool initrd_stays(const struct stage *s, uint64_t kernel_at, const struct segment *g)
{
	const struct place_kernel rules = plan_kernel_rules(s);
	struct range source = source_of(g);

	return range_set_contains(&s->ram, source.start, source.end) &&
	       place_initrd_stays(&rules, kernel_at, source);
}

/* Bytes that have to move if the kernel is at kernel_at: of all segments behind the first. */
static uint64_t others_moved(const struct stage *s, uint64_t kernel_at)
{
	uint64_t bytes = 0;

	for (size_t i = 1; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (!initrd_stays(s, kernel_at, g))
			bytes += g->file_size;
	}
	return bytes;
}

/* Where the BSS behind the kernel drives away more than the kernel is, the kernel moves. */
static bool kernel_stays(const struct stage *s)
{
	const struct segment *kernel = &s->payload.segments[0];
	const struct place_kernel rules = plan_kernel_rules(s);

	return place_kernel_stays(&s->plan.occupancy, &rules, kernel->source) &&
	       others_moved(s, kernel->source) <= kernel->file_size;
}

static void take_sources(struct stage *s)
{
	struct occupancy *o = &s->plan.occupancy;

	occupancy_take(o, s->sources[s->source].data.start, s->sources[s->source].data.end);
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct range source = source_of(&s->payload.segments[i]);

		occupancy_take(o, source.start, source.end);
	}
}

static enum kx_error place_kernel(struct stage *s)
{
	struct segment *kernel = &s->payload.segments[0];
	const struct place_kernel rules = plan_kernel_rules(s);
	bool stays = kernel_stays(s);

	take_sources(s);
	if (!stays)
		return place_kernel_choose(&s->plan.occupancy, &rules, &kernel->destination,
					   &s->why);
	kernel->destination = kernel->source;
	occupancy_take(&s->plan.occupancy, kernel->destination, plan_memory(kernel).end);
	return KX_OK;
}

static enum kx_error place_initrd(struct stage *s, struct segment *g)
{
	const struct place_kernel rules = plan_kernel_rules(s);
	uint64_t kernel_at = s->payload.segments[0].destination;

	g->destination = g->source;
	if (initrd_stays(s, kernel_at, g))
		return KX_OK;
	return place_initrd_choose(&s->plan.occupancy, &rules, kernel_at, g->file_size,
				   &g->destination, &s->why);
}

/* The kernel is the first segment: the initramfs's place depends on it. */
enum kx_error plan_payload_place(struct stage *s)
{
	struct payload *p = &s->payload;
	enum kx_error error = place_kernel(s);

	for (size_t i = 1; i < p->segment_count && !error; i++)
		error = place_initrd(s, &p->segments[i]);
	s->plan.jump.entry = p->segments[0].destination;
	s->plan.jump.el = s->entry->el;
	return error;
}

/* One for each segment that moves, in any order: destinations were free memory, or a kernel's BSS
 * that an initramfs leaves. */
enum kx_error plan_payload_runs(struct stage *s)
{
	size_t count = s->payload.segment_count;
	struct plan *p = &s->plan;

	p->runs = control_take(s, count * sizeof(*p->runs));
	if (!p->runs)
		return s->why.error;
	for (size_t i = 0; i < count; i++) {
		struct segment *g = &s->payload.segments[i];

		if (g->destination == g->source)
			continue;
		p->runs[p->run_count++] =
			(struct run){g->source, g->destination, g->file_size, RUN_COPY};
		plan_count_copy(s, g, plan_file(g));
	}
	return KX_OK;
}
