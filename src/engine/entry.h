/* SPDX-License-Identifier: MIT */
/*
 * What asm/head.S notes on entry, before anything is changed, and what the crash dump needs to
 * know; both shared with assembly.
 */
#ifndef ENGINE_ENTRY_H
#define ENGINE_ENTRY_H

#include "../payload/console_model.h"

/* Offsets in struct entry_state. */
#define ENTRY_ARGUMENT	   0
#define ENTRY_COUNTER	   8
#define ENTRY_SCTLR	   16
#define ENTRY_EL	   24
#define ENTRY_VBAR	   32
#define ENTRY_SP	   40
#define ENTRY_CALLEE_SAVED 48 /* x19 to x30 */
#define ENTRY_SIZE	   144

/*
 * x1 where kexpress starts a copy of itself; x2 is then the entry_state of the first one. The boot
 * protocol has x1 = 0, and no other caller has a reason to pass this.
 */
#define ENTRY_MOVED_MAGIC 0x6b782d6d6f766564 /* "devom-xk" */

/*
 * The crash word, kept in TPIDRRO_EL0, where a handler finds it without memory: the console, by the
 * page of its registers, where they begin in it and its model, and in the low bits the step and
 * what to do in the end. TPIDR_EL1 holds the number of the run being moved. TPIDR_EL0 holds the
 * address of a secondary core's struct landing_core.
 */
#define CRASH_STEP_BITS	    4
#define CRASH_ACTION_SHIFT  4
#define CRASH_ACTION_BITS   2
#define CRASH_HVC_BIT	    6
#define CRASH_PSCI_BIT	    7
#define CRASH_NESTED_BIT    8  /* a crash is being told: the next one is not */
#define CRASH_MUTE_BIT	    9  /* the console did not take a character in time: no more are tried */
#define CRASH_SECONDARY_BIT 10 /* not the boot core: it ends alone, in the landing page */
#define CRASH_PAGE_MASK	    0xffffffffff000
#define CRASH_MODEL_SHIFT   52
#define CRASH_MODEL_BITS    6
#define CRASH_OFFSET_SHIFT  58
#define CRASH_OFFSET_BITS   6
#define CRASH_OFFSET_UNIT   6 /* log2 of CONSOLE_ALIGN */

/* The bits of a console. */
#define CRASH_CONSOLE(base, model)                                       \
	(((base)&CRASH_PAGE_MASK) |                                      \
	 ((base) % CONSOLE_PAGE / CONSOLE_ALIGN) << CRASH_OFFSET_SHIFT | \
	 (model) << CRASH_MODEL_SHIFT)

/* TPIDR_EL1 while start.c takes an SError that was pending on entry. */
#define SERROR_EXPECTED (~0)

/* The steps of the boot (docs/boot.md), X(NAME, "name"); names of at most 15 characters. */
#define ENTRY_STEPS(X)          \
	X(ENTER, "enter")       \
	X(DISCOVER, "discover") \
	X(OPEN, "open")         \
	X(PLAN, "plan")         \
	X(MAP, "map")           \
	X(MOVE, "move")         \
	X(SETTLE, "settle")     \
	X(HAND_OVER, "hand over")

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct entry_state {
	uint64_t argument; /* x0 */
	uint64_t counter;  /* CNTVCT_EL0 */
	uint64_t sctlr;
	uint64_t el;
	uint64_t vbar;
	uint64_t sp;
	uint64_t callee_saved[12];
};

_Static_assert(offsetof(struct entry_state, callee_saved) == ENTRY_CALLEE_SAVED, "entry.h");
_Static_assert(sizeof(struct entry_state) == ENTRY_SIZE, "entry.h");
#endif

#endif /* ENGINE_ENTRY_H */
