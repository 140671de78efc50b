/* SPDX-License-Identifier: MIT */
/* What asm/crash.S is told, in registers, so that it can tell. */
#ifndef ENGINE_CRASH_H
#define ENGINE_CRASH_H

#include <arm64/sysreg.h>
#include <stdbool.h>

#include "entry.h"

/* Replaces the bits of mask in the crash word. */
static inline void crash_word_set(uint64_t mask, uint64_t value)
{
	sysreg_write(tpidrro_el0, (sysreg_read(tpidrro_el0) & ~mask) | value);
}

static inline uint64_t crash_word(void)
{
	return sysreg_read(tpidrro_el0);
}

/* The step that is being taken. */
enum step {
#define STEP_ENUM(name, text) STEP_##name,
	ENTRY_STEPS(STEP_ENUM)
#undef STEP_ENUM
};

static inline void crash_set_step(enum step step)
{
	crash_word_set(BIT(CRASH_STEP_BITS) - 1, step);
}

/* What a crash shall do in the end (enum on_error), and how PSCI is called where it exists. */
static inline void crash_set_action(unsigned int action, bool psci, bool hvc)
{
	crash_word_set(FIELD(BIT(CRASH_ACTION_BITS) - 1, CRASH_ACTION_SHIFT) | BIT(CRASH_PSCI_BIT) |
			       BIT(CRASH_HVC_BIT),
		       FIELD(action, CRASH_ACTION_SHIFT) | FIELD(psci, CRASH_PSCI_BIT) |
			       FIELD(hvc, CRASH_HVC_BIT));
}

/* The run that is being moved. */
static inline void crash_set_run(uint64_t run)
{
	sysreg_write(tpidr_el1, run);
}

/* The end: as kexpress.onerror says, else halted. */
void crash_end(void) __attribute__((noreturn));

#endif /* ENGINE_CRASH_H */
