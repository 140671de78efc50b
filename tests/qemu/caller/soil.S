/* SPDX-License-Identifier: MIT */
/*
 * Caches as a program leaves them that has run with the MMU on: dirty. In assembly because they are
 * off before and after, and nothing may be stored in between but what is meant.
 */
#include <arm64/asm.h>

/*
 * soil(x0 = struct map *, x1 = struct dirty_range *): stores to every byte of the ranges what is
 * there, cached. At EL1, or EL2 without E2H; the MMU is off again afterwards, and nothing cleaned.
 */
function soil
	ldp	x2, x3, [x0]			// MAIR, TCR
	ldp	x4, x5, [x0, #16]		// TTBR0, SCTLR
	branch_at_el2 1f, x6
	msr	mair_el1, x2
	msr	tcr_el1, x3
	msr	ttbr0_el1, x4
	isb
	tlbi_local x6
	msr	sctlr_el1, x5
	b	2f
1:	msr	mair_el2, x2
	msr	tcr_el2, x3
	msr	ttbr0_el2, x4
	isb
	tlbi_local x6
	msr	sctlr_el2, x5
2:	isb

3:	ldp	x2, x3, [x1], #16
	cbz	x3, 5f
4:	.irp at, 0,16,32,48
	ldp	x4, x5, [x2, #\at]
	stp	x4, x5, [x2, #\at]
	.endr
	add	x2, x2, #64
	cmp	x2, x3
	b.lo	4b
	b	3b
5:	dsb	sy
	sctlr_off x6
	ret
function_end soil

/*
 * publish(x0 = start, x1 = end, w2 = to PoC): a program becomes executable, with the MMU on (to PoU) or
 * off.
 */
function publish
	dcache_line x3, x4
	mov	x5, x0
	cbz	w2, 1f
	dcache_by_line cvac, x5, x1, x3, x4
	b	2f
1:	dcache_by_line cvau, x5, x1, x3, x4
2:	dsb	ish
	ic	iallu
	dsb	ish
	isb
	ret
function_end publish
