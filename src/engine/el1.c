/* SPDX-License-Identifier: MIT */
/*
 * The list of Linux Documentation/arch/arm64/booting.rst, "If the kernel is entered at EL1", as far
 * as EL2 decides it. docs/handover.md shows it as a table.
 */
#include "el1.h"

#include <arm64/sysreg.h>
#include <stddef.h>

#include "features.h"
#include "regime.h"

enum control { HCR, HCRX, HFGRTR, HFGITR, ZCR, SMCR, CONTROLS };

/* In HFGRTR, bits count for reads and writes alike. */
static const struct feature_wish wishes[] = {
	{FEATURE_ISAR1, 4, 1, HCR, HCR_APK | HCR_API},	/* APA: pointer authentication, QARMA5 */
	{FEATURE_ISAR1, 8, 1, HCR, HCR_APK | HCR_API},	/* API */
	{FEATURE_ISAR1, 24, 1, HCR, HCR_APK | HCR_API}, /* GPA */
	{FEATURE_ISAR1, 28, 1, HCR, HCR_APK | HCR_API}, /* GPI */
	{FEATURE_ISAR2, 8, 1, HCR, HCR_APK | HCR_API},	/* GPA3: QARMA3 */
	{FEATURE_ISAR2, 12, 1, HCR, HCR_APK | HCR_API}, /* APA3 */
	{FEATURE_PFR1, 8, 2, HCR, HCR_ATA},		/* MTE */
	{FEATURE_PFR0, 32, 1, ZCR, VECTOR_LENGTH_MAX},	/* SVE */
	{FEATURE_PFR1, 24, 1, SMCR, VECTOR_LENGTH_MAX}, /* SME */
	{FEATURE_PFR1, 24, 2, SMCR, SMCR_EZT0},		/* SME2 */
	{FEATURE_SMFR0, 63, 1, SMCR, SMCR_FA64},	/* SME_FA64 */
	{FEATURE_PFR1, 24, 1, HFGRTR, HFG_NSMPRI_EL1 | HFG_NTPIDR2_EL0},
	{FEATURE_MMFR3, 8, 1, HFGRTR, HFG_NPIRE0_EL1 | HFG_NPIR_EL1},	  /* S1PIE */
	{FEATURE_MMFR3, 16, 1, HFGRTR, HFG_NPOR_EL0 | HFG_NPOR_EL1},	  /* S1POE */
	{FEATURE_MMFR3, 24, 1, HFGRTR, HFG_NMAIR2_EL1 | HFG_NAMAIR2_EL1}, /* AIE */
	{FEATURE_PFR1, 44, 1, HFGRTR, HFG_NGCS_EL0 | HFG_NGCS_EL1},	  /* GCS */
	{FEATURE_PFR1, 44, 1, HFGITR, HFGI_NGCS},
	{FEATURE_PFR1, 44, 1, HCRX, HCRX_GCSEN},
	{FEATURE_PFR1, 48, 1, HFGRTR, HFG_NRCWMASK_EL1},      /* THE */
	{FEATURE_ISAR2, 16, 1, HCRX, HCRX_MSCEN | HCRX_MCE2}, /* MOPS */
	{FEATURE_MMFR3, 0, 1, HCRX, HCRX_TCR2EN},
	{FEATURE_MMFR3, 4, 1, HCRX, HCRX_SCTLR2EN},
	{FEATURE_PFR2, 32, 1, HCRX, HCRX_ENFPM},  /* FPMR */
	{FEATURE_ISAR1, 60, 1, HCRX, HCRX_ENALS}, /* LS64 */
};

struct el1_state {
	uint64_t control[CONTROLS];
	bool e2h;
};

static struct el1_state read_state(void)
{
	struct el1_state s = {.e2h = regime_is_e2h()};

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (feature_has(&wishes[i]))
			s.control[wishes[i].control] |= wishes[i].bits;
	return s;
}

/* No trap of FP, SIMD, SVE or SME. The two layouts of the register have nothing in common. */
static uint64_t cptr_value(const struct el1_state *s)
{
	bool sve = s->control[ZCR], sme = s->control[SMCR];

	if (s->e2h)
		return CPACR_FPEN | (sve ? CPACR_ZEN : 0) | (sme ? CPACR_SMEN : 0);
	return CPTR_EL2_RES1 & ~((sve ? CPTR_EL2_TZ : 0) | (sme ? CPTR_EL2_TSM : 0));
}

static void set_vector_lengths(const struct el1_state *s)
{
	sysreg_write(cptr_el2, cptr_value(s));
	barrier_isb(); /* ZCR and SMCR are themselves trapped by what CPTR held before */
	if (s->control[ZCR])
		sysreg_write(ZCR_EL2, s->control[ZCR]);
	if (s->control[SMCR])
		sysreg_write(SMCR_EL2, s->control[SMCR]);
}

static void set_fine_traps(const struct el1_state *s)
{
	if (feature_field(FEATURE_MMFR0, ID_AA64MMFR0_FGT_SHIFT)) {
		sysreg_write(HFGRTR_EL2, s->control[HFGRTR]);
		sysreg_write(HFGWTR_EL2, s->control[HFGRTR]);
		sysreg_write(HFGITR_EL2, s->control[HFGITR]);
		sysreg_write(HDFGRTR_EL2, 0);
		sysreg_write(HDFGWTR_EL2, 0);
		if (feature_field(FEATURE_PFR0, ID_AA64PFR0_AMU_SHIFT))
			sysreg_write(HAFGRTR_EL2, 0);
	}
	if (feature_field(FEATURE_MMFR1, ID_AA64MMFR1_HCX_SHIFT))
		sysreg_write(HCRX_EL2, s->control[HCRX]);
}

static void set_gic(void)
{
	if (!feature_field(FEATURE_PFR0, ID_AA64PFR0_GIC_SHIFT))
		return;
	sysreg_write(ICC_SRE_EL2, ICC_SRE_SRE | ICC_SRE_ENABLE);
	barrier_isb();
	/* Where memory-mapped access is fixed, SRE stays 0 and ICH_HCR_EL2 does not exist. */
	if (sysreg_read(ICC_SRE_EL2) & ICC_SRE_SRE)
		sysreg_write(ICH_HCR_EL2, 0);
}

static void set_timer(const struct el1_state *s)
{
	sysreg_write(cnthctl_el2, CNTHCTL_EL1PCTEN(s->e2h) | CNTHCTL_EL1PCEN(s->e2h));
	sysreg_write(cntvoff_el2, 0);
}

/* EL1 sees this CPU as it is, without second stage of translation; all event counters are its. */
static void set_identity(const struct el1_state *s)
{
	uint64_t pmu = feature_field(FEATURE_DFR0, ID_AA64DFR0_PMU_SHIFT);
	bool has_pmu = pmu && pmu != ID_AA64DFR0_PMU_OTHER;

	sysreg_write(hcr_el2, HCR_RW | (s->e2h ? BIT(HCR_E2H_BIT) : 0) | s->control[HCR]);
	sysreg_write(hstr_el2, 0);
	sysreg_write(vttbr_el2, 0);
	sysreg_write(vpidr_el2, sysreg_read(midr_el1));
	sysreg_write(vmpidr_el2, sysreg_read(mpidr_el1));
	sysreg_write(mdcr_el2, has_pmu ? PMCR_N(sysreg_read(pmcr_el0)) : 0);
}

/* With E2H the _EL1 names are EL2's; EL1's own SCTLR then has the name SCTLR_EL12. */
static void set_el1_sctlr(const struct el1_state *s)
{
	if (s->e2h)
		sysreg_write(SCTLR_EL12, SCTLR_EL1_RES1);
	else
		sysreg_write(sctlr_el1, SCTLR_EL1_RES1);
}

void el1_prepare(void)
{
	const struct el1_state s = read_state();

	set_timer(&s);
	set_vector_lengths(&s);
	set_fine_traps(&s);
	set_gic();
	set_identity(&s);
	set_el1_sctlr(&s);
	barrier_isb();
}
