/* SPDX-License-Identifier: MIT */
/* Run with the MMU off what was cleaned to the point of unification only. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	w1, [x0]
	fault	dc cvau, x0
	twin	dc cvac, x0
	dsb	ish
	ic	ivau, x0
	dsb	ish
	isb
	mmu_off
	blr	x0
	ret	x19
