/* SPDX-License-Identifier: MIT */
/*
 * Text for people: lines on a PL011 that somebody else has set up. The address is kept in the crash
 * word, so that the crash dump and C always use the same console.
 */
#ifndef ENGINE_CONSOLE_H
#define ENGINE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "entry.h"

#define CONSOLE_SIZE 4096ull

/* Moves to the console at base, page-aligned, which is mapped as Device. */
void console_set(uint64_t base);
uint64_t console_base(void);

/* A line "kexpress: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes the step that is being taken, for the crash dump. */
enum step {
#define STEP_ENUM(name, text) STEP_##name,
	ENTRY_STEPS(STEP_ENUM)
#undef STEP_ENUM
};
void crash_step(enum step step);

/* Notes what a crash shall do in the end, and how PSCI is called where it exists. */
void crash_action(unsigned int action, bool psci, bool hvc);

/* The end: as kexpress.onerror says, else halted. Turns nothing off. */
void crash_end(void) __attribute__((noreturn));

#endif /* ENGINE_CONSOLE_H */
