/* SPDX-License-Identifier: MIT */
/*
 * What the CPU has, by its ID registers, and what an exception level must therefore let the lower
 * ones use. Runs with the MMU off too.
 */
#ifndef ENGINE_FEATURES_H
#define ENGINE_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

enum feature_register {
	FEATURE_PFR0,
	FEATURE_PFR1,
	FEATURE_PFR2,
	FEATURE_ISAR1,
	FEATURE_ISAR2,
	FEATURE_MMFR0,
	FEATURE_MMFR1,
	FEATURE_MMFR3,
	FEATURE_SMFR0,
	FEATURE_DFR0,
};

/* Bits of a control register that a feature wants set: the field at shift of an ID register being
 * at least minimum. */
struct feature_wish {
	uint8_t id; /* enum feature_register */
	uint8_t shift;
	uint8_t minimum;
	uint8_t control; /* number that the table's user gives the control register */
	uint64_t bits;
};

/* The four bits at shift. */
uint64_t feature_field(enum feature_register id, unsigned int shift);

bool feature_has(const struct feature_wish *wish);

#endif /* ENGINE_FEATURES_H */
