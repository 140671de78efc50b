/* SPDX-License-Identifier: MIT */
/* Maintain what is no memory. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	mmu_on
	fault	mov x0, #UART
	dc	civac, x0
	dsb	sy
	ret	x19
