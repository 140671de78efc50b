/* SPDX-License-Identifier: MIT */
/*
 * The clock: what each event costs on the machine of a profile. Picoseconds, in integers, from the
 * profile and the events alone: the same on every run and host.
 *
 * A core has a clock of its own. Instructions add their issue time. A load that misses is started,
 * not waited for: its line arrives later, and only who needs it waits: a load whose address was
 * loaded, a store of what was loaded on an in-order core, a barrier; or a miss when all line
 * buffers are in use. So streams run at lines in flight / latency, and pointer chases at latency.
 * A stream prefetcher keeps stream_lines ahead of a sequential reader. Stores that fill whole lines
 * in a row are not read first. All that goes to memory shares dram_gbs, in slices of a microsecond:
 * a slice that is full pushes what comes to the next one. Device accesses (all, with the MMU off)
 * are round trips one after the other.
 */
#ifndef LENS_TIME_H
#define LENS_TIME_H

#include <stdint.h>

#include "event.h"
#include "profile.h"

enum { TIME_LINE = 64 };

struct time_model;

/* What the events were, for the log. */
struct time_counts {
	uint64_t instructions;
	uint64_t loads[TYPE_WRITEBACK + 1];
	uint64_t stores[TYPE_WRITEBACK + 1];
	uint64_t ops[OP_PRFM + 1];
	uint64_t l1_misses;
	uint64_t dram_reads;
	uint64_t dram_writes;
	uint64_t streamed; /* lines written whole without being read first */
	uint64_t walks;
};

/* NULL where memory is short. */
struct time_model *time_new(const struct profile *profile, unsigned int cores);
void time_free(struct time_model *model);

void time_instructions(struct time_model *model, unsigned int cpu, unsigned int count);
void time_access(struct time_model *model, const struct event_access *access);
void time_op(struct time_model *model, const struct event_op *op);

uint64_t time_now_ps(const struct time_model *model, unsigned int cpu);

/* A core that slept wakes up; never backwards. */
void time_wake(struct time_model *model, unsigned int cpu, uint64_t ps);

/* A PSCI call; and when a CPU executes that is started by the one whose call this is. */
void time_psci(struct time_model *model, unsigned int cpu);
uint64_t time_start_ps(const struct time_model *model, unsigned int cpu);

const struct time_counts *time_counts(const struct time_model *model, unsigned int cpu);

#endif /* LENS_TIME_H */
