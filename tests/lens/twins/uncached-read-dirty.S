/* SPDX-License-Identifier: MIT */
/* Read past the caches what is still in them. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	x1, [x0]
	twin	dc cvac, x0
	twin	dsb sy
	mmu_off
	ldr	x2, [x0]
	ret	x19
