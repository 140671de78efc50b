/* SPDX-License-Identifier: MIT */
/*
 * Copy and zero loops of the move. In assembly because which instructions touch memory, how wide
 * and in which order, is the subject; and move_uncached must not use a stack.
 */
#include <arm64/asm.h>
#include <arm64/patch.h>
#include <kexpress/list.h>

#include "../src/kimage/run.h"

/*
 * move_zero(x0 = start, x1 = end)
 *
 * MMU on, Normal memory. Whole DC ZVA blocks where they are allowed, pairs of registers and bytes
 * elsewhere: a block is then longer than what is left. Clobbers x2..x5.
 */
function move_zero
	sub	x4, x1, x0			// bytes left
	patched_value x2, zva
	cmp	x4, x2
	b.lo	4f
	sub	x3, x2, #1
1:	tst	x0, x3				// up to the first block
	b.eq	3f
	strb	wzr, [x0], #1
	sub	x4, x4, #1
	b	1b
2:	dc	zva, x0
	add	x0, x0, x2
	sub	x4, x4, x2
3:	cmp	x4, x2
	b.hs	2b
4:	subs	x4, x4, #16
	b.lo	5f
	stp	xzr, xzr, [x0], #16
	b	4b
5:	add	x4, x4, #16
6:	cbz	x4, 7f
	strb	wzr, [x0], #1
	sub	x4, x4, #1
	b	6b
7:	ret
function_end move_zero

/*
 * move_uncached(x0 = runs, x1 = count)
 *
 * The move as Linux before 5.16 made it (arch/arm64/kernel/relocate_kernel.S): MMU off, page by
 * page, each destination page invalidated to PoC first, so that no line of it is written back over
 * what we store. runs, in struct run of src/kimage/run.h, with physical addresses; runs and
 * sources are clean to PoC, and runs lie in no destination. Returns with the MMU on again and the
 * same tables. MMU-off accesses must be aligned: a source that is not 8-byte aligned is read in
 * words or bytes.
 *
 *   x0 run, x1 runs left, x2 destination, x3 source, x4 bytes left, x5 bytes in this page
 *   x6 line size, x7 run number, x16 SCTLR with the MMU on, the rest temporary
 */
function move_uncached, .text.mmu_off
	patched_value x6, line
	mov	x7, #0
	dsb	sy
	branch_at_el2 1f, x9
	mrs	x16, sctlr_el1
	b	2f
1:	mrs	x16, sctlr_el2
2:	sctlr_off x9

.Lrun:	cbz	x1, .Lend
	msr	tpidr_el1, x7
	ldr	w9, [x0, #RUN_OFF_KIND]
	ldp	x3, x2, [x0, #RUN_OFF_SOURCE]	// and destination
	ldr	x4, [x0, #RUN_OFF_LENGTH]
	cmp	w9, #RUN_IN_PLACE
	b.eq	.Lnext

.Lpage:	mov	x5, #KX_PAGE_SIZE
	cmp	x4, x5
	csel	x5, x4, x5, lo
	sub	x4, x4, x5
	mov	x10, x2
	add	x11, x2, #KX_PAGE_SIZE
	dcache_by_line ivac, x10, x11, x6, x12
	dsb	sy
	cmp	w9, #RUN_ZERO
	csel	x5, xzr, x5, eq			// a page of zeroes is all tail
	cbz	x5, .Ltail
	tst	x3, #7
	b.eq	.Ldoublewords
	tst	x3, #3
	b.eq	.Lwords
	b	.Lbytes

.Ldoublewords:
	subs	x5, x5, #32
	b.lo	4f
3:	ldp	x12, x13, [x3], #16
	ldp	x14, x15, [x3], #16
	stp	x12, x13, [x2], #16
	stp	x14, x15, [x2], #16
	subs	x5, x5, #32
	b.hs	3b
4:	add	x5, x5, #32
	b	.Lbytes
.Lwords:
	subs	x5, x5, #8
	b.lo	6f
5:	ldp	w12, w13, [x3], #8
	stp	w12, w13, [x2], #8
	subs	x5, x5, #8
	b.hs	5b
6:	add	x5, x5, #8
.Lbytes:
	cbz	x5, .Ltail
	ldrb	w12, [x3], #1
	strb	w12, [x2], #1
	sub	x5, x5, #1
	b	.Lbytes
.Ltail:	tst	x2, #7				// zeroes up to the end of the page
	b.eq	7f
	strb	wzr, [x2], #1
	b	.Ltail
7:	cmp	x2, x11
	b.hs	8f
	str	xzr, [x2], #8
	b	7b
8:	cbnz	x4, .Lpage

.Lnext:	add	x0, x0, #RUN_SIZE
	add	x7, x7, #1
	sub	x1, x1, #1
	b	.Lrun

.Lend:	dsb	sy
	branch_at_el2 9f, x9
	msr	sctlr_el1, x16
	isb
	ret
9:	msr	sctlr_el2, x16
	isb
	ret
function_end move_uncached
