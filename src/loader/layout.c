/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "../kimage/list.h"
#include "../place/page.h"

#define CONTROL_ALIGN	0x10000ull	  /* whole pages, whatever the running kernel's are */
#define OCCUPANCY_WORDS ((size_t)1 << 18) /* a bit for each page of 64 GiB */
#define RANGES_MORE	64		  /* that a few cuts can make */

/* A layout being made. */
struct work {
	const struct layout_input *in;
	struct layout *out;
	struct range_set side_by_side; /* pages that destinations may have, and nobody has yet */
	struct range_set rest;	       /* pages that nothing lies in yet, */
	size_t rest_first;	       /* from this range on */
	struct range_set taken;	       /* destinations, and what stays where it is */
	uint64_t *occupancy_bits;
	struct kx_refusal *why;
};

static uint64_t list_pages(uint64_t entries)
{
	return entries / LIST_WRITER_ENTRIES + 2;
}

uint64_t layout_store_size(const struct layout_input *in)
{
	uint64_t page = in->page_size;
	uint64_t pages =
		(round_up(in->kernel_size, page) + round_up(in->initrd_size, page)) / KX_PAGE_SIZE;

	return round_up(in->control_size, CONTROL_ALIGN) + round_up(in->control_file_size, page) +
	       round_up(in->kernel.memory_size, page) + round_up(in->initrd_size, page) +
	       round_up(list_pages(2 * pages) * KX_PAGE_SIZE, page);
}

static enum kx_error no_room(struct work *w, const char *what, uint64_t size)
{
	return kx_refuse(w->why, KX_E_NO_ROOM, what, 0, size);
}

static enum kx_error allocate(struct work *w)
{
	size_t max = w->in->chunk_count + w->in->avoid->count + RANGES_MORE;

	w->side_by_side = (struct range_set){calloc(max, sizeof(struct range)), 0, max};
	w->rest = (struct range_set){calloc(max, sizeof(struct range)), 0, max};
	w->taken = (struct range_set){calloc(RANGES_MORE, sizeof(struct range)), 0, RANGES_MORE};
	w->occupancy_bits = calloc(OCCUPANCY_WORDS, sizeof(*w->occupancy_bits));
	if (!w->side_by_side.ranges || !w->rest.ranges || !w->taken.ranges || !w->occupancy_bits)
		return no_room(w, "memory for the layout", 0);
	return KX_OK;
}

static void release(struct work *w)
{
	free(w->side_by_side.ranges);
	free(w->rest.ranges);
	free(w->taken.ranges);
	free(w->occupancy_bits);
}

/* Chunks that follow each other become one range. */
static void find_neighbours(struct work *w)
{
	const struct layout_input *in = w->in;

	for (size_t i = 0; i < in->chunk_count; i++) {
		const struct chunk *c = &in->chunks[i];

		range_set_add(&w->rest, c->physical, c->physical + c->size);
		range_set_add(&w->side_by_side, c->physical, c->physical + c->size);
	}
	for (size_t i = 0; i < in->avoid->count; i++)
		range_set_remove(&w->side_by_side, in->avoid->ranges[i].start,
				 in->avoid->ranges[i].end);
}

static void take(struct work *w, uint64_t start, uint64_t end)
{
	range_set_remove(&w->side_by_side, start, end);
	range_set_remove(&w->rest, start, end);
	range_set_add(&w->taken, start, end);
}

/* Takes pages that lie side by side, of where there are the fewest that suffice. */
static bool take_neighbours(struct work *w, uint64_t size, uint64_t align, uint64_t offset,
			    uint64_t *at)
{
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < w->side_by_side.count; i++) {
		struct range r = w->side_by_side.ranges[i];
		uint64_t start = round_up(r.start - offset, align) + offset;

		if (start < r.start || start > r.end || r.end - start < size ||
		    r.end - r.start >= best || !range_set_contains(w->in->ram, start, start + size))
			continue;
		best = r.end - r.start;
		*at = start;
	}
	if (best == UINT64_MAX)
		return false;
	take(w, *at, *at + round_up(size, w->in->page_size));
	return true;
}

static const struct chunk *chunk_at(const struct layout_input *in, uint64_t physical)
{
	size_t low = 0, high = in->chunk_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (in->chunks[middle].physical <= physical)
			low = middle;
		else
			high = middle;
	}
	return &in->chunks[low];
}

static bool add_piece(struct pieces *p, uint64_t offset, uint64_t length)
{
	struct piece *last = p->count ? &p->pieces[p->count - 1] : NULL;

	if (last && last->offset + last->length == offset) {
		last->length += length;
		return true;
	}
	if (p->count == p->max) {
		size_t max = p->max ? 2 * p->max : 16;
		struct piece *more = realloc(p->pieces, max * sizeof(*more));

		if (!more)
			return false;
		p->pieces = more;
		p->max = max;
	}
	p->pieces[p->count++] = (struct piece){offset, length};
	return true;
}

/* Where the store has [start, end). */
static enum kx_error add_pieces(struct work *w, struct pieces *p, uint64_t start, uint64_t end)
{
	while (start < end) {
		const struct chunk *c = chunk_at(w->in, start);
		uint64_t skip = start - c->physical;
		uint64_t length = c->size - skip < end - start ? c->size - skip : end - start;

		if (!add_piece(p, c->offset + skip, length))
			return no_room(w, "memory for the layout", 0);
		start += length;
	}
	return KX_OK;
}

/* The lowest pages that nothing lies in: neighbours stay neighbours, and make one run. */
static enum kx_error take_pages(struct work *w, struct pieces *p, uint64_t size)
{
	enum kx_error error = KX_OK;

	size = round_up(size, w->in->page_size);
	while (size && !error) {
		struct range *next = &w->rest.ranges[w->rest_first];
		uint64_t length;

		if (w->rest_first == w->rest.count)
			return no_room(w, "store too small for its payload", size);
		length = next->end - next->start < size ? next->end - next->start : size;
		error = add_pieces(w, p, next->start, next->start + length);
		size -= length;
		next->start += length;
		if (next->start == next->end)
			w->rest_first++;
	}
	return error;
}

/* A kernel that should be near to the start of RAM is not left where it happens to be. */
static enum kx_error keep_kernel(struct work *w)
{
	const struct place_kernel *k = &w->in->kernel;
	struct placed *p = &w->out->kernel;

	p->in_place = k->anywhere && take_neighbours(w, k->memory_size, PLACE_KERNEL_ALIGN,
						     k->text_offset, &p->destination);
	if (!p->in_place)
		return KX_OK;
	return add_pieces(w, &p->pieces, p->destination,
			  p->destination + round_up(k->memory_size, w->in->page_size));
}

static enum kx_error keep_initrd(struct work *w)
{
	struct placed *p = &w->out->initrd;
	uint64_t size = w->in->initrd_size;

	if (!size || !w->in->kernel.anywhere)
		return KX_OK;
	p->in_place = take_neighbours(w, size, w->in->page_size, 0, &p->destination);
	if (!p->in_place)
		return KX_OK;
	return add_pieces(w, &p->pieces, p->destination,
			  p->destination + round_up(size, w->in->page_size));
}

/* What kexec_load(2) writes is written late, and over memory that devices were never given. */
static bool keep_control(struct work *w)
{
	return take_neighbours(w, w->in->control_size, CONTROL_ALIGN, 0, &w->out->control);
}

static void take_set(struct occupancy *o, const struct range_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		occupancy_take(o, set->ranges[i].start, set->ranges[i].end);
}

/* It must share a window with the kernel: on machines with very much memory it may not. */
static void check_window(struct work *w)
{
	struct placed *k = &w->out->kernel, *i = &w->out->initrd;
	struct range kernel = {k->destination, k->destination + w->in->kernel.memory_size};
	struct range initrd = {i->destination, i->destination + w->in->initrd_size};

	if (!i->in_place || !place_window_check(kernel, initrd, w->why))
		return;
	i->in_place = false;
	i->pieces.count = 0;
	range_set_add(&w->rest, initrd.start, round_up(initrd.end, w->in->page_size));
}

static enum kx_error place_initrd(struct work *w, struct occupancy *o)
{
	struct placed *i = &w->out->initrd;

	check_window(w);
	if (!w->in->initrd_size || i->in_place)
		return KX_OK;
	return place_initrd_choose(o, &w->in->kernel, w->out->kernel.destination,
				   w->in->initrd_size, &i->destination, w->why);
}

/* Destinations in memory that nothing is kept in, or that only sources are in. */
static enum kx_error place(struct work *w, bool control_kept, bool over_sources)
{
	struct layout *out = w->out;
	struct occupancy o;
	enum kx_error error = KX_OK;

	occupancy_init(&o, w->in->ram, w->occupancy_bits, OCCUPANCY_WORDS);
	take_set(&o, w->in->avoid);
	take_set(&o, &w->taken);
	if (!over_sources)
		take_set(&o, &w->rest);
	if (!out->kernel.in_place)
		error = place_kernel_choose(&o, &w->in->kernel, &out->kernel.destination, w->why);
	if (!error)
		error = place_initrd(w, &o);
	if (error || control_kept)
		return error;
	if (!occupancy_find(&o, w->in->control_size, CONTROL_ALIGN, 0,
			    (struct range){0, UINT64_MAX}, &out->control))
		return no_room(w, "place for kexpress itself", w->in->control_size);
	return KX_OK;
}

static enum kx_error take_sources(struct work *w)
{
	const struct layout_input *in = w->in;
	struct layout *out = w->out;
	enum kx_error error = KX_OK;
	uint64_t entries;

	if (!out->kernel.in_place)
		error = take_pages(w, &out->kernel.pieces, in->kernel_size);
	if (!error && !out->initrd.in_place)
		error = take_pages(w, &out->initrd.pieces, in->initrd_size);
	if (!error)
		error = take_pages(w, &out->control_copy, in->control_file_size);
	entries = round_up(in->kernel_size, KX_PAGE_SIZE) / KX_PAGE_SIZE +
		  round_up(in->initrd_size, KX_PAGE_SIZE) / KX_PAGE_SIZE +
		  out->kernel.pieces.count + out->initrd.pieces.count;
	if (!error)
		error = take_pages(w, &out->list, list_pages(entries) * KX_PAGE_SIZE);
	return error;
}

static enum kx_error make(struct work *w)
{
	bool control_kept;
	enum kx_error error = allocate(w);

	if (error)
		return error;
	find_neighbours(w);
	error = keep_kernel(w);
	control_kept = keep_control(w);
	if (!error)
		error = keep_initrd(w);
	if (!error && place(w, control_kept, false))
		error = place(w, control_kept, true);
	if (!error)
		error = take_sources(w);
	return error;
}

enum kx_error layout_make(const struct layout_input *in, struct layout *out, struct kx_refusal *why)
{
	struct work w = {.in = in, .out = out, .why = why};
	enum kx_error error;

	memset(out, 0, sizeof(*out));
	error = make(&w);
	release(&w);
	if (error)
		layout_free(out);
	return error;
}

void layout_free(struct layout *out)
{
	free(out->kernel.pieces.pieces);
	free(out->initrd.pieces.pieces);
	free(out->control_copy.pieces);
	free(out->list.pieces);
	memset(out, 0, sizeof(*out));
}
