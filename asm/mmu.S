/* SPDX-License-Identifier: MIT */
/*
 * Translation on and off. In assembly because between the SCTLR write that turns the MMU off and
 * the one that turns it on, a compiler could touch the stack, whose lines are then in a cache that
 * is not looked at.
 */
#include <arm64/asm.h>

#include <arm64/descriptor.h>

#define SCTLR_ON (SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_I | SCTLR_WXN)

/*
 * mmu_switch(x0 = TTBR0, x1 = TTBR1 (not at EL2 without E2H), x2 = TCR)
 *
 * Replaces the whole map, on or off before. Old and new tables both map this code, sp and the
 * return address to themselves. The MMU is off in between, so that no stale translation of any
 * size can meet the new one (Arm ARM D8.16.1: break-before-make) and TCR may change. Also where it
 * was off before, TLBs are flushed before it goes on: reset leaves them unknown.
 * The walker reads tables from the caches (TCR.IRGN, ORGN, SH), so nothing is cleaned for it.
 * Clobbers x3..x5.
 */
function mmu_switch, .text.early
	dsb	sy
	mov_q	x3, MAIR_VALUE
	branch_at_el2 1f, x4
	mov_q	x5, (SCTLR_EL1_RES1 | SCTLR_ON)
	sctlr_off x4
	msr	mair_el1, x3
	msr	tcr_el1, x2
	msr	ttbr0_el1, x0
	msr	ttbr1_el1, x1
	isb
	tlbi_local x4
	msr	sctlr_el1, x5
	isb
	ret

1:	mov_q	x5, (SCTLR_EL2_RES1 | SCTLR_ON)
	sctlr_off x4
	msr	mair_el2, x3
	msr	tcr_el2, x2
	msr	ttbr0_el2, x0
	mrs	x4, hcr_el2
	tbz	x4, #HCR_E2H_BIT, 2f
	msr	ttbr1_el1, x1			// with E2H: TTBR1_EL2, a name that Armv8.0 lacks
2:	isb
	tlbi_local x4
	msr	sctlr_el2, x5
	isb
	ret
function_end mmu_switch
