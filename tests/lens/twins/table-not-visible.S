/* SPDX-License-Identifier: MIT */
/* Link a table into a live one before its contents can be seen. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	adr	x2, root
	adr	x3, table
	ldr	x4, =(RAM + DESC_CACHED)
	str	x4, [x3]
	twin	dsb ishst
	orr	x3, x3, #DESC_TABLE
	str	x3, [x2, #EMPTY >> 30 << 3]
	dsb	ishst
	isb
	ldr	x5, =EMPTY
	ldr	x6, [x5]
	ret	x19
