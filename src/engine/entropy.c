/* SPDX-License-Identifier: MIT */
#include "entropy.h"

#include <arm64/sysreg.h>
#include <string.h>

/* Arm ARM, RNDR: PSTATE.Z is set where no number could be had in reasonable time. */
static bool rndr_read(uint64_t *value)
{
	uint64_t failed;

	__asm__ volatile("mrs %0, " SYSREG_NAME(RNDR) ";"
						      "cset %1, eq"
			 : "=r"(*value), "=r"(failed)
			 :
			 : "cc");
	return !failed;
}

bool entropy_read(uint8_t *bytes, size_t size)
{
	if (!ID_AA64ISAR0_RNDR(sysreg_read(id_aa64isar0_el1)))
		return false;
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t value;

		if (!rndr_read(&value))
			return false;
		memcpy(bytes + i, &value, sizeof(value));
	}
	return true;
}
