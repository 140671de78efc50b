/* SPDX-License-Identifier: MIT */
/*
 * The list of Linux Documentation/arch/arm64/booting.rst as far as EL3 decides it; docs/handover.md
 * shows it as a table. Nobody stays at EL3: SMC is undefined from then on, and no exception is
 * routed there.
 */
#include "el3.h"

#include <arm64/sysreg.h>
#include <stddef.h>

#include "board_data.h"
#include "features.h"

#define PFR0_EL2_SHIFT 8
#define EL_AARCH64     1 /* the level exists */

#define MIDR_MODEL     0xff00fff0u /* implementer and part */
#define MIDR_ARM(part) (0x41000000u | (part) << 4)
#define CPUECTLR_SMPEN BIT(6)

enum control { SCR, CPTR, MDCR, ZCR, SMCR, CONTROLS };

static const struct feature_wish wishes[] = {
	{FEATURE_PFR0, PFR0_EL2_SHIFT, EL_AARCH64, SCR, SCR_HCE},
	{FEATURE_ISAR1, 4, 1, SCR, SCR_APK | SCR_API},	/* APA: pointer authentication, QARMA5 */
	{FEATURE_ISAR1, 8, 1, SCR, SCR_APK | SCR_API},	/* API */
	{FEATURE_ISAR1, 24, 1, SCR, SCR_APK | SCR_API}, /* GPA */
	{FEATURE_ISAR1, 28, 1, SCR, SCR_APK | SCR_API}, /* GPI */
	{FEATURE_ISAR2, 8, 1, SCR, SCR_APK | SCR_API},	/* GPA3: QARMA3 */
	{FEATURE_ISAR2, 12, 1, SCR, SCR_APK | SCR_API}, /* APA3 */
	{FEATURE_PFR1, 8, 2, SCR, SCR_ATA},		/* MTE */
	{FEATURE_MMFR0, ID_AA64MMFR0_FGT_SHIFT, 1, SCR, SCR_FGTEN},
	{FEATURE_MMFR0, 60, 2, SCR, SCR_ECVEN}, /* ECV with a physical offset */
	{FEATURE_MMFR1, ID_AA64MMFR1_HCX_SHIFT, 1, SCR, SCR_HXEN},
	{FEATURE_PFR1, 24, 1, SCR, SCR_ENTP2},	   /* SME */
	{FEATURE_PFR1, 44, 1, SCR, SCR_GCSEN},	   /* GCS */
	{FEATURE_PFR1, 48, 1, SCR, SCR_RCWMASKEN}, /* THE */
	{FEATURE_PFR2, 32, 1, SCR, SCR_ENFPM},	   /* FPMR */
	{FEATURE_ISAR1, 60, 2, SCR, SCR_ENAS0},	   /* LS64_V */
	{FEATURE_MMFR3, 0, 1, SCR, SCR_TCR2EN},
	{FEATURE_MMFR3, 4, 1, SCR, SCR_SCTLR2EN},
	{FEATURE_MMFR3, 8, 1, SCR, SCR_PIEN},  /* S1PIE */
	{FEATURE_MMFR3, 16, 1, SCR, SCR_PIEN}, /* S1POE */
	{FEATURE_MMFR3, 24, 1, SCR, SCR_AIEN}, /* AIE */
	{FEATURE_PFR0, 32, 1, CPTR, CPTR_EL3_EZ},
	{FEATURE_PFR0, 32, 1, ZCR, VECTOR_LENGTH_MAX}, /* SVE */
	{FEATURE_PFR1, 24, 1, CPTR, CPTR_EL3_ESM},
	{FEATURE_PFR1, 24, 1, SMCR, VECTOR_LENGTH_MAX}, /* SME */
	{FEATURE_PFR1, 24, 2, SMCR, SMCR_EZT0},		/* SME2 */
	{FEATURE_SMFR0, 63, 1, SMCR, SMCR_FA64},	/* SME_FA64 */
	{FEATURE_DFR0, 32, 1, MDCR, MDCR_NSPB},		/* SPE */
	{FEATURE_DFR0, 44, 1, MDCR, MDCR_NSTB},		/* TRBE */
	{FEATURE_DFR0, 52, 1, MDCR, MDCR_SBRBE},	/* BRBE */
};

/* Cores that are not coherent with others until this bit says so. */
static const uint32_t smpen_cores[] = {
	MIDR_ARM(0xd03), /* Cortex-A53 */
	MIDR_ARM(0xd04), /* Cortex-A35 */
	MIDR_ARM(0xd07), /* Cortex-A57 */
	MIDR_ARM(0xd08), /* Cortex-A72 */
	MIDR_ARM(0xd09), /* Cortex-A73 */
};

static void join_coherency(void)
{
	uint32_t model = (uint32_t)sysreg_read(midr_el1) & MIDR_MODEL;

	for (size_t i = 0; i < sizeof(smpen_cores) / sizeof(smpen_cores[0]); i++)
		if (model == smpen_cores[i])
			sysreg_write(CPUECTLR_EL1, sysreg_read(CPUECTLR_EL1) | CPUECTLR_SMPEN);
	barrier_isb();
}

static void set_traps(void)
{
	uint64_t control[CONTROLS] = {[SCR] = SCR_NS | SCR_RW | SCR_SMD};

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (feature_has(&wishes[i]))
			control[wishes[i].control] |= wishes[i].bits;
	sysreg_write(scr_el3, control[SCR]);
	sysreg_write(cptr_el3, control[CPTR]);
	sysreg_write(mdcr_el3, control[MDCR]);
	barrier_isb(); /* ZCR and SMCR are themselves trapped by what CPTR held before */
	if (control[ZCR])
		sysreg_write(ZCR_EL3, control[ZCR]);
	if (control[SMCR])
		sysreg_write(SMCR_EL3, control[SMCR]);
}

static void set_counter(void)
{
	if (!sysreg_read(cntfrq_el0))
		sysreg_write(cntfrq_el0, BOARD_CNTFRQ);
}

/* What a reset leaves unknown there, and we rely on before we have set it. */
static void set_lower_level(bool el2)
{
	sysreg_write(sctlr_el1, SCTLR_EL1_RES1);
	if (!el2)
		return;
	sysreg_write(sctlr_el2, SCTLR_EL2_RES1);
	sysreg_write(hcr_el2, HCR_RW);
	sysreg_write(cntvoff_el2, 0);
	sysreg_write(cnthctl_el2, CNTHCTL_EL1PCTEN(false) | CNTHCTL_EL1PCEN(false));
	sysreg_write(vttbr_el2, 0);
}

uint64_t el3_prepare(void)
{
	bool el2 = feature_field(FEATURE_PFR0, PFR0_EL2_SHIFT) >= EL_AARCH64;

	join_coherency();
	set_traps();
	set_counter();
	gic_make_non_secure();
	set_lower_level(el2);
	barrier_isb();
	return DAIF_ALL | (el2 ? SPSR_EL2H : SPSR_EL1H);
}
