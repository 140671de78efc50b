/* SPDX-License-Identifier: MIT */
/* Read from the caches what was changed past them. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	ldr	x2, [x0]
	mmu_off
	str	x1, [x0]
	twin	dmb sy
	twin	dc ivac, x0
	twin	dsb sy
	mmu_on
	ldr	x2, [x0]
	ret	x19
