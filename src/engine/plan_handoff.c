/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "control.h"
#include "open.h"

#include "../kimage/list.h"
#include "../kimage/order.h"

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

/* Whether a destination page is in a segment; *last is where the one before was found. */
static bool in_segment(const struct stage *s, uint64_t page, size_t *last)
{
	for (size_t n = 0; n < s->payload.segment_count; n++) {
		size_t i = (*last + n) % s->payload.segment_count;
		struct range memory = plan_memory(&s->payload.segments[i]);

		if (inside(page, memory.start, memory.end - memory.start)) {
			*last = i;
			return true;
		}
	}
	return false;
}

static bool in_own(const struct stage *s, uint64_t page)
{
	return inside(page, page_down(s->own.start), s->own.end - page_down(s->own.start));
}

/* Our own image is written while the list is read: what lies there is not what was put there. */
static enum kx_error check_entry(struct stage *s, const struct list_entry *e, size_t *last)
{
	if (e->flag == KX_LIST_INDIRECTION && in_own(s, e->address))
		return kx_refuse(&s->why, KX_E_LIST_RANGE, "list page inside kexpress itself",
				 e->address, e->address + KX_PAGE_SIZE);
	if (e->flag != KX_LIST_SOURCE)
		return KX_OK;
	if (in_own(s, e->address))
		return kx_refuse(&s->why, KX_E_SOURCE_RANGE, "source page inside kexpress itself",
				 e->address, e->address + KX_PAGE_SIZE);
	if (!in_segment(s, e->destination, last))
		return kx_refuse(&s->why, KX_E_DEST_RANGE, "destination page in no segment",
				 e->destination, e->destination + KX_PAGE_SIZE);
	return KX_OK;
}

/*
 * Reads the whole list once: checks it, takes its pages and its sources in the occupancy, and finds
 * where the page at *header, if any, comes from.
 */
static enum kx_error take_list(struct stage *s, uint64_t *header)
{
	uint64_t kernel = *header;
	struct list_reader reader;
	struct list_entry e;
	enum kx_error error;
	size_t last = 0;

	list_open(&reader, s->handoff->list_head, IDENTITY, &s->ram);
	while (!(error = list_next(&reader, &e, &s->why)) && e.flag != KX_LIST_DONE) {
		error = check_entry(s, &e, &last);
		if (error)
			return error;
		if (e.flag & (KX_LIST_INDIRECTION | KX_LIST_SOURCE))
			occupancy_take(&s->plan.occupancy, e.address, e.address + KX_PAGE_SIZE);
		if (e.flag == KX_LIST_SOURCE && e.destination == kernel)
			*header = e.address;
	}
	return error;
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

static enum kx_error read_runs(struct stage *s, struct run *runs, size_t max, size_t *count)
{
	size_t segments = s->payload.segment_count;
	enum kx_error error;

	error = list_runs(s->handoff->list_head, IDENTITY, &s->ram, runs, runs ? max - segments : 0,
			  count, &s->why);
	for (size_t i = 0; i < segments && runs && !error; i++)
		runs[(*count)++] = zero_run(&s->payload.segments[i]);
	return error;
}

static uint64_t count_pages(const struct run *runs, size_t count)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += page_up(runs[i].length) >> KX_PAGE_SHIFT;
	return pages;
}

static enum kx_error order(struct stage *s, struct run *runs, size_t count)
{
	struct plan *p = &s->plan;
	uint64_t pages = count_pages(runs, count);
	size_t max = order_max(pages);
	size_t work_size = order_work_size(pages);
	struct run *ordered;
	void *work;

	if (!pages) /* all is in place, and no page of it is listed */
		return KX_OK;
	ordered = control_take(s, max * sizeof(*ordered));
	work = control_take(s, work_size);
	p->spare = (uint64_t)control_take(s, KX_PAGE_SIZE);
	if (!ordered || !work || !p->spare)
		return s->why.error;
	p->runs = ordered;
	return order_runs(runs, count, p->spare, ordered, max, &p->run_count, work, work_size,
			  &s->why);
}

enum kx_error plan_handoff_runs(struct stage *s)
{
	size_t max, count;
	struct run *runs;
	enum kx_error error;

	error = read_runs(s, NULL, 0, &max);
	if (error)
		return error;
	max += s->payload.segment_count;
	runs = control_take(s, max * sizeof(*runs));
	if (!runs)
		return s->why.error;
	error = read_runs(s, runs, max, &count);
	return error ? error : order(s, runs, count);
}
