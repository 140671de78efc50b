/* SPDX-License-Identifier: MIT */
/*
 * The smallest stage that tests/lint finds nothing wrong with, linked by linker.ld as the real one
 * is; never run. Here, what runs with the MMU off. test_lint.py puts one fault at a time where
 * "@place" stands.
 */
	.macro function name, section
	.section \section\().\name, "ax", %progbits
	.global \name
	.type \name, %function
\name:
	.endm

	.section .head, "ax", %progbits
	.global _head
_head:
	ccmp	x18, #0, #0xd, pl
	b	enter
	.quad	0
	.quad	_end - _head
	.quad	0xa
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	pe_header - _head
	.include "pe_header.inc"

	.section .text.vectors, "ax", %progbits
	.balign 0x800
	.global vectors
vectors:
	.rept	16
	.balign 0x80
	/* @vector */
	b	exception
	.endr

	function exception, .text
	/* @exception */
	eret

	function enter, .text.early
	adrp	x0, _stack_guard
	add	x0, x0, :lo12:_stack_guard
	ldp	x1, x2, [x0, #16]
	str	w1, [x0, #-4]!
	ldrb	w1, [x0], #1
	/* @enter */
	bl	move_uncached
	b	start

	function jump, .text.mmu_off
	/* @before */
	msr	sctlr_el1, x5
	/* @jump */
	br	x4
	/* @jump_after */

	function jump_el1, .text.mmu_off
	msr	sctlr_el2, x5
	/* @jump_el1 */
	eret

	function return_to_caller, .text.mmu_off
	ldp	x29, x30, [x1]
	msr	sctlr_el1, x5
	/* @return_to_caller */
	br	x4

	function secondary_enter, .text.mmu_off
	/* @secondary_enter */
	b	secondary_main

	function secondary_leave, .text.mmu_off
	msr	sctlr_el1, x0
	/* @secondary_leave */
	br	x1

	function mmu_switch, .text.early
	msr	sctlr_el1, x5
	/* @mmu_switch */
	msr	sctlr_el1, x4
	ret

	function move_uncached, .text.mmu_off
	dc	ivac, x0
	ret
