/* SPDX-License-Identifier: MIT */
/*
 * What real caches could do to the guest: for each line of RAM the states that they might be in,
 * and a finding where the guest relies on one that they need not be in.
 *
 * Speculation: a line that was read or written through a cacheable mapping may be in a cache from
 * then on. An invalidation through a cacheable mapping takes it out only for the moment, because
 * the mapping lets it come back; one with the MMU off, or through an uncached mapping, takes it
 * out for good. Lines that were mapped but never touched are taken as not cached: that way nothing
 * is reported that the architecture allows.
 *
 * The caller serialises all calls. Accesses are told after they were made, operations before.
 */
#ifndef LENS_COHERENCY_H
#define LENS_COHERENCY_H

#include "event.h"
#include "report.h"

#include <stdint.h>

struct coherency;

struct coherency_options {
	uint64_t ram_base;
	uint64_t ram_size;
	const void *ram; /* ram_size bytes; holds what the guest stored */
	unsigned int cpus;
	uint64_t ctr; /* CTR_EL0 */
};

/* NULL where memory is short or there are too many CPUs. */
struct coherency *coherency_new(const struct coherency_options *options, struct report *report);
void coherency_free(struct coherency *coherency);

void coherency_access(struct coherency *coherency, const struct event_access *access);
void coherency_op(struct coherency *coherency, const struct event_op *op);

/* Each descriptor that a walk for the guest's TLB read; walks that hit the TLB read none. */
void coherency_walk(struct coherency *coherency, const struct event_walk *walk);

/* A CPU's state, whenever it has changed. */
void coherency_state(struct coherency *coherency, unsigned int cpu,
		     const struct event_state *state);

/* Lines of a range that are not what they should be for somebody who reads and runs it past the
 * caches; of each, how many, the first one's address and the PC of what left it so. */
struct coherency_fault {
	uint64_t lines;
	uint64_t pa;
	uint64_t cause;
};

struct coherency_range {
	struct coherency_fault dirty;	   /* not cleaned to PoC */
	struct coherency_fault incomplete; /* cleaned, but no DSB since */
	struct coherency_fault lost;	   /* dirty data thrown away by DC IVAC */
	struct coherency_fault stale;	   /* the instruction side of cpu may hold older contents */
};

void coherency_range(struct coherency *coherency, unsigned int cpu, uint64_t pa, uint64_t size,
		     struct coherency_range *range);

#endif /* LENS_COHERENCY_H */
