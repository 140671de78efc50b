/* SPDX-License-Identifier: MIT */
#include "features.h"

#include <arm64/sysreg.h>

static uint64_t read_register(enum feature_register id)
{
	switch (id) {
	case FEATURE_PFR0:
		return sysreg_read(id_aa64pfr0_el1);
	case FEATURE_PFR1:
		return sysreg_read(id_aa64pfr1_el1);
	case FEATURE_PFR2:
		return sysreg_read(ID_AA64PFR2_EL1);
	case FEATURE_ISAR1:
		return sysreg_read(id_aa64isar1_el1);
	case FEATURE_ISAR2:
		return sysreg_read(ID_AA64ISAR2_EL1);
	case FEATURE_MMFR0:
		return sysreg_read(id_aa64mmfr0_el1);
	case FEATURE_MMFR1:
		return sysreg_read(id_aa64mmfr1_el1);
	case FEATURE_MMFR3:
		return sysreg_read(ID_AA64MMFR3_EL1);
	case FEATURE_SMFR0:
		return sysreg_read(ID_AA64SMFR0_EL1);
	case FEATURE_DFR0:
		return sysreg_read(id_aa64dfr0_el1);
	}
	return 0;
}

uint64_t feature_field(enum feature_register id, unsigned int shift)
{
	return read_register(id) >> shift & 0xf;
}

bool feature_has(const struct feature_wish *wish)
{
	return feature_field(wish->id, wish->shift) >= wish->minimum;
}
