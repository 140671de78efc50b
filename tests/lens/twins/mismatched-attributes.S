/* SPDX-License-Identifier: MIT */
/* Use a line through two mappings, with nothing done between. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	ldr	x2, [x0]
	twin	dc civac, x0
	twin	dsb sy
	mov	x3, #TO_UNCACHED
	ldr	x2, [x0, x3]
	ret	x19
