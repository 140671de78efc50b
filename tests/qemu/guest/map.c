/* SPDX-License-Identifier: MIT */
#include <arm64/descriptor.h>
#include <arm64/sysreg.h>
#include <board.h>

#include "guest.h"

#define VA_BITS	     48
#define ENTRIES	     512 /* of a table */
#define ROOT_SHIFT   39
#define LARGE_SHIFT  30 /* a block of the second level, */
#define SMALL_SHIFT  21 /* and of the third */
#define PARANGE_MASK 0xf
#define PARANGE_48   5

static uint64_t root[ENTRIES] __attribute__((aligned(4096)));
static uint64_t low[ENTRIES] __attribute__((aligned(4096)));   /* from 0 on */
static uint64_t near[ENTRIES] __attribute__((aligned(4096)));  /* what we lie in, if above */
static uint64_t mixed[ENTRIES] __attribute__((aligned(4096))); /* memory and the console */

static void fill(uint64_t *table, uint64_t start, unsigned int shift, uint64_t attributes)
{
	for (uint64_t i = 0; i < ENTRIES; i++)
		table[i] = (start + (i << shift)) | DESC_IS_BLOCK | DESC_AF | attributes;
}

static void link_table(uint64_t *entry, const uint64_t *table)
{
	*entry = (uint64_t)table | DESC_IS_TABLE;
}

/* All of it is memory but for the console, which is all of the devices that we use. */
static void build(uint64_t ap)
{
	uint64_t normal = ap | DESC_ATTRINDX(MAIR_INDEX_NORMAL) | DESC_SH_INNER;
	uint64_t device = ap | DESC_ATTRINDX(MAIR_INDEX_DEVICE);
	uint64_t console = BOARD_EARLY_CONSOLE, here = (uint64_t)_head >> ROOT_SHIFT;
	uint64_t around = console >> LARGE_SHIFT << LARGE_SHIFT;
	uint64_t *entry = &mixed[(console - around) >> SMALL_SHIFT];

	fill(mixed, around, SMALL_SHIFT, normal);
	*entry = console >> SMALL_SHIFT << SMALL_SHIFT | DESC_IS_BLOCK | DESC_AF | device;
	fill(low, 0, LARGE_SHIFT, normal);
	link_table(&low[console >> LARGE_SHIFT], mixed);
	fill(near, here << ROOT_SHIFT, LARGE_SHIFT, normal);
	link_table(&root[here], near);
	link_table(&root[0], low);
}

struct map map_build(unsigned int el, bool e2h)
{
	bool one_privilege = el == 2 && !e2h;
	uint64_t range = sysreg_read(id_aa64mmfr0_el1) & PARANGE_MASK;
	uint64_t tcr = TCR_T0SZ(VA_BITS) | TCR_IRGN0_WBWA | TCR_ORGN0_WBWA | TCR_SH0_INNER;

	build(one_privilege ? DESC_AP_EL0 : 0);
	if (range > PARANGE_48)
		range = PARANGE_48;
	tcr |= one_privilege ? TCR_EL2_PS(range) | TCR_EL2_RES1
			     : TCR_IPS(range) | TCR_EPD1 | TCR_TG1_4K | TCR_T1SZ(VA_BITS);
	return (struct map){
		.mair = MAIR_VALUE,
		.tcr = tcr,
		.ttbr = (uint64_t)root,
		.sctlr = (el == 2 ? SCTLR_EL2_RES1 : SCTLR_EL1_RES1) | SCTLR_M | SCTLR_C | SCTLR_I,
	};
}
