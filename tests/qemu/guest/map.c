/* SPDX-License-Identifier: MIT */
#include "guest.h"

#include <arm64/descriptor.h>
#include <arm64/sysreg.h>

#define VA_BITS	      39 /* the root is then level 1: a block is 1 GiB */
#define BLOCK_SHIFT   30
#define BLOCKS	      512
#define FIRST_RAM     1 /* below it "virt" has flash and devices */
#define PARANGE_40BIT 2 /* the least of the CPUs that QEMU offers */
#define SCTLR_ON      (SCTLR_M | SCTLR_C | SCTLR_I)

static uint64_t root[BLOCKS] __attribute__((aligned(4096)));

struct map map_build(unsigned int el, bool e2h)
{
	bool one_privilege = el == 2 && !e2h;
	uint64_t ap = one_privilege ? DESC_AP_EL0 : 0;
	uint64_t normal = DESC_ATTRINDX(MAIR_INDEX_NORMAL) | DESC_SH_INNER;
	uint64_t device = DESC_ATTRINDX(MAIR_INDEX_DEVICE);
	uint64_t tcr = TCR_T0SZ(VA_BITS) | TCR_IRGN0_WBWA | TCR_ORGN0_WBWA | TCR_SH0_INNER;

	for (uint64_t i = 0; i < BLOCKS; i++)
		root[i] = i << BLOCK_SHIFT | DESC_IS_BLOCK | DESC_AF | ap |
			  (i < FIRST_RAM ? device : normal);
	tcr |= one_privilege ? TCR_EL2_PS(PARANGE_40BIT) | TCR_EL2_RES1
			     : TCR_IPS(PARANGE_40BIT) | TCR_EPD1 | TCR_TG1_4K | TCR_T1SZ(VA_BITS);
	return (struct map){
		.mair = MAIR_VALUE,
		.tcr = tcr,
		.ttbr = (uint64_t)root,
		.sctlr = (el == 2 ? SCTLR_EL2_RES1 : SCTLR_EL1_RES1) | SCTLR_ON,
	};
}
