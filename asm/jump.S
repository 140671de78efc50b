/* SPDX-License-Identifier: MIT */
/*
 * The last instructions of kexpress: MMU off and away. In assembly because from the SCTLR write on
 * the stack is not to be had (its lines are in a cache that is no longer looked at), and because
 * every register is given a value.
 */
#include <arm64/asm.h>

#include "../src/engine/entry.h"

	entry	.req x4
	word	.req x5

/* What the crash dump and the C library kept in thread registers. */
.macro forget_crash_word
	msr	tpidrro_el0, xzr
	msr	tpidr_el1, xzr
	msr	tpidr_el0, xzr
.endm

.macro clear_registers
	.irp n, 6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	mov	x\n, xzr
	.endr
.endm

/* jump(x0..x3 = for the one we start, x4 = where): at the exception level we are at. No return. */
function jump, .text.mmu_off
	dsb	sy
	forget_crash_word
	sctlr_off word
	tlbi_local word
	mov	word, xzr
	clear_registers
	br	entry
function_end jump

/*
 * jump_el1(x0..x3, x4 as above): from EL2 to EL1, whose registers src/engine/el1.c has prepared. EL1's
 * MMU is off already; ours goes off too, so that nothing of it is left.
 */
function jump_el1, .text.mmu_off
	dsb	sy
	forget_crash_word
	mov	word, #(DAIF_ALL | SPSR_EL1H)
	msr	spsr_el2, word
	msr	elr_el2, entry
	sctlr_off word
	tlbi_local word
	mov	entry, xzr
	mov	word, xzr
	clear_registers
	eret
function_end jump_el1

/*
 * return_to_caller(x0 = error, x1 = entry_state, x2 = where): a refused hand-off goes back with the
 * registers that the procedure call standard preserves, MMU and caches off.
 */
function return_to_caller, .text.mmu_off
	mov	entry, x2
	ldp	x6, x7, [x1, #ENTRY_VBAR]	// and ENTRY_SP
	mov	sp, x7
	ldp	x19, x20, [x1, #ENTRY_CALLEE_SAVED]
	ldp	x21, x22, [x1, #ENTRY_CALLEE_SAVED + 16]
	ldp	x23, x24, [x1, #ENTRY_CALLEE_SAVED + 32]
	ldp	x25, x26, [x1, #ENTRY_CALLEE_SAVED + 48]
	ldp	x27, x28, [x1, #ENTRY_CALLEE_SAVED + 64]
	ldp	x29, x30, [x1, #ENTRY_CALLEE_SAVED + 80]
	dsb	sy
	branch_at_el2 1f, x8
	msr	vbar_el1, x6
	b	2f
1:	msr	vbar_el2, x6
2:	sctlr_off word
	tlbi_local word
	br	entry
function_end return_to_caller
