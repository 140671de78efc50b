/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "../kimage/list.h"
#include "../place/place.h"

#include <string.h>

#define IDENTITY ((list_bias)0)

static struct range memory_of(const struct segment *g)
{
	return (struct range){g->destination,
			      g->destination + (plan_pages(g->memory_size) << KX_PAGE_SHIFT)};
}

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
	if (range_set_overlaps(&s->reserved, g->destination, memory_of(g).end))
		return refuse_segment(s, KX_E_DEST_RESERVED, "segment in reserved memory", g);
	return KX_OK;
}

static enum kx_error check_apart(struct stage *s, size_t i)
{
	const struct segment *g = s->payload.segments;

	for (size_t j = 0; j < i; j++)
		if (g[i].destination < memory_of(&g[j]).end &&
		    g[j].destination < memory_of(&g[i]).end)
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

static enum kx_error check_entry(struct stage *s)
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
	return error ? error : check_entry(s);
}

/* Whether a destination page is in a segment; *last is where the one before was found. */
static bool in_segment(const struct stage *s, uint64_t page, size_t *last)
{
	for (size_t n = 0; n < s->payload.segment_count; n++) {
		size_t i = (*last + n) % s->payload.segment_count;
		struct range memory = memory_of(&s->payload.segments[i]);

		if (inside(page, memory.start, memory.end - memory.start)) {
			*last = i;
			return true;
		}
	}
	return false;
}

static enum kx_error check_source(struct stage *s, const struct list_entry *entry, size_t *last)
{
	if (inside(entry->address, s->own.start, s->own.end - s->own.start))
		return kx_refuse(&s->why, KX_E_SOURCE_RANGE, "source page inside kexpress itself",
				 entry->address, entry->address + KX_PAGE_SIZE);
	if (!in_segment(s, entry->destination, last))
		return kx_refuse(&s->why, KX_E_DEST_RANGE, "destination page in no segment",
				 entry->destination, entry->destination + KX_PAGE_SIZE);
	return KX_OK;
}

/*
 * Reads the whole list once: takes its pages and its sources in the occupancy, and finds where the
 * page at kernel, if any, comes from.
 */
static enum kx_error take_list(struct stage *s, uint64_t kernel, uint64_t *kernel_source,
			       struct plan_work *work)
{
	struct list_reader reader;
	struct list_entry entry;
	enum kx_error error;
	size_t last = 0;

	list_open(&reader, s->handoff->list_head, IDENTITY, &s->ram);
	while (!(error = list_next(&reader, &entry, &s->why)) && entry.flag != KX_LIST_DONE) {
		if (entry.flag == KX_LIST_DESTINATION)
			continue;
		occupancy_take(&s->plan.occupancy, entry.address, entry.address + KX_PAGE_SIZE);
		if (entry.flag == KX_LIST_INDIRECTION)
			continue;
		error = check_source(s, &entry, &last);
		if (error)
			return error;
		if (entry.destination == kernel)
			*kernel_source = entry.address;
		work->pages++;
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
	rules = (struct place_kernel){s->payload.kernel.text_offset, s->payload.kernel.memory_size,
				      s->payload.kernel.anywhere};
	if (g->memory_size < rules.memory_size)
		return refuse_segment(s, KX_E_BSS, "segment smaller than the kernel's image_size",
				      g);
	error = place_kernel_check(&s->ram, &rules, g->destination, &s->why);
	if (error || !initrd)
		return error;
	return place_window_check(memory_of(g), memory_of(initrd), &s->why);
}

/* Pages that a segment has beyond its file are zeroed as kexec does, but for the kernel's, which
 * clears its own BSS. */
static struct run zero_run(const struct segment *g)
{
	uint64_t file = plan_pages(g->file_size) << KX_PAGE_SHIFT;
	struct range memory = memory_of(g);
	uint64_t length = memory.end - memory.start - file;

	if (g->flags & KX_SEGMENT_KERNEL)
		length = 0;
	return (struct run){0, g->destination + file, length, RUN_ZERO};
}

enum kx_error plan_handoff_place(struct stage *s, struct plan_work *work)
{
	const struct segment *kernel = find_segment(s, KX_SEGMENT_KERNEL);
	uint64_t header = kernel ? kernel->destination : 0;
	enum kx_error error;
	size_t list_count;

	s->plan.jump.entry = s->handoff->entry;
	s->plan.jump.el = s->handoff->el ? s->handoff->el : s->entry->el;
	error = check_segments(s);
	if (!error)
		error = take_list(s, header, &header, work);
	if (!error && kernel)
		error = check_kernel(s, kernel, header);
	if (!error)
		error = list_runs(s->handoff->list_head, IDENTITY, &s->ram, NULL, 0, &list_count,
				  &s->why);
	if (error)
		return error;
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		occupancy_take(&s->plan.occupancy, memory_of(g).start, memory_of(g).end);
		work->pages += plan_pages(zero_run(g).length);
	}
	work->runs = list_count + s->payload.segment_count;
	return KX_OK;
}

enum kx_error plan_handoff_runs(struct stage *s, struct run *runs, size_t max, size_t *count)
{
	enum kx_error error;

	error = list_runs(s->handoff->list_head, IDENTITY, &s->ram, runs, max, count, &s->why);
	if (error)
		return error;
	for (size_t i = 0; i < s->payload.segment_count; i++)
		runs[(*count)++] = zero_run(&s->payload.segments[i]);
	return KX_OK;
}
