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

/* The geometry that this CPU maps physical addresses below end with; linear: beside an identity map
 * there is a linear one (src/engine/map.c). Returns false if it cannot. */
bool regime_geometry(uint64_t end, bool linear, struct xlat_geometry *g);

/* TCR for tables of this geometry; upper: TTBR1 has tables too, where there is one. */
uint64_t regime_tcr(struct xlat_geometry g, bool upper);

#endif /* ENGINE_REGIME_H */
