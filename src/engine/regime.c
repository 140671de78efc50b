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

/* The CPU's physical address size; above 48 bits descriptors would need FEAT_LPA2's layout. */
static uint64_t physical_range(void)
{
	uint64_t range = ID_AA64MMFR0_PARANGE(sysreg_read(id_aa64mmfr0_el1));

	return range < PARANGE_48BIT ? range : PARANGE_48BIT;
}

unsigned int regime_pa_bits(void)
{
	static const unsigned char bits[] = {32, 36, 40, 42, 44, 48};

	return bits[physical_range()];
}

uint64_t regime_tcr(enum xlat_va_bits va_bits, bool upper)
{
	uint64_t tcr =
		TCR_T0SZ(va_bits) | TCR_IRGN0_WBWA | TCR_ORGN0_WBWA | TCR_SH0_INNER | TCR_TG0_4K;

	if (regime_xlat() == XLAT_EL2)
		return tcr | TCR_EL2_PS(physical_range()) | TCR_EL2_RES1;
	tcr |= TCR_T1SZ(va_bits) | TCR_IRGN1_WBWA | TCR_ORGN1_WBWA | TCR_SH1_INNER | TCR_TG1_4K;
	return tcr | TCR_IPS(physical_range()) | (upper ? 0 : TCR_EPD1);
}
