/* SPDX-License-Identifier: MIT */
/*
 * Settles the code that depends on what the CPU has (include/arm64/patch.h). Runs once, before the
 * MMU is on: later our text is mapped read-only. Doing it again on the same CPU changes nothing, so
 * a copy of us may start patched.
 *
 * In assembly because it changes instructions, and so that nothing it changes is run meanwhile.
 */
#include <arm64/asm.h>
#include <arm64/patch.h>

#define MOVZ_IMMEDIATE_SHIFT 5
#define MOVZ_IMMEDIATE_BITS  18	// and the shift above it, in units of 16 bits
#define MOVZ_LSL_48	     FIELD(3, 16)
#define BLOCK_NEVER	     (MOVZ_LSL_48 | 0x8000)	// 2^63 bytes: no run is that long

/* patch_features(): Clobbers x0..x7. The caller invalidates instruction caches. */
function patch_features, .text.early
	mov	x7, x30

	dcache_line x6, x3
	patch_value line, x6

	mrs	x3, dczid_el0
	mov	x6, #4
	and	x4, x3, #DCZID_BS_MASK
	lsl	x6, x6, x4
	mov_q	x4, BLOCK_NEVER
	tst	x3, #BIT(DCZID_DZP_BIT)
	csel	x6, x6, x4, eq
	patch_value zva, x6

	mrs	x6, ctr_el0
	ubfx	x6, x6, #CTR_DIC_BIT, #1
	patch_code dic, x6

	ret	x7
function_end patch_features

/*
 * What is stored goes past the caches: no line fetched meanwhile may be hit once they are on. All
 * is stored first, as no store may meet maintenance of its line that is under way.
 */

/* patch_immediates(x0 = first site, x1 = end, x2 = MOVZ's immediate and shift). Clobbers x3..x5. */
function patch_immediates, .text.early
	mov	x5, x0
	b	2f
1:	ldrsw	x3, [x5]
	add	x3, x3, x5
	ldr	w4, [x3]
	bfi	w4, w2, #MOVZ_IMMEDIATE_SHIFT, #MOVZ_IMMEDIATE_BITS
	str	w4, [x3]
	add	x5, x5, #4
2:	cmp	x5, x1
	b.lo	1b

	dsb	sy
	mov	x5, x0
	b	4f
3:	ldrsw	x3, [x5]
	add	x3, x3, x5
	dc	civac, x3
	add	x5, x5, #4
4:	cmp	x5, x1
	b.lo	3b
	dsb	sy
	ret
function_end patch_immediates

/* patch_instructions(x0 = first site, x1 = end). Clobbers x0, x2..x6. */
function patch_instructions, .text.early
	b	4f
1:	ldrsw	x2, [x0]
	add	x2, x2, x0		// what stands there
	add	x0, x0, #4
	ldrsw	x3, [x0]
	add	x3, x3, x0		// what shall
	ldr	w4, [x0, #4]		// instructions
	add	x0, x0, #8
	mov	x6, x2
2:	ldr	w5, [x3], #4
	str	w5, [x6], #4
	subs	w4, w4, #1
	b.ne	2b
	dsb	sy
3:	dc	civac, x2
	add	x2, x2, #4
	cmp	x2, x6
	b.lo	3b
	dsb	sy
4:	cmp	x0, x1
	b.lo	1b
	ret
function_end patch_instructions
