/* SPDX-License-Identifier: MIT */
/*
 * What each CPU's barriers have completed and ordered. Time is a counter that advances with each
 * barrier and each invalidation of a whole instruction cache; a step carries the time it was made
 * at, and a barrier that comes later has a greater one.
 */
#ifndef LENS_BARRIERS_H
#define LENS_BARRIERS_H

#include "event.h"

#include <stdbool.h>
#include <stdint.h>

#define BARRIERS_MAX_CPUS 16

/* What a CPU made: a store, or an operation that only a DSB of loads and stores completes. */
struct barriers_step {
	unsigned int cpu;
	uint64_t time;
	bool maintenance;
};

enum barriers_state {
	BARRIERS_DONE,
	BARRIERS_NOT_ISSUED,
	BARRIERS_INCOMPLETE, /* no DSB */
	BARRIERS_NO_ISB,
};

struct barriers_clock {
	uint64_t local;	 /* last DSB, of any domain */
	uint64_t shared; /* last DSB of the inner shareable domain or more */
};

/* An invalidation of a whole instruction cache, and what had been completed before it. */
struct barriers_icache {
	unsigned int by;
	uint64_t time;
	struct barriers_clock all[BARRIERS_MAX_CPUS];
	struct barriers_clock stores[BARRIERS_MAX_CPUS];
};

struct barriers_cpu {
	struct barriers_clock all;
	struct barriers_clock stores;
	uint64_t ordered;    /* last barrier between stores and stores */
	uint64_t synced_all; /* last DSB of each that an ISB has followed */
	uint64_t synced_stores;
	uint64_t isb; /* last ISB */
	struct barriers_icache latest;
	struct barriers_icache settled; /* last one that was completed and synchronised */
};

struct barriers {
	unsigned int cpus;
	uint64_t now;
	struct barriers_cpu cpu[BARRIERS_MAX_CPUS];
};

void barriers_dsb(struct barriers *barriers, const struct event_op *op);
void barriers_dmb(struct barriers *barriers, const struct event_op *op);
void barriers_isb(struct barriers *barriers, unsigned int cpu);
void barriers_ic_all(struct barriers *barriers, unsigned int cpu, bool broadcast);

/* Has a DSB of the step's CPU completed it for the observer? */
bool barriers_completed(const struct barriers *barriers, unsigned int observer,
			struct barriers_step step);

/* The same, and may the observer execute what depends on it? Other CPUs than the one that made
 * the step are taken to synchronise themselves. */
enum barriers_state barriers_executable(const struct barriers *barriers, unsigned int observer,
					struct barriers_step step);

/* Has the observer's instruction cache been invalidated since the step was completed? */
enum barriers_state barriers_icache_state(const struct barriers *barriers, unsigned int observer,
					  struct barriers_step step);

/* Has the step's CPU synchronised its context since? */
bool barriers_synchronised(const struct barriers *barriers, struct barriers_step step);

/* Are later stores of the step's CPU, which is a store, seen after it? */
bool barriers_ordered(const struct barriers *barriers, struct barriers_step step);

#endif /* LENS_BARRIERS_H */
