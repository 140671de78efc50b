/* SPDX-License-Identifier: MIT */
/*
 * Text for people: lines on a PL011 that somebody else has set up. The address is kept in the crash
 * word, so that the crash dump and C always use the same console.
 */
#ifndef ENGINE_CONSOLE_H
#define ENGINE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#define CONSOLE_SIZE 4096ull /* bytes of registers to map */

/* Moves to the console at base, page-aligned, which is mapped as Device. */
void console_set(uint64_t base);
uint64_t console_base(void);

/* A line "kexpress: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* ENGINE_CONSOLE_H */
