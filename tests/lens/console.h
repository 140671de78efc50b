/* SPDX-License-Identifier: MIT */
/* What the guest prints, byte by byte to its PL011, as the place where the clock starts and stops:
 * for programs whose addresses nobody knows. */
#ifndef LENS_CONSOLE_H
#define LENS_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Is a text waited for? */
bool console_is_watched(void);

/* A callback: a store. */
void console_store(unsigned int cpu, uint32_t info, uint64_t va, void *unused);

#endif /* LENS_CONSOLE_H */
