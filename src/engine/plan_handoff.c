/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "control.h"
#include "open.h"

#include "../kimage/list.h"
#include "../kimage/order.h"
#include "../kimage/verify.h"

#include <arm64/sysreg.h>

#define IDENTITY ((list_bias)0)

static enum kx_error refuse_segment(struct stage *s, enum kx_error error, const char *what,
				    const struct segment *g)
{
	return kx_refuse(&s->why, error, what, g->destination, g->destination + g->memory_size);
}

static enum kx_error check_segment(struct stage *s, const struct segment *g)
{
	uint64_t end;

	if (g->destination % KX_PAGE_SIZE)
		return refuse_segment(s, KX_E_ALIGN, "segment not 4 KiB aligned", g);
	if (!g->file_size || g->memory_size < g->file_size ||
	    __builtin_add_overflow(g->destination, g->memory_size, &end))
		return refuse_segment(s, KX_E_HANDOFF, "segment sizes contradict", g);
	if (!range_set_contains(&s->ram, g->destination, end))
		return refuse_segment(s, KX_E_DEST_RANGE, "segment not in usable RAM", g);
	if (range_set_overlaps(&s->reserved, g->destination, plan_memory(g).end))
		return refuse_segment(s, KX_E_DEST_RESERVED, "segment in reserved memory", g);
	return KX_OK;
}

static enum kx_error check_apart(struct stage *s, size_t i)
{
	const struct segment *g = s->payload.segments;

	for (size_t j = 0; j < i; j++)
		if (g[i].destination < plan_memory(&g[j]).end &&
		    g[j].destination < plan_memory(&g[i]).end)
			return refuse_segment(s, KX_E_DEST_TWICE, "segments overlap", &g[i]);
	return KX_OK;
}

static const struct segment *find_segment(const struct stage *s, uint32_t flag)
{
	for (size_t i = 0; i < s->payload.segment_count; i++)
		if (s->payload.segments[i].flags & flag)
			return &s->payload.segments[i];
	return NULL;
}

static bool inside(uint64_t address, uint64_t start, uint64_t size)
{
	return address >= start && address - start < size;
}

static enum kx_error check_start(struct stage *s)
{
	uint64_t entry = s->handoff->entry;

	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (g->flags & KX_SEGMENT_EXEC && inside(entry, g->destination, g->file_size) &&
		    entry % 4 == 0)
			return KX_OK;
	}
	return kx_refuse(&s->why, KX_E_ENTRY, "entry not an instruction of an executable segment",
			 entry, entry);
}

static enum kx_error check_segments(struct stage *s)
{
	enum kx_error error = KX_OK;

	for (size_t i = 0; i < s->payload.segment_count && !error; i++) {
		error = check_segment(s, &s->payload.segments[i]);
		if (!error)
			error = check_apart(s, i);
	}
	return error ? error : check_start(s);
}

/* A list on its way through the checks. */
struct reading {
	struct list_reader reader;
	struct range written; /* by the last entries: destinations that follow each other, */
	bool in_place;	      /* all of them their sources, or none of them */
	struct range own;     /* pages of our own image */
	uint64_t header_at;   /* destination of the page with the kernel's header */
	uint64_t header;      /* and its source */
};

static struct segment *segment_of(struct stage *s, uint64_t address)
{
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct segment *g = &s->payload.segments[i];

		if (inside(address, g->destination, plan_memory(g).end - g->destination))
			return g;
	}
	return NULL;
}

/* Checks that what was written last lies in segments only, and accounts it. */
static enum kx_error take_written(struct stage *s, struct reading *l)
{
	struct range left = l->written;

	while (left.start < left.end) {
		struct segment *g = segment_of(s, left.start);
		struct range part = left;

		if (!g)
			return kx_refuse(&s->why, KX_E_DEST_RANGE, "destination page in no segment",
					 left.start, left.start + KX_PAGE_SIZE);
		if (part.end > plan_memory(g).end)
			part.end = plan_memory(g).end;
		if (!l->in_place)
			plan_count_copy(s, g, part);
		left.start = part.end;
	}
	s->plan.list_pages += (l->written.end - l->written.start) >> KX_PAGE_SHIFT;
	return KX_OK;
}

/* Our own image is written while the list is read: what lies there is not what was put there. */
static enum kx_error refuse_own(struct stage *s, const struct list_entry *e)
{
	bool source = e->flag == KX_LIST_SOURCE;
	uint64_t own = page_down(s->own.start), page = e->address > own ? e->address : own;

	return kx_refuse(&s->why, source ? KX_E_SOURCE_RANGE : KX_E_LIST_RANGE,
			 source ? "source page inside kexpress itself"
				: "list page inside kexpress itself",
			 page, page + KX_PAGE_SIZE);
}

static inline enum kx_error take_source(struct stage *s, struct reading *l,
					const struct list_entry *e)
{
	bool in_place = e->address == e->destination;
	enum kx_error error = KX_OK;

	if (l->header_at - e->destination < e->length)
		l->header = e->address + (l->header_at - e->destination);
	if (e->destination != l->written.end || in_place != l->in_place) {
		error = take_written(s, l);
		l->written = (struct range){e->destination, e->destination};
		l->in_place = in_place;
	}
	l->written.end += e->length;
	s->plan.list_runs++;
	return error;
}

static inline enum kx_error take_entry(struct stage *s, struct reading *l,
				       const struct list_entry *e)
{
	uint64_t end = e->address + e->length;

	if (e->flag == KX_LIST_DESTINATION)
		return KX_OK;
	if (e->address < l->own.end && l->own.start < end)
		return refuse_own(s, e);
	occupancy_take(&s->plan.occupancy, e->address, end);
	return e->flag == KX_LIST_SOURCE ? take_source(s, l, e) : KX_OK;
}

/*
 * Reads the whole list once: checks it, takes its pages and its sources in the occupancy, counts
 * its runs, and finds where the page at *header, if any, comes from.
 */
static enum kx_error take_list(struct stage *s, uint64_t *header)
{
	struct reading l = {
		.own = {page_down(s->own.start), page_up(s->own.end)},
		.header_at = *header,
		.header = *header,
	};

	list_open(&l.reader, s->handoff->list_head, IDENTITY, &s->ram);
	for (;;) {
		struct list_entry e = list_next(&l.reader, &s->why);

		if (!e.flag || (e.flag != KX_LIST_DONE && take_entry(s, &l, &e)))
			return s->why.error;
		if (e.flag == KX_LIST_DONE)
			break;
	}
	*header = l.header;
	return take_written(s, &l);
}

/* The boot protocol's rules, by the header of the Image that will lie there. */
static enum kx_error check_kernel(struct stage *s, const struct segment *g, uint64_t header)
{
	const struct segment *initrd = find_segment(s, KX_SEGMENT_INITRD);
	struct place_kernel rules;
	enum kx_error error;

	error = image_read((const void *)header, g->file_size, &s->payload.kernel, &s->why);
	if (error)
		return error;
	rules = plan_kernel_rules(s);
	if (g->memory_size < rules.memory_size)
		return refuse_segment(s, KX_E_BSS, "segment smaller than the kernel's image_size",
				      g);
	error = place_kernel_check(&s->ram, &rules, g->destination, &s->why);
	if (!error)
		error = open_check_granule(&s->payload.kernel, plan_memory(g), &s->why);
	if (error || !initrd)
		return error;
	return place_window_check(plan_memory(g), plan_memory(initrd), &s->why);
}

enum kx_error plan_handoff_place(struct stage *s)
{
	const struct segment *kernel = find_segment(s, KX_SEGMENT_KERNEL);
	uint64_t header = kernel ? kernel->destination : 0;
	enum kx_error error;

	s->plan.jump.entry = s->handoff->entry;
	s->plan.jump.el = s->handoff->el ? s->handoff->el : s->entry->el;
	occupancy_take(&s->plan.occupancy, s->handoff->keep_start, s->handoff->keep_end);
	error = check_segments(s);
	if (error)
		return error;
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct range memory = plan_memory(&s->payload.segments[i]);

		occupancy_take(&s->plan.occupancy, memory.start, memory.end);
	}
	error = take_list(s, &header);
	if (!error && kernel)
		error = check_kernel(s, kernel, header);
	return error;
}

/* Pages that a segment has beyond its file are zeroed as kexec does, but for the kernel's, which
 * clears its own BSS. */
static struct run zero_run(const struct segment *g)
{
	uint64_t start = page_up(g->destination + g->file_size);

	if (g->flags & KX_SEGMENT_KERNEL)
		return (struct run){0, start, 0, RUN_ZERO};
	return (struct run){0, start, plan_memory(g).end - start, RUN_ZERO};
}

static enum kx_error order(struct stage *s, struct run *runs, size_t count, uint64_t pages)
{
	struct plan *p = &s->plan;
	size_t max = order_max(pages), work_size = order_work_size(pages);
	void *work = control_take(s, work_size);
	enum kx_error error;
	bool ordered;

	if (!work)
		return s->why.error;
	p->runs = runs;
	p->run_count = count;
	error = order_check(runs, &p->run_count, &ordered, work, work_size, &s->why);
	if (error || ordered)
		return error;
	p->runs = control_take(s, max * sizeof(*runs));
	p->spare = (uint64_t)control_take(s, KX_PAGE_SIZE);
	if (!p->runs || !p->spare)
		return s->why.error;
	return order_runs(runs, p->run_count, p->spare, p->runs, max, &p->run_count, work,
			  work_size, &s->why);
}

/* Before any of it is moved, and with the time of its own. */
static enum kx_error verify(struct stage *s, const struct run *runs, size_t count)
{
	uint64_t start = counter_read(), ticks;
	enum kx_error error = KX_OK;

	for (size_t i = 0; i < s->payload.segment_count && s->options.verify && !error; i++) {
		const struct segment *g = &s->payload.segments[i];
		struct verify v = {g->destination, g->file_size, g->crc};

		if (!(g->flags & KX_SEGMENT_CRC))
			continue;
		error = verify_segment(&v, runs, count, IDENTITY, &s->why);
		s->timing.bytes_hashed += g->file_size;
	}
	ticks = counter_read() - start;
	s->timing.verify += ticks;
	s->marked += ticks;
	return error;
}

enum kx_error plan_handoff_runs(struct stage *s)
{
	uint64_t pages = s->plan.list_pages;
	size_t count, max = s->plan.list_runs + s->payload.segment_count;
	struct run *runs = control_take(s, max * sizeof(*runs));
	enum kx_error error;

	if (!runs)
		return s->why.error;
	error = list_runs(s->handoff->list_head, IDENTITY, &s->ram, runs, s->plan.list_runs, &count,
			  &s->why);
	if (!error)
		error = verify(s, runs, count);
	if (error)
		return error;
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct run zeroes = zero_run(&s->payload.segments[i]);

		runs[count++] = zeroes;
		pages += zeroes.length >> KX_PAGE_SHIFT;
		s->timing.bytes_zeroed += zeroes.length;
	}
	if (!pages) /* all is in place, and no page of it is listed */
		return KX_OK;
	return order(s, runs, count, pages);
}
