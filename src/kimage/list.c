/* SPDX-License-Identifier: MIT */
#include "list.h"

#define PAGE_ENTRIES (KX_PAGE_SIZE / sizeof(uint64_t))

/*
 * No honest list needs more entries for a page of RAM than one indirection to it, one destination
 * entry for it and one source entry that fills it. The head is not counted, so that the first
 * page's indirection is left for the end.
 */
#define ENTRIES_PER_RAM_PAGE 3

/* Near to no page: none begins at the last address. */
#define NEAR_NONE             \
	{                     \
		UINT64_MAX, 0 \
	}

static uint64_t *slot(list_bias bias, uint64_t page, unsigned int index)
{
	return (uint64_t *)(bias + (uintptr_t)page) + index;
}

static uint64_t ram_pages(const struct range_set *ram)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < ram->count; i++)
		pages += (ram->ranges[i].end - ram->ranges[i].start) >> KX_PAGE_SHIFT;
	return pages;
}

void list_open(struct list_reader *r, uint64_t head, list_bias bias, const struct range_set *ram)
{
	*r = (struct list_reader){
		.bias = bias,
		.ram = ram,
		.near_source = NEAR_NONE,
		.near_destination = NEAR_NONE,
		.head = head,
		.budget = ENTRIES_PER_RAM_PAGE * ram_pages(ram),
	};
}

static bool fetch(struct list_reader *r, uint64_t *value)
{
	if (r->next != r->stop) {
		*value = list_little_endian(*r->next++);
		return true;
	}
	if (r->head_read)
		return false;
	r->head_read = true;
	*value = r->head;
	return true;
}

/* Leads near to the range of RAM that a page is in; false if it is in none. */
static bool find_near(const struct range_set *ram, struct list_near *near, uint64_t page)
{
	size_t i = range_set_first(ram, page);
	struct range range;

	if (i == ram->count)
		return false;
	range = ram->ranges[i];
	if (range.start > page || range.end - page < KX_PAGE_SIZE)
		return false;
	*near = (struct list_near){range.start, range.end - range.start - KX_PAGE_SIZE};
	return true;
}

static bool page_in_ram(const struct list_reader *r, struct list_near *near, uint64_t page)
{
	return list_is_near(*near, page) || find_near(r->ram, near, page);
}

static enum kx_error refuse_page(struct kx_refusal *why, enum kx_error error, const char *what,
				 uint64_t page)
{
	return kx_refuse(why, error, what, page, page + KX_PAGE_SIZE);
}

static enum kx_error enter_page(struct list_reader *r, uint64_t page, struct kx_refusal *why)
{
	uint64_t left = r->budget + (uint64_t)(r->stop - r->next);
	uint64_t entries = left < PAGE_ENTRIES ? left : PAGE_ENTRIES;

	if (!page_in_ram(r, &r->near_source, page))
		return refuse_page(why, KX_E_LIST_RANGE, "list page not in usable RAM", page);
	r->page = page;
	r->next = slot(r->bias, page, 0);
	r->stop = r->next + entries;
	r->budget = left - entries;
	return KX_OK;
}

static enum kx_error take_source(struct list_reader *r, struct list_entry *entry,
				 struct kx_refusal *why)
{
	if (!r->has_destination)
		return refuse_page(why, KX_E_LIST_ORDER,
				   "source entry before any destination entry", entry->address);
	if (!page_in_ram(r, &r->near_source, entry->address))
		return refuse_page(why, KX_E_SOURCE_RANGE, "source page not in usable RAM",
				   entry->address);
	if (!page_in_ram(r, &r->near_destination, r->destination))
		return refuse_page(why, KX_E_DEST_RANGE, "destination page not in usable RAM",
				   r->destination);
	entry->destination = r->destination;
	r->destination += KX_PAGE_SIZE;
	return KX_OK;
}

/* Does what an entry with this value asks for. */
static enum kx_error take_entry(struct list_reader *r, uint64_t value, struct list_entry *entry,
				struct kx_refusal *why)
{
	switch (entry->flag) {
	case KX_LIST_DESTINATION:
		r->destination = entry->address;
		r->has_destination = true;
		return KX_OK;
	case KX_LIST_INDIRECTION:
		return enter_page(r, entry->address, why);
	case KX_LIST_DONE:
		r->next = r->stop;
		return KX_OK;
	case KX_LIST_SOURCE:
		return take_source(r, entry, why);
	default:
		return kx_refuse(why, KX_E_LIST_FLAG, "list entry without exactly one flag", value,
				 value);
	}
}

struct list_entry list_next_any(struct list_reader *r, struct kx_refusal *why)
{
	struct list_entry entry = {0};
	uint64_t value;

	if (!fetch(r, &value)) {
		refuse_page(why, KX_E_LIST_END, "list does not end", r->page);
		return entry;
	}
	entry.flag = value & KX_LIST_FLAGS;
	entry.address = value - entry.flag;
	entry.length = KX_PAGE_SIZE;
	if (take_entry(r, value, &entry, why))
		entry.flag = 0;
	return entry;
}

/* The run that a source entry makes. */
static inline struct run run_of(const struct list_entry *source)
{
	bool in_place = source->address == source->destination;

	return (struct run){source->address, source->destination, source->length,
			    in_place ? RUN_IN_PLACE : RUN_COPY};
}

/* Adds an entry's run to those before end, which is led along. False: there is no room for it. */
static inline bool add_run(struct run *runs, size_t max, struct run **end, struct run run)
{
	if (*end > runs && run_continues(*end - 1, &run)) {
		(*end)[-1].length += run.length;
		return true;
	}
	if (*end == runs + max)
		return false;
	*(*end)++ = run;
	return true;
}

enum kx_error list_runs(uint64_t head, list_bias bias, const struct range_set *ram,
			struct run *runs, size_t max, size_t *count, struct kx_refusal *why)
{
	struct list_reader reader;
	struct run *end = runs;

	list_open(&reader, head, bias, ram);
	for (;;) {
		struct list_entry entry = list_next(&reader, why);

		if (!entry.flag)
			return why->error;
		if (entry.flag == KX_LIST_DONE)
			break;
		if (entry.flag == KX_LIST_SOURCE && !add_run(runs, max, &end, run_of(&entry)))
			return refuse_page(why, KX_E_NO_ROOM, "list of too many runs",
					   entry.destination);
	}
	*count = (size_t)(end - runs);
	return KX_OK;
}

void list_writer_begin(struct list_writer *w, const struct list_page *pages, size_t count)
{
	*w = (struct list_writer){.pages = pages, .count = count, .index = LIST_WRITER_ENTRIES};
}

static void put(struct list_writer *w, uint64_t entry)
{
	w->pages[w->used - 1].entries[w->index++] = list_little_endian(entry);
}

static void take_page(struct list_writer *w)
{
	if (w->used == w->count) {
		w->full = true;
		return;
	}
	if (w->used)
		put(w, w->pages[w->used].address | KX_LIST_INDIRECTION);
	w->used++;
	w->index = 0;
}

static void append(struct list_writer *w, uint64_t entry)
{
	if (w->index == LIST_WRITER_ENTRIES)
		take_page(w);
	if (!w->full)
		put(w, entry);
}

bool list_write(struct list_writer *w, uint64_t source, uint64_t destination, size_t n)
{
	if (!w->used || destination != w->destination)
		append(w, destination | KX_LIST_DESTINATION);
	for (size_t i = 0; i < n && !w->full; i++)
		append(w, (source + i * KX_PAGE_SIZE) | KX_LIST_SOURCE);
	w->destination = destination + n * KX_PAGE_SIZE;
	return !w->full;
}

uint64_t list_writer_end(struct list_writer *w)
{
	if (w->full)
		return 0;
	if (!w->used)
		return KX_LIST_DONE;
	put(w, KX_LIST_DONE);
	return w->pages[0].address | KX_LIST_INDIRECTION;
}
