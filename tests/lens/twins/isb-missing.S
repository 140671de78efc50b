/* SPDX-License-Identifier: MIT */
/* Run fresh code that the core may have fetched already. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	w1, [x0]
	dc	cvau, x0
	dsb	ish
	ic	ivau, x0
	dsb	ish
	twin	isb
	blr	x0
	ret	x19
