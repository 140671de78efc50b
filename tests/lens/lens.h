/* SPDX-License-Identifier: MIT */
/*
 * What the plugin's files share: lens.c sets it up and says where QEMU calls, watch.c is called
 * while the guest runs.
 */
#ifndef LENS_LENS_H
#define LENS_LENS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "coherency.h"
#include "decode.h"
#include "event.h"
#include "options.h"
#include "registers.h"
#include "report.h"
#include "time.h"
#include "walk.h"

/* What callbacks are given; kept for good. The PC is where code was translated; QEMU uses a
 * translation again wherever the same physical page is mapped. */
struct site {
	uint64_t pc;
	struct insn insn;
};

struct block {
	uint64_t pc;
	uint64_t pa;
	uint32_t instructions;
	bool in_range;
};

enum { LENS_LEVELS = 4 };

struct core {
	struct registers registers;
	struct event_state state;
	uint64_t vectors[LENS_LEVELS]; /* PA, by EL; UINT64_MAX: not seen yet */
	struct walk_tlb *tlb;
	const struct site *site; /* whose access is under way, and which way it goes */
	bool site_stores;
	uint32_t call; /* PSCI function under way; 0: none */
	bool on;
	bool running; /* on, and not asleep */
};

/* Of each CPU, for QEMU's own code to look at and to set. */
struct flags {
	uint64_t stale; /* the state must be read again */
};

struct lens {
	struct options options;
	struct walk_ram ram;
	struct time_model *model;
	struct report *report;
	struct coherency *coherency; /* NULL: not asked for */
	FILE *record;
	struct core *cores;
	unsigned int core_count;
	unsigned int running;
	bool modelling;
	bool instrumented;    /* translations have callbacks for more than the steps */
	uint64_t unexplained; /* accesses that our walk does not translate as QEMU does */
	struct plugin_scoreboard *scoreboard;
};

extern struct lens lens;

/* Of all of it, where there is more than one CPU: callbacks run on the CPUs' threads. */
void lens_enter(void);
void lens_leave(void);

/* Between the two: lets the others in until there is a signal; 0, or ETIMEDOUT. */
int lens_sleep(pthread_cond_t *signal, const struct timespec *until);

/* Instruments all code again, for what is watched from now on. */
void lens_instrument(void);

struct flags *lens_flags(unsigned int cpu);
uint64_t lens_latest_ps(void);

#endif /* LENS_LENS_H */
