/* SPDX-License-Identifier: MIT */
/*
 * Live translation tables: what the walker has read, and which stores may not change it so.
 *
 * The rules are those of Arm ARM D8.16 (break-before-make), as far as they follow from what was
 * walked: an entry counts as held in a TLB from a walk of it until the next TLBI of any kind, so
 * nothing is reported that a narrower TLBI would have excused.
 */
#ifndef LENS_TABLES_H
#define LENS_TABLES_H

#include "barriers.h"
#include "event.h"
#include "lines.h"

#include <stdint.h>

struct tables;

struct tables *tables_new(void);
void tables_free(struct tables *tables);

void tables_walk(struct tables *tables, const struct event_walk *walk);
void tables_tlbi(struct tables *tables, const struct event_op *op, uint64_t now);

struct tables_store {
	unsigned int cpu;
	uint64_t pa; /* of a descriptor's place */
	uint64_t descriptor;
};

struct tables_verdict {
	const char *name; /* of the finding; NULL: none */
	uint64_t cause;	  /* PC of the store that was to be visible first */
};

struct tables_verdict tables_store(struct tables *tables, const struct tables_store *store,
				   const struct lines *lines, const struct barriers *barriers);

#endif /* LENS_TABLES_H */
