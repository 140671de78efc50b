/* SPDX-License-Identifier: MIT */
/* Maintain one core's cache by set and way. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	str	x1, [x0]
	fault	dc cisw, xzr
	twin	dc civac, x0
	dsb	sy
	ret	x19
