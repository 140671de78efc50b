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

/* One checked entry, or several: source entries whose pages follow each other are taken at once. */
struct list_entry {
	uint64_t address;     /* page address, flags removed */
	uint64_t length;      /* bytes from address on: a page, but for KX_LIST_SOURCE */
	uint64_t destination; /* for KX_LIST_SOURCE: where they go */
	unsigned int flag;    /* KX_LIST_*; 0: none, as the list is refused */
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

/* Whether the next entry is this one. */
static inline bool list_next_is(const struct list_reader *r, uint64_t entry)
{
	return r->next != r->stop && list_little_endian(*r->next) == entry;
}

/* Whether the next entry is a source, near the last one, as its destination is. So are the many. */
static inline bool list_next_is_near(const struct list_reader *r)
{
	uint64_t page;

	if (r->next == r->stop)
		return false;
	page = list_little_endian(*r->next) - KX_LIST_SOURCE;
	return page % KX_PAGE_SIZE == 0 && list_is_near(r->near_source, page) &&
	       list_is_near(r->near_destination, r->destination);
}

/* Takes such an entry, and those that go on where it ends. */
static inline struct list_entry list_next_near(struct list_reader *r)
{
	uint64_t source = list_little_endian(*r->next) - KX_LIST_SOURCE;
	uint64_t destination = r->destination, length = 0;

	do {
		r->next++;
		length += KX_PAGE_SIZE;
	} while (list_next_is(r, source + length + KX_LIST_SOURCE) &&
		 list_is_near(r->near_source, source + length) &&
		 list_is_near(r->near_destination, destination + length));
	r->destination += length;
	return (struct list_entry){source, length, destination, KX_LIST_SOURCE};
}

/* list_next for any entry. */
struct list_entry list_next_any(struct list_reader *r, struct kx_refusal *why);

/*
 * Reads on; KX_LIST_DONE is returned as an entry and is the last.
 * Errors: LIST_FLAG, LIST_RANGE, LIST_END, LIST_ORDER, SOURCE_RANGE, DEST_RANGE.
 * why->start is then the entry's own value, or the address it leads to.
 * A destination is checked where a source goes there: a destination entry without sources writes
 * nothing and may name any page.
 */
static inline struct list_entry list_next(struct list_reader *r, struct kx_refusal *why)
{
	return list_next_is_near(r) ? list_next_near(r) : list_next_any(r, why);
}

/*
 * Reads the whole list and merges it to runs, in list order, whatever its indirections do.
 * *count receives the number of runs.
 * Errors: those of list_next, and NO_ROOM if there are more than max.
 */
enum kx_error list_runs(uint64_t head, list_bias bias, const struct range_set *ram,
			struct run *runs, size_t max, size_t *count, struct kx_refusal *why);

/* A page for entries: where it is, and its address for who reads the list. */
struct list_page {
	uint64_t address;
	uint64_t *entries;
};

/*
 * Writes a list, for producers: list_writer_begin, then list_write in order, then list_writer_end,
 * whose result is the head. pages are count free pages; the writer uses them in turn. A run of n
 * pages takes n + 1 entries, or n where its destination follows that of the last one; a page holds
 * LIST_WRITER_ENTRIES of them.
 */
struct list_writer {
	const struct list_page *pages;
	size_t count;
	size_t used;
	unsigned int index;   /* next entry in pages[used - 1] */
	uint64_t destination; /* of the next source, once something was written */
	bool full;	      /* an entry found no page */
};

/* The last entry of each page is kept for the way to the next one, or for the end. */
#define LIST_WRITER_ENTRIES (KX_PAGE_SIZE / 8 - 1)

void list_writer_begin(struct list_writer *w, const struct list_page *pages, size_t count);

/* Appends copies of pages [source, source + n pages) to destination. False if out of pages. */
bool list_write(struct list_writer *w, uint64_t source, uint64_t destination, size_t n);

/* Closes the list and returns its head; 0 if the pages did not suffice. */
uint64_t list_writer_end(struct list_writer *w);

#endif /* KIMAGE_LIST_H */
