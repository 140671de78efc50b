/* SPDX-License-Identifier: MIT */
/*
 * An arm64 Image that QEMU starts in place of kexpress, at EL1 or EL2, and that starts kexpress in
 * turn, in the state that its configuration asks for.
 */
#include <arm64/asm.h>

#include "../../../src/engine/landing.h"
#include "config.h"
#include "launch.h"

#define CNTHCTL_EL1_ALL 0x3	/* EL1 may use the physical counter and timer */

	.section .head, "ax", %progbits
	.global _head
_head:
	b	enter				// code0
	.word	0				// code1
	.quad	0				// text_offset
	.quad	_end - _head			// image_size
	.quad	0xa				// flags: little-endian, 4 KiB pages, anywhere
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	0				// no PE header

enter:	adr_l	x1, _stack_end
	mov	sp, x1
	adr_l	x1, _bss_start
	adr_l	x2, _bss_end
1:	stp	xzr, xzr, [x1], #16
	cmp	x1, x2
	b.lo	1b
	mrs	x1, CurrentEL
	lsr	x1, x1, #CURRENTEL_EL_SHIFT
	bl	caller_main

/*
 * launch(x0 = struct launch *): away by ERET, so that exception level and masks change at once.
 * Memory is not touched once SCTLR is written: it may be big-endian then.
 */
	mair	.req x2
	tcr	.req x3
	ttbr	.req x4
	sctlr	.req x5
	hcr	.req x6
	spsr	.req x7
	stage	.req x8
	argument .req x9
	garbage	.req x10

function launch
	dcache_line x1, x2			// the walker may have read our tables before
	adr_l	x2, _bss_start
	adr_l	x3, _end
	dcache_by_line civac, x2, x3, x1, x4
	dsb	sy
	ldp	mair, tcr, [x0, #LAUNCH_MAIR]
	ldp	ttbr, sctlr, [x0, #LAUNCH_TTBR]
	ldp	hcr, spsr, [x0, #LAUNCH_HCR]
	ldp	stage, argument, [x0, #LAUNCH_STAGE]
	ldp	garbage, x11, [x0, #LAUNCH_GARBAGE]	// x11: SP
	adr_l	x12, vectors
	and	x13, spsr, #0xf
	branch_at_el2 1f, x1
	msr	spsr_el1, spsr
	msr	elr_el1, stage
	mov	sp, x11
	b	2f
1:	msr	spsr_el2, spsr
	msr	elr_el2, stage
	mov	x1, #CNTHCTL_EL1_ALL
	msr	cnthctl_el2, x1
	msr	hcr_el2, hcr
	isb
	cmp	x13, #SPSR_EL1H
	b.ne	3f
	msr	sp_el1, x11

2:	msr	vbar_el1, x12
	msr	mair_el1, mair
	msr	tcr_el1, tcr
	msr	ttbr0_el1, ttbr
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	msr	sctlr_el1, sctlr
	b	4f

3:	mov	sp, x11
	msr	vbar_el2, x12
	msr	mair_el2, mair
	msr	tcr_el2, tcr
	msr	ttbr0_el2, ttbr
	isb
	tlbi	alle2
	dsb	nsh
	isb
	msr	sctlr_el2, sctlr
4:	isb
	mov	x0, argument
	.irp n, 19,20,21,22,23,24,25,26,27,28
	mov_q	x\n, (LAUNCH_PATTERN + \n)
	.endr
	cbz	garbage, 5f
	.irp n, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18
	add	x\n, garbage, #\n
	.endr
	eret
5:	.irp n, 1,2,3
	mov	x\n, xzr
	.endr
	eret
function_end launch

/* Another CPU, MMU off: as firmware does it. */
function spin
	mrs	x0, mpidr_el1
	and	x0, x0, #0xff
	mov_q	x1, CALLER_SPIN_TABLE
	add	x2, x1, x0, lsl #3
1:	wfe
	ldr	x0, [x2]
	cbz	x0, 1b
	ldr	x3, [x1, #CALLER_SPIN_LATE]
	cbz	x3, 3f
2:	ldr	x3, [x0, #LANDING_CLOSED]
	cbz	x3, 2b
3:	br	x0
function_end spin

/* returned(x0 = error): where a refused hand-off comes back to, with the MMU off. */
function returned
	adr_l	x1, preserved
	stp	x19, x20, [x1]
	stp	x21, x22, [x1, #16]
	stp	x23, x24, [x1, #32]
	stp	x25, x26, [x1, #48]
	stp	x27, x28, [x1, #64]
	mov	x2, sp
	branch_at_el2 1f, x3
	mrs	x3, vbar_el1
	b	2f
1:	mrs	x3, vbar_el2
2:	stp	x2, x3, [x1, #80]
	adr_l	x2, _stack_end
	mov	sp, x2
	b	caller_returned
function_end returned

/* Nothing here is meant to fault: what does happened after kexpress took our vectors away. */
	.section .text.vectors, "ax", %progbits
	.balign 0x800
	.global vectors
	.hidden vectors
vectors:
	.rept 16
	.balign 0x80
	b	caller_exception
	.endr
