/* SPDX-License-Identifier: MIT */
/* Give a live entry another address with no break before it. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	adr	x2, root
	ldr	x3, =ALIAS
	ldr	x4, [x3]
	twin	str xzr, [x2, #ALIAS >> 30 << 3]
	twin	dsb ishst
	twin	tlbi vmalle1
	twin	dsb nsh
	mov	x5, #DESC_DEVICE
	str	x5, [x2, #ALIAS >> 30 << 3]
	dsb	ishst
	isb
	ret	x19
