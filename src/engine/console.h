/* SPDX-License-Identifier: MIT */
/*
 * Text for people: lines on a console that somebody else has set up. Which one is kept in the crash
 * word, so that the crash dump and C always use the same.
 */
#ifndef ENGINE_CONSOLE_H
#define ENGINE_CONSOLE_H

#include "../payload/fdt_console.h"
#include "../place/range.h"
#include "crash.h"

/* Inline as code that runs with the MMU off calls it. */
static inline struct console console_now(void)
{
	uint64_t word = crash_word();

	return (struct console){
		.base = (word & CRASH_PAGE_MASK) + (word >> CRASH_OFFSET_SHIFT) * CONSOLE_ALIGN,
		.model = word >> CRASH_MODEL_SHIFT & (BIT(CRASH_MODEL_BITS) - 1),
	};
}

/* Moves to a console whose registers are mapped as Device. */
void console_set(const struct console *console);
/* What of its registers is to be mapped, in whole granules of size bytes; empty where it has none.
 */
static inline struct range console_registers(const struct console *console, uint64_t size)
{
	uint64_t start = console->base & ~(size - 1);

	return (struct range){start, console->base ? start + size : start};
}

/* A line "kexpress: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* ENGINE_CONSOLE_H */
