/* SPDX-License-Identifier: MIT */
/*
 * VMSAv8-64 stage 1 descriptors, all granules (Arm ARM DDI 0487, D8.3). For C and assembly.
 */
#ifndef ARM64_DESCRIPTOR_H
#define ARM64_DESCRIPTOR_H

#ifdef __ASSEMBLER__
#define DESC_FIELD(value, shift) ((value) << (shift))
#else
#include <stdint.h>
#define DESC_FIELD(value, shift) ((uint64_t)(value) << (shift))
#endif

/* Type: levels up to 2 tell table from block by bit 1; at level 3 a page has it set, and clear is
 * reserved. */
#define DESC_VALID    DESC_FIELD(1, 0)
#define DESC_TABLE    DESC_FIELD(1, 1)
#define DESC_IS_TABLE (DESC_VALID | DESC_TABLE)
#define DESC_IS_BLOCK DESC_VALID
#define DESC_IS_PAGE  (DESC_VALID | DESC_TABLE)

/* Lower attributes of blocks and pages. */
#define DESC_ATTRINDX(n) DESC_FIELD(n, 2) /* index into MAIR_ELx */
#define DESC_AP_EL0	 DESC_FIELD(1, 6) /* AP[1]: EL0 may access; RES1 with one privilege level */
#define DESC_AP_RO	 DESC_FIELD(1, 7) /* AP[2]: read-only */
#define DESC_SH_MASK	 DESC_FIELD(3, 8)
#define DESC_SH_OUTER	 DESC_FIELD(2, 8)
#define DESC_SH_INNER	 DESC_FIELD(3, 8)
#define DESC_AF		 DESC_FIELD(1, 10) /* access flag; clear: the first access faults */
#define DESC_NG		 DESC_FIELD(1, 11) /* not global: TLB entries belong to an ASID */

/* Upper attributes. With one privilege level (EL2 without E2H, EL3) bit 54 is XN and 53 is RES0. */
#define DESC_PXN DESC_FIELD(1, 53)
#define DESC_UXN DESC_FIELD(1, 54)
#define DESC_XN	 DESC_UXN

/*
 * Output address of a page, a block or the next table; a block's lowest bits are 0. Wider addresses
 * put their bits above into lower places: with the 64K granule and FEAT_LPA 51:48, which are
 * reserved without; with FEAT_LPA2's descriptors (TCR.DS) 51:50, whose place was shareability's,
 * which TCR then has for all.
 */
#define DESC_OA_48	   DESC_FIELD(0xfffffffff, 12)
#define DESC_OA_64K	   DESC_FIELD(0xffffffff, 16)
#define DESC_OA_64K_HIGH   DESC_FIELD(0xf, 12)
#define DESC_OA_64K_SHIFT  (48 - 12) /* from there to where they belong */
#define DESC_OA_LPA2	   DESC_FIELD(0x3fffffffff, 12)
#define DESC_OA_LPA2_HIGH  DESC_FIELD(3, 8)
#define DESC_OA_LPA2_SHIFT (50 - 8)

/* Memory types, as indices of MAIR, and MAIR itself. */
#define MAIR_INDEX_NORMAL 0 /* write-back, read- and write-allocate */
#define MAIR_INDEX_DEVICE 1 /* Device-nGnRE */
#define MAIR_VALUE	  0x04ff

#endif /* ARM64_DESCRIPTOR_H */
