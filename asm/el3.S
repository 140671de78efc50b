/* SPDX-License-Identifier: MIT */
/*
 * Entered at EL3: sets up what firmware would, and goes on at EL2, or EL1 where there is no EL2, as
 * if that had been entered. In assembly because there is no stack, and because of the ERET.
 */
#include <arm64/asm.h>

#include "own_memory.inc"

/*
 * leave_el3(x0..x3 = as entered; kept). MMU and caches may be on, as in enter.
 */
function leave_el3, .text.early
	mov	x20, x0
	mov	x21, x1
	mov	x22, x2
	mov	x23, x3
	own_memory_to_poc x11, x12, x9, x10

	mov_q	x9, SCTLR_EL3_RES1
	msr	sctlr_el3, x9
	ic	iallu
	dsb	nsh
	isb

	adr_l	x9, vectors
	msr	vbar_el3, x9
	adr_l	x9, console_early
	ldr	x9, [x9]
	msr	tpidrro_el0, x9
	msr	tpidr_el1, xzr
	msr	spsel, #1
	adr_l	x9, _stack_end
	mov	sp, x9
	bl	el3_prepare

	msr	spsr_el3, x0
	adr_l	x9, _head
	msr	elr_el3, x9
	mov	x0, x20
	mov	x1, x21
	mov	x2, x22
	mov	x3, x23
	dsb	sy
	eret
function_end leave_el3
