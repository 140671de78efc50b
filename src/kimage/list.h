/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing entry lists (kexpress/list.h). The reader checks each entry before it uses
 * it, follows no address outside RAM, and always ends.
 */
#ifndef KIMAGE_LIST_H
#define KIMAGE_LIST_H

#include <kexpress/error.h>
#include <kexpress/list.h>

#include "../place/range.h"
#include "run.h"

/* Physical memory as the reader sees it: address 0 would be at this pointer. Zero on the target,
 * whose list pages are identity-mapped; host tests put an arena there. */
typedef uintptr_t list_bias;

/* One checked entry. */
struct list_entry {
	uint64_t address;     /* page address, flags removed */
	uint64_t destination; /* for KX_LIST_SOURCE: where the page goes */
	unsigned int flag;    /* KX_LIST_* */
};

/* A range of RAM, by its first byte and how far above it the last whole page begins. */
struct list_near {
	uint64_t start;
	uint64_t span;
};

struct list_reader {
	list_bias bias;
	const struct range_set *ram;
	struct list_near near_source; /* where the last one was, and the next one mostly is */
	struct list_near near_destination;
	uint64_t head;
	uint64_t page;	      /* page being read, once there was an indirection */
	const uint64_t *next; /* entry in page, or in none */
	const uint64_t *stop; /* end of what may be read of page */
	uint64_t destination; /* of the next source */
	uint64_t budget; /* entries that may come after page: bounds a list that does not end */
	bool head_read;
	bool has_destination;
};

/* Starts at head, an entry as in handoff.list_head. ram is all memory that the list may name. */
void list_open(struct list_reader *r, uint64_t head, list_bias bias, const struct range_set *ram);

/* Entries are little-endian whatever we are; the conversion is its own inverse. */
static inline uint64_t list_little_endian(uint64_t value)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

static inline bool list_is_near(struct list_near near, uint64_t page)
{
	return page - near.start <= near.span;
}

/* Takes the next entry if it is one of the many: a source near the last one, as its destination. */
static inline bool list_next_near(struct list_reader *r, struct list_entry *entry)
{
	uint64_t value;

	if (r->next == r->stop)
		return false;
	value = list_little_endian(*r->next);
	entry->flag = value & KX_LIST_FLAGS;
	entry->address = value - entry->flag;
	entry->destination = r->destination;
	if (entry->flag != KX_LIST_SOURCE || !list_is_near(r->near_source, entry->address) ||
	    !list_is_near(r->near_destination, entry->destination))
		return false;
	r->next++;
	r->destination += KX_PAGE_SIZE;
	return true;
}

/* list_next for any entry. */
enum kx_error list_next_any(struct list_reader *r, struct list_entry *entry,
			    struct kx_refusal *why);

/*
 * Reads the next entry into *entry; KX_LIST_DONE is returned as an entry and is the last.
 * Errors: LIST_FLAG, LIST_RANGE, LIST_END, LIST_ORDER, SOURCE_RANGE, DEST_RANGE.
 * why->start is then the entry's own value, or the address it leads to.
 * A destination is checked where a source goes there: a destination entry without sources writes
 * nothing and may name any page.
 */
static inline enum kx_error list_next(struct list_reader *r, struct list_entry *entry,
				      struct kx_refusal *why)
{
	return list_next_near(r, entry) ? KX_OK : list_next_any(r, entry, why);
}

/* Adds a source entry to the run before it, if it goes on there. False: it begins the next run. */
static inline bool list_extend(struct run *run, const struct list_entry *source)
{
	bool in_place = source->address == source->destination;

	if (source->destination != run->destination + run->length ||
	    source->address != run->source + run->length || in_place != (run->kind == RUN_IN_PLACE))
		return false;
	run->length += KX_PAGE_SIZE;
	return true;
}

/* The run of one page that a source entry begins. */
static inline struct run list_begin(const struct list_entry *source)
{
	return (struct run){
		.source = source->address,
		.destination = source->destination,
		.length = KX_PAGE_SIZE,
		.kind = source->address == source->destination ? RUN_IN_PLACE : RUN_COPY,
	};
}

/*
 * Reads the whole list and merges it to runs, in list order, whatever its indirections do.
 * With runs NULL it counts only. *count receives the number of runs.
 * Errors: those of list_next, and NO_ROOM if there are more than max.
 */
enum kx_error list_runs(uint64_t head, list_bias bias, const struct range_set *ram,
			struct run *runs, size_t max, size_t *count, struct kx_refusal *why);

/*
 * Writes a list, for producers: list_writer_begin, then list_write in order, then list_writer_end,
 * whose result is the head. pages are the physical addresses of count free pages; the writer uses
 * them in turn. A run of n pages takes n + 1 entries, and a page holds LIST_WRITER_ENTRIES of them.
 */
struct list_writer {
	list_bias bias;
	const uint64_t *pages;
	size_t count;
	size_t used;
	unsigned int index; /* next entry in pages[used - 1] */
	bool full;	    /* an entry found no page */
};

/* The last entry of each page is kept for the way to the next one, or for the end. */
#define LIST_WRITER_ENTRIES (KX_PAGE_SIZE / 8 - 1)

void list_writer_begin(struct list_writer *w, const uint64_t *pages, size_t count, list_bias bias);

/* Appends copies of pages [source, source + n pages) to destination. False if out of pages. */
bool list_write(struct list_writer *w, uint64_t source, uint64_t destination, size_t n);

/* Closes the list and returns its head; 0 if the pages did not suffice. */
uint64_t list_writer_end(struct list_writer *w);

#endif /* KIMAGE_LIST_H */
