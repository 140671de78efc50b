/* SPDX-License-Identifier: MIT */
/*
 * The translation regime we run in: EL1, EL2 with E2H (registers as at EL1, two address ranges) or
 * EL2 without (one range, its own TCR).
 */
#ifndef ENGINE_REGIME_H
#define ENGINE_REGIME_H

#include <stdbool.h>
#include <stdint.h>

#include "../xlat/xlat.h"

/* Whether we are at EL2 with HCR_EL2.E2H set. */
bool regime_is_e2h(void);

/* The descriptor layout that our regime's tables have. */
enum xlat_regime regime_xlat(void);

/* Width of the physical addresses that we can map: the CPU's, at most 48. */
unsigned int regime_pa_bits(void);

/* TCR for tables of this geometry; upper: TTBR1 has tables too, where there is one. */
uint64_t regime_tcr(enum xlat_va_bits va_bits, bool upper);

#endif /* ENGINE_REGIME_H */
