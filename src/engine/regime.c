/* SPDX-License-Identifier: MIT */
/* Runs with the MMU off too (boot_map.c). */
#include "regime.h"

#include <arm64/sysreg.h>

bool regime_is_e2h(void)
{
	return current_el() == 2 && (sysreg_read(hcr_el2) >> HCR_E2H_BIT & 1);
}

enum xlat_regime regime_xlat(void)
{
	return current_el() == 1 || regime_is_e2h() ? XLAT_EL1 : XLAT_EL2;
}

bool regime_geometry(uint64_t end, bool linear, struct xlat_geometry *g)
{
	return geometry_choose(sysreg_read(id_aa64mmfr0_el1), sysreg_read(ID_AA64MMFR2_EL1), end,
			       linear && regime_xlat() == XLAT_EL2, g);
}

/* TCR's encoding of a size of physical addresses. */
static uint64_t physical_range(unsigned int pa_bits)
{
	static const uint8_t bits[] = {32, 36, 40, 42, 44, 48, 52};
	uint64_t range = 0;

	while (bits[range] != pa_bits)
		range++;
	return range;
}

static uint64_t granule_bits(struct xlat_geometry g, bool both)
{
	switch (g.page_shift) {
	case 12:
		return TCR_TG0_4K | (both ? TCR_TG1_4K : 0);
	case 14:
		return TCR_TG0_16K | (both ? TCR_TG1_16K : 0);
	default:
		return TCR_TG0_64K | (both ? TCR_TG1_64K : 0);
	}
}

uint64_t regime_tcr(struct xlat_geometry g, bool upper)
{
	bool both = regime_xlat() == XLAT_EL1;
	uint64_t tcr = TCR_T0SZ(g.va_bits) | TCR_IRGN0_WBWA | TCR_ORGN0_WBWA | TCR_SH0_INNER |
		       granule_bits(g, both);
	uint64_t range = physical_range(g.pa_bits);

	if (!both)
		return tcr | TCR_EL2_PS(range) | TCR_EL2_RES1 | FIELD(g.lpa2, TCR_EL2_DS_BIT);
	tcr |= TCR_T1SZ(g.va_bits) | TCR_IRGN1_WBWA | TCR_ORGN1_WBWA | TCR_SH1_INNER;
	return tcr | TCR_IPS(range) | FIELD(g.lpa2, TCR_DS_BIT) | (upper ? 0 : TCR_EPD1);
}
