/* SPDX-License-Identifier: MIT */
/* Zero a line with the MMU off: an alignment fault, but not in QEMU. */
#include "guest.inc"

/* x0: a line of data; x1: the instruction RET */
program:
	mov	x19, x30
	twin	mmu_on
	dc	zva, x0
	ret	x19
