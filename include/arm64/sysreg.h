/* SPDX-License-Identifier: MIT */
/*
 * System register fields (Arm ARM DDI 0487, D24) by name, for C and assembly, and their access from
 * C. Only what kexpress uses.
 */
#ifndef ARM64_SYSREG_H
#define ARM64_SYSREG_H

#ifdef __ASSEMBLER__
#define BIT(n)	    (1 << (n))
#define FIELD(v, n) ((v) << (n))
#else
#include <stdint.h>
#define BIT(n)	    (1ull << (n))
#define FIELD(v, n) ((uint64_t)(v) << (n))
#endif

#define CURRENTEL_EL_SHIFT 2

#define DAIF_ALL FIELD(0xf, 6)

#define MPIDR_AFFINITY 0xff00ffffff /* what tells CPUs apart */

/* SCTLR_EL1 and, but for what E2H=0 makes RES1, SCTLR_EL2. */
#define SCTLR_M	  BIT(0)  /* MMU on */
#define SCTLR_C	  BIT(2)  /* data accesses may be cached */
#define SCTLR_SA  BIT(3)  /* SP must be 16-byte aligned */
#define SCTLR_I	  BIT(12) /* instruction fetches may be cached */
#define SCTLR_WXN BIT(19) /* what is writable is never executed */
/* RES1 in Armv8.0; later features gave these bits meanings, whose 1 is the Armv8.0 behaviour. */
#define SCTLR_EL1_RES1 (BIT(11) | BIT(20) | BIT(22) | BIT(23) | BIT(28) | BIT(29))
#define SCTLR_EL2_RES1 \
	(BIT(4) | BIT(5) | BIT(11) | BIT(16) | BIT(18) | BIT(22) | BIT(23) | BIT(28) | BIT(29))
#define SCTLR_EL3_RES1 SCTLR_EL2_RES1

/* TCR_EL1 and TCR_EL2 with E2H=1. */
#define TCR_T0SZ(va_bits) FIELD(64 - (va_bits), 0)
#define TCR_BITS_MIN	  25 /* of a virtual address: the largest T0SZ is 39 */
#define TCR_IRGN0_WBWA	  FIELD(1, 8)
#define TCR_ORGN0_WBWA	  FIELD(1, 10)
#define TCR_SH0_INNER	  FIELD(3, 12)
#define TCR_TG0_4K	  FIELD(0, 14) /* TG0 and TG1 count granules differently */
#define TCR_TG0_64K	  FIELD(1, 14)
#define TCR_TG0_16K	  FIELD(2, 14)
#define TCR_T1SZ(va_bits) FIELD(64 - (va_bits), 16)
#define TCR_EPD1	  BIT(23) /* no walks through TTBR1 */
#define TCR_IRGN1_WBWA	  FIELD(1, 24)
#define TCR_ORGN1_WBWA	  FIELD(1, 26)
#define TCR_SH1_INNER	  FIELD(3, 28)
#define TCR_TG1_16K	  FIELD(1, 30)
#define TCR_TG1_4K	  FIELD(2, 30)
#define TCR_TG1_64K	  FIELD(3, 30)
#define TCR_IPS(range)	  FIELD(range, 32)
#define TCR_DS_BIT	  59 /* FEAT_LPA2's descriptors */
/* TCR_EL2 with E2H=0: the same TTBR0 fields, another place for the address size. */
#define TCR_EL2_PS(range) FIELD(range, 16)
#define TCR_EL2_RES1	  (BIT(23) | BIT(31))
#define TCR_EL2_DS_BIT	  32

/* Bits 51:48 of the root's address, where addresses are so wide, stand in bits 5:2. */
#define TTBR_BADDR(pa) (((pa) & (BIT(48) - 1)) | ((pa) >> 48) << 2)

#define ID_AA64MMFR0_PARANGE(v)	  ((v)&0xf)
#define ID_FIELD_NEGATIVE	  8 /* from here on a signed field says "not implemented" */
#define ID_AA64MMFR0_TGRAN16(v)	  (((v) >> 20) & 0xf) /* 0: not implemented */
#define TGRAN16_LPA2		  2
#define ID_AA64MMFR0_TGRAN64(v)	  (((v) >> 24) & 0xf) /* signed */
#define ID_AA64MMFR0_TGRAN4(v)	  (((v) >> 28) & 0xf) /* signed */
#define TGRAN4_LPA2		  1
#define ID_AA64MMFR2_VARANGE(v)	  (((v) >> 16) & 0xf) /* 1: 52 bits with the 64K granule */
#define ID_AA64MMFR0_FGT_SHIFT	  56
#define ID_AA64MMFR1_HCX_SHIFT	  40
#define ID_AA64MMFR3_TCRX_SHIFT	  0
#define ID_AA64MMFR3_SCTLRX_SHIFT 4
#define ID_AA64ISAR0_SHA2(v)	  (((v) >> 12) & 0xf)
#define ID_AA64ISAR0_CRC32(v)	  (((v) >> 16) & 0xf)
#define ID_AA64ISAR0_RNDR(v)	  (((v) >> 60) & 0xf)
#define ID_AA64PFR0_GIC_SHIFT	  24 /* GIC system registers */
#define ID_AA64PFR0_AMU_SHIFT	  44
#define ID_AA64DFR0_PMU_SHIFT	  8
#define ID_AA64DFR0_PMU_OTHER	  0xf /* not the architected one */

#define HCR_E2H_BIT 34
#define HCR_AMO	    BIT(5)  /* SErrors come to EL2 */
#define HCR_RW	    BIT(31) /* EL1 is AArch64 */
#define HCR_APK	    BIT(40) /* pointer authentication keys not trapped */
#define HCR_API	    BIT(41) /* nor its instructions */
#define HCR_ATA	    BIT(56) /* memory tags not trapped */

/* SCR_EL3. Two-word names: what is not trapped. */
#define SCR_NS	      BIT(0)
#define SCR_SMD	      BIT(7)  /* SMC is undefined */
#define SCR_HCE	      BIT(8)  /* HVC is defined */
#define SCR_RW	      BIT(10) /* the next lower level is AArch64 */
#define SCR_APK	      BIT(16)
#define SCR_API	      BIT(17)
#define SCR_ATA	      BIT(26)
#define SCR_FGTEN     BIT(27)
#define SCR_ECVEN     BIT(28)
#define SCR_ENAS0     BIT(36)
#define SCR_HXEN      BIT(38)
#define SCR_GCSEN     BIT(39)
#define SCR_ENTP2     BIT(41)
#define SCR_RCWMASKEN BIT(42)
#define SCR_TCR2EN    BIT(43)
#define SCR_SCTLR2EN  BIT(44)
#define SCR_PIEN      BIT(45)
#define SCR_AIEN      BIT(46)
#define SCR_ENFPM     BIT(50)

/* CPTR_EL3: 1 means not trapped. */
#define CPTR_EL3_EZ  BIT(8)
#define CPTR_EL3_ESM BIT(12)

/* MDCR_EL3: buffers belong to the non-secure world, and are not trapped. */
#define MDCR_NSPB  FIELD(3, 12) /* statistical profiling */
#define MDCR_NSTB  FIELD(3, 24) /* trace */
#define MDCR_SBRBE FIELD(3, 32) /* branch records */

#define HCRX_ENALS    BIT(1)  /* 64-byte loads and stores */
#define HCRX_MCE2     BIT(10) /* EL1 takes its own memory copy exceptions */
#define HCRX_MSCEN    BIT(11) /* memory copy and set instructions */
#define HCRX_TCR2EN   BIT(14)
#define HCRX_SCTLR2EN BIT(15)
#define HCRX_GCSEN    BIT(22) /* guarded control stacks */
#define HCRX_ENFPM    BIT(23) /* FPMR */

/* HFGRTR_EL2 and HFGWTR_EL2: 1 means not trapped. */
#define HFG_NGCS_EL0	 BIT(52)
#define HFG_NGCS_EL1	 BIT(53)
#define HFG_NSMPRI_EL1	 BIT(54)
#define HFG_NTPIDR2_EL0	 BIT(55)
#define HFG_NRCWMASK_EL1 BIT(56)
#define HFG_NPIRE0_EL1	 BIT(57)
#define HFG_NPIR_EL1	 BIT(58)
#define HFG_NPOR_EL0	 BIT(59)
#define HFG_NPOR_EL1	 BIT(60)
#define HFG_NMAIR2_EL1	 BIT(62)
#define HFG_NAMAIR2_EL1	 BIT(63)
#define HFGI_NGCS	 FIELD(7, 57) /* HFGITR_EL2: push, store and exception instructions */

#define ICC_SRE_SRE    BIT(0)
#define ICC_SRE_DFB    BIT(1)
#define ICC_SRE_DIB    BIT(2)
#define ICC_SRE_ENABLE BIT(3)

#define VECTOR_LENGTH_MAX 0xf /* ZCR_EL2.LEN, SMCR_EL2.LEN */
#define SMCR_EZT0	  BIT(30)
#define SMCR_FA64	  BIT(31)

#define PMCR_N(v) (((v) >> 11) & 0x1f) /* number of event counters, as MDCR_EL2.HPMN wants it */

/* Registers whose names an Armv8.0 assembler lacks. */
#define ID_AA64ISAR2_EL1     s3_0_c0_c6_2
#define ID_AA64MMFR2_EL1     s3_0_c0_c7_2
#define ID_AA64ISAR2_MOPS(v) (((v) >> 16) & 0xf)
#define ID_AA64MMFR3_EL1     s3_0_c0_c7_3
#define ID_AA64SMFR0_EL1     s3_0_c0_c4_5
#define ZCR_EL2		     s3_4_c1_c2_0
#define SMCR_EL2	     s3_4_c1_c2_6
#define HCRX_EL2	     s3_4_c1_c2_2
#define HFGRTR_EL2	     s3_4_c1_c1_4
#define HFGWTR_EL2	     s3_4_c1_c1_5
#define HFGITR_EL2	     s3_4_c1_c1_6
#define HDFGRTR_EL2	     s3_4_c3_c1_4
#define HDFGWTR_EL2	     s3_4_c3_c1_5
#define ICC_SRE_EL3	     s3_6_c12_c12_5
#define ICC_PMR_EL1	     s3_0_c4_c6_0
#define ZCR_EL3		     s3_6_c1_c2_0
#define SMCR_EL3	     s3_6_c1_c2_6
#define CPUECTLR_EL1	     s3_1_c15_c2_1 /* of some Cortex-A cores */
#define ICC_SRE_EL2	     s3_4_c12_c9_5
#define ICH_HCR_EL2	     s3_4_c12_c11_0
#define SCTLR_EL12	     s3_5_c1_c0_0
#define TCR2_EL1	     s3_0_c2_c0_3
#define TCR2_EL2	     s3_4_c2_c0_3
#define SCTLR2_EL1	     s3_0_c1_c0_3
#define SCTLR2_EL2	     s3_4_c1_c0_3
#define HAFGRTR_EL2	     s3_4_c3_c1_6
#define ID_AA64PFR2_EL1	     s3_0_c0_c4_2
#define RNDR		     s3_3_c2_c4_0

#define CTR_DMINLINE_SHIFT 16 /* log2 of words in the smallest data cache line */
#define CTR_DMINLINE_MASK  0xf
#define CTR_LINE_MIN	   16 /* bytes: no cache has a shorter line */
#define CTR_DIC_BIT	   29 /* instruction caches need no maintenance */

#define DCZID_DZP_BIT 4	  /* DC ZVA prohibited */
#define DCZID_BS_MASK 0xf /* log2 of words in a block */

/* CPACR_EL1, and CPTR_EL2 with E2H=1: 3 means not trapped. */
#define CPACR_ZEN  FIELD(3, 16)
#define CPACR_FPEN FIELD(3, 20)
#define CPACR_SMEN FIELD(3, 24)
/* CPTR_EL2 with E2H=0: 1 means trapped. RES1 as in Armv8.0, where TZ and TSM are among them. */
#define CPTR_EL2_RES1 0x33ff
#define CPTR_EL2_TZ   BIT(8)
#define CPTR_EL2_TSM  BIT(12)

#define CNTHCTL_EL1PCTEN(e2h) BIT((e2h) ? 10 : 0) /* EL1 may read the physical counter */
#define CNTHCTL_EL1PCEN(e2h)  BIT((e2h) ? 11 : 1) /* and use the physical timer */

#define ISR_A_BIT 8 /* SError pending */

#define SPSR_EL1H 0x5
#define SPSR_EL2H 0x9

#ifndef __ASSEMBLER__

#define SYSREG_STRING(name) #name
#define SYSREG_NAME(name)   SYSREG_STRING(name)

#define sysreg_read(name)                                                      \
	({                                                                     \
		uint64_t value_;                                               \
		__asm__ volatile("mrs %0, " SYSREG_NAME(name) : "=r"(value_)); \
		value_;                                                        \
	})

#define sysreg_write(name, value) \
	__asm__ volatile("msr " SYSREG_NAME(name) ", %x0" : : "rZ"((uint64_t)(value)) : "memory")

static inline void barrier_isb(void)
{
	__asm__ volatile("isb" : : : "memory");
}

static inline void barrier_dsb_sy(void)
{
	__asm__ volatile("dsb sy" : : : "memory");
}

static inline unsigned int current_el(void)
{
	return (unsigned int)(sysreg_read(CurrentEL) >> CURRENTEL_EL_SHIFT);
}

/* Ordered after everything before it, so that a step's work is not counted into the next. */
static inline uint64_t counter_read(void)
{
	barrier_isb();
	return sysreg_read(cntvct_el0);
}
#endif

#endif /* ARM64_SYSREG_H */
