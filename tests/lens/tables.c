// SPDX-License-Identifier: MIT
#include "tables.h"

#include <stdbool.h>
#include <stdlib.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1u << PAGE_SHIFT)
#define PAGES	   4096u  /* table pages that are remembered; a later one may push one out */
#define ENTRIES	   65536u /* entries, likewise */
#define LEAF_LEVEL 3

/* Descriptor fields, Arm ARM D8.3. */
#define DESC_VALID    (1ull << 0)
#define DESC_TABLE    (1ull << 1)
#define DESC_AP	      (3ull << 6)
#define DESC_AF	      (1ull << 10)
#define DESC_NG	      (1ull << 11)
#define DESC_ADDRESS  (((1ull << 48) - 1) & ~(uint64_t)(PAGE_SIZE - 1))
#define DESC_GP_DBM   (3ull << 50)
#define DESC_PXN_UXN  (3ull << 53)
#define DESC_SOFTWARE (0xfull << 55)
#define DESC_UPPER    (0x1full << 59) /* hierarchical permissions, PBHA or ignored */
#define LEAF_MAY_CHANGE \
	(DESC_AP | DESC_AF | DESC_GP_DBM | DESC_PXN_UXN | DESC_SOFTWARE | DESC_UPPER)
#define TABLE_MUST_STAND (DESC_ADDRESS | DESC_TABLE)

struct page {
	uint64_t number;
	unsigned int level; /* of its entries, plus 1; 0: no page */
	uint64_t flushes;   /* of the TLBs, when it was last walked */
};

struct entry {
	uint64_t pa;
	uint64_t walked; /* what the walker read; 0: no entry */
	uint64_t flushes;
	bool broken;
};

struct tables {
	uint64_t flushes;
	struct barriers_step last_tlbi;
	struct page pages[PAGES];
	struct entry entries[ENTRIES];
};

struct tables *tables_new(void)
{
	return calloc(1, sizeof(struct tables));
}

void tables_free(struct tables *tables)
{
	free(tables);
}

static struct page *page_of(struct tables *tables, uint64_t pa)
{
	return &tables->pages[(pa >> PAGE_SHIFT) % PAGES];
}

static struct entry *entry_of(struct tables *tables, uint64_t pa)
{
	return &tables->entries[pa / sizeof(uint64_t) % ENTRIES];
}

static bool is_table(uint64_t descriptor, unsigned int level)
{
	return level < LEAF_LEVEL && descriptor & DESC_TABLE;
}

void tables_walk(struct tables *tables, const struct event_walk *walk)
{
	*page_of(tables, walk->pa) =
		(struct page){walk->pa >> PAGE_SHIFT, walk->level + 1, tables->flushes};
	if (walk->descriptor & DESC_VALID)
		*entry_of(tables, walk->pa) = (struct entry){
			.pa = walk->pa, .walked = walk->descriptor, .flushes = tables->flushes};
}

void tables_tlbi(struct tables *tables, const struct event_op *op, uint64_t now)
{
	tables->flushes++;
	tables->last_tlbi = (struct barriers_step){op->cpu, now, true};
}

/* May a TLB hold both at once? */
static bool needs_break(uint64_t old, uint64_t new, unsigned int level)
{
	uint64_t changed = old ^ new;

	if (is_table(old, level))
		return changed & TABLE_MUST_STAND;
	if (new &DESC_NG) /* a global entry becoming less so finds no other */
		changed &= ~DESC_NG;
	return changed & ~LEAF_MAY_CHANGE;
}

/* Is the old entry gone from the TLBs? */
static bool is_flushed(const struct tables *tables, const struct entry *entry,
		       const struct barriers *barriers, unsigned int cpu)
{
	return entry->flushes != tables->flushes &&
	       barriers_completed(barriers, cpu, tables->last_tlbi);
}

static bool changes_live_entry(struct tables *tables, const struct tables_store *store,
			       const struct barriers *barriers, unsigned int level)
{
	struct entry *entry = entry_of(tables, store->pa);
	uint64_t old = entry->walked;

	if (!old || entry->pa != store->pa)
		return false;
	/* One that a TLBI has followed and that was not walked since counts only if it was broken:
	 * its page may be something else by now. */
	if (is_flushed(tables, entry, barriers, store->cpu) ||
	    (entry->flushes != tables->flushes && !entry->broken)) {
		entry->walked = 0;
		return false;
	}
	if (!(store->descriptor & DESC_VALID)) {
		entry->broken = true;
		return false;
	}
	*entry = (struct entry){
		.pa = store->pa, .walked = store->descriptor, .flushes = tables->flushes};
	return needs_break(old, store->descriptor, level);
}

/* A line of the table that the same CPU stored to without a barrier since; NULL: none. */
static const struct line *unordered_line(const struct lines *lines, const struct barriers *barriers,
					 unsigned int cpu, uint64_t table)
{
	for (uint64_t pa = table; pa < table + PAGE_SIZE; pa += LINE_SIZE) {
		const struct line *line = lines_known(lines, pa);

		if (line && line->written && !line->maintained && line->cpu == cpu &&
		    !barriers_ordered(barriers, (struct barriers_step){cpu, line->time, false}))
			return line;
	}
	return NULL;
}

/* Is it a link to another table from one that is in use? One that a TLBI has followed may have
 * become something else. */
static bool is_link(const struct tables *tables, const struct page *page, uint64_t descriptor)
{
	return page->flushes == tables->flushes && descriptor & DESC_VALID &&
	       is_table(descriptor, page->level - 1) &&
	       (descriptor & DESC_ADDRESS) >> PAGE_SHIFT != page->number;
}

struct tables_verdict tables_store(struct tables *tables, const struct tables_store *store,
				   const struct lines *lines, const struct barriers *barriers)
{
	const struct page *page = page_of(tables, store->pa);
	const struct line *line = NULL;

	if (!page->level || page->number != store->pa >> PAGE_SHIFT)
		return (struct tables_verdict){0};
	if (changes_live_entry(tables, store, barriers, page->level - 1))
		return (struct tables_verdict){"live-entry-changed", 0};
	if (is_link(tables, page, store->descriptor))
		line = unordered_line(lines, barriers, store->cpu,
				      store->descriptor & DESC_ADDRESS);
	if (!line)
		return (struct tables_verdict){0};
	return (struct tables_verdict){"table-not-visible", lines_cause(line)};
}
