/* SPDX-License-Identifier: MIT */
/*
 * Translation as the guest's own registers and tables say: VMSAv8-64 stage 1, all granules, 52-bit
 * addresses. Stage 2 is not looked at: lens does not run hypervisors' guests.
 */
#ifndef LENS_WALK_H
#define LENS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* Guest RAM as the host sees it. */
struct walk_ram {
	const uint8_t *map;
	uint64_t base;
	uint64_t size;
};

struct walk_result {
	uint64_t pa;
	enum event_type type;
	uint8_t page_shift;
	bool inner_shareable;
	bool fault;
};

/* The descriptors that a walk read, from the root down. */
enum { WALK_STEPS = 5 };

struct walk_trace {
	unsigned int count;
	enum event_type type; /* of the walker's accesses */
	struct {
		uint64_t pa;
		uint64_t descriptor;
		unsigned int level;
	} steps[WALK_STEPS];
};

bool walk_is_ram(const struct walk_ram *ram, uint64_t pa);
bool walk_mmu_on(const struct event_state *state);

struct walk_result walk(const struct event_state *state, const struct walk_ram *ram, uint64_t va,
			enum event_kind kind, struct walk_trace *trace);

/* A cache of walks, one for each CPU. It forgets at walk_tlb_flush() only, as TLBs may; the trace
 * of a hit is empty. */
enum { WALK_TLB_ENTRIES = 4096 };

struct walk_tlb {
	struct {
		uint64_t page; /* of the VA, and whether it is for fetches */
		uint64_t context;
		struct walk_result result;
	} entries[WALK_TLB_ENTRIES];
	uint64_t registers; /* hash of those in the state: a switch back finds its entries again */
	uint64_t flushes;
	uint64_t context; /* of both; never 0 */
};

void walk_tlb_flush(struct walk_tlb *tlb);
void walk_tlb_context(struct walk_tlb *tlb, const struct event_state *state);
struct walk_result walk_cached(struct walk_tlb *tlb, const struct event_state *state,
			       const struct walk_ram *ram, uint64_t va, enum event_kind kind,
			       struct walk_trace *trace);

#endif /* LENS_WALK_H */
