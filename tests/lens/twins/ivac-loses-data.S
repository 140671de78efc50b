/* SPDX-License-Identifier: MIT */
/* Invalidate what was to be kept. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	x1, [x0]
	fault	dc ivac, x0
	twin	dc civac, x0
	dsb	sy
	ldr	x2, [x0]
	ret	x19
