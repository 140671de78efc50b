/* SPDX-License-Identifier: MIT */
/* Read past the caches before the clean is complete. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	x1, [x0]
	dc	cvac, x0
	fault	dmb sy
	twin	dsb sy
	mmu_off
	ldr	x2, [x0]
	ret	x19
