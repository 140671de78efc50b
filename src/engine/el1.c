/* SPDX-License-Identifier: MIT */
/*
 * The list of Linux Documentation/arch/arm64/booting.rst, "If the kernel is entered at EL1", as far
 * as EL2 decides it. docs/handover.md shows it as a table.
 */
#include "el1.h"

#include <arm64/sysreg.h>

#include "regime.h"

struct features {
	bool e2h, pauth, mte, sve, sme, fa64, gic, fgt, hcx, mops, tcr2, sctlr2, pmu;
};

static struct features read_features(void)
{
	uint64_t pfr0 = sysreg_read(id_aa64pfr0_el1), pfr1 = sysreg_read(id_aa64pfr1_el1);
	uint64_t isar1 = sysreg_read(id_aa64isar1_el1), isar2 = sysreg_read(ID_AA64ISAR2_EL1);
	uint64_t mmfr3 = sysreg_read(ID_AA64MMFR3_EL1);
	uint64_t pmu = ID_AA64DFR0_PMU(sysreg_read(id_aa64dfr0_el1));

	return (struct features){
		.e2h = regime_is_e2h(),
		.pauth = isar1 & ID_AA64ISAR1_PAUTH || isar2 & ID_AA64ISAR2_PAUTH,
		.mte = ID_AA64PFR1_MTE(pfr1) >= 2,
		.sve = ID_AA64PFR0_SVE(pfr0),
		.sme = ID_AA64PFR1_SME(pfr1),
		.fa64 = sysreg_read(ID_AA64SMFR0_EL1) >> ID_AA64SMFR0_FA64_BIT & 1,
		.gic = ID_AA64PFR0_GIC(pfr0),
		.fgt = ID_AA64MMFR0_FGT(sysreg_read(id_aa64mmfr0_el1)),
		.hcx = ID_AA64MMFR1_HCX(sysreg_read(id_aa64mmfr1_el1)),
		.mops = ID_AA64ISAR2_MOPS(isar2),
		.tcr2 = ID_AA64MMFR3_TCRX(mmfr3),
		.sctlr2 = ID_AA64MMFR3_SCTLRX(mmfr3),
		.pmu = pmu && pmu != 0xf,
	};
}

/* No trap of FP, SIMD, SVE or SME. The two layouts of the register have nothing in common. */
static uint64_t cptr_value(const struct features *f)
{
	if (f->e2h)
		return CPACR_FPEN | (f->sve ? CPACR_ZEN : 0) | (f->sme ? CPACR_SMEN : 0);
	return CPTR_EL2_RES1 & ~((f->sve ? CPTR_EL2_TZ : 0) | (f->sme ? CPTR_EL2_TSM : 0));
}

static void set_vectors_lengths(const struct features *f)
{
	sysreg_write(cptr_el2, cptr_value(f));
	barrier_isb(); /* ZCR and SMCR are themselves trapped by what CPTR held before */
	if (f->sve)
		sysreg_write(ZCR_EL2, VECTOR_LENGTH_MAX);
	if (f->sme)
		sysreg_write(SMCR_EL2, VECTOR_LENGTH_MAX | (f->fa64 ? SMCR_FA64 : 0));
}

static void set_fine_traps(const struct features *f)
{
	uint64_t registers = f->sme ? HFG_NSMPRI_EL1 | HFG_NTPIDR2_EL0 : 0;

	if (f->fgt) {
		sysreg_write(HFGRTR_EL2, registers);
		sysreg_write(HFGWTR_EL2, registers);
		sysreg_write(HFGITR_EL2, 0);
		sysreg_write(HDFGRTR_EL2, 0);
		sysreg_write(HDFGWTR_EL2, 0);
	}
	if (f->hcx)
		sysreg_write(HCRX_EL2, (f->mops ? HCRX_MSCEN | HCRX_MCE2 : 0) |
					       (f->tcr2 ? HCRX_TCR2EN : 0) |
					       (f->sctlr2 ? HCRX_SCTLR2EN : 0));
}

static void set_gic(const struct features *f)
{
	if (!f->gic)
		return;
	sysreg_write(ICC_SRE_EL2, ICC_SRE_SRE | ICC_SRE_ENABLE);
	barrier_isb();
	sysreg_write(ICH_HCR_EL2, 0);
}

static void set_timer(const struct features *f)
{
	sysreg_write(cnthctl_el2, CNTHCTL_EL1PCTEN(f->e2h) | CNTHCTL_EL1PCEN(f->e2h));
	sysreg_write(cntvoff_el2, 0);
}

/* EL1 sees this CPU as it is, without second stage of translation. */
static void set_identity(const struct features *f)
{
	sysreg_write(hcr_el2, HCR_RW | (f->e2h ? BIT(HCR_E2H_BIT) : 0) |
				      (f->pauth ? HCR_APK | HCR_API : 0) | (f->mte ? HCR_ATA : 0));
	sysreg_write(hstr_el2, 0);
	sysreg_write(vttbr_el2, 0);
	sysreg_write(vpidr_el2, sysreg_read(midr_el1));
	sysreg_write(vmpidr_el2, sysreg_read(mpidr_el1));
	/* All event counters are EL1's. */
	sysreg_write(mdcr_el2, f->pmu ? PMCR_N(sysreg_read(pmcr_el0)) & MDCR_HPMN_MASK : 0);
}

/* With E2H the _EL1 names are EL2's; EL1's own SCTLR then has the name SCTLR_EL12. */
static void set_el1_sctlr(const struct features *f)
{
	if (f->e2h)
		sysreg_write(SCTLR_EL12, SCTLR_EL1_RES1);
	else
		sysreg_write(sctlr_el1, SCTLR_EL1_RES1);
}

void el1_prepare(void)
{
	const struct features f = read_features();

	set_timer(&f);
	set_vectors_lengths(&f);
	set_fine_traps(&f);
	set_gic(&f);
	set_identity(&f);
	set_el1_sctlr(&f);
	barrier_isb();
}
