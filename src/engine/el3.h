/* SPDX-License-Identifier: MIT */
/*
 * Entered at EL3 there is no firmware but us: what it would set up for the levels below. Runs with
 * the MMU off, before all else.
 */
#ifndef ENGINE_EL3_H
#define ENGINE_EL3_H

#include <stdint.h>

/* Returns what SPSR_EL3 has to be to leave EL3: for EL2 where there is one, else for EL1. */
uint64_t el3_prepare(void);

/* The board's interrupt controller: all interrupts belong to the non-secure world. */
void gic_make_non_secure(void);

#endif /* ENGINE_EL3_H */
