/* SPDX-License-Identifier: MIT */
/* An exclusive access with the MMU off. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	twin	mmu_on
	ldxr	x2, [x0]
	ret	x19
