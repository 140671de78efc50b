/* SPDX-License-Identifier: MIT */
/*
 * The reset vector of boards whose flash starts with us: copies the stage that follows it to RAM
 * and enters it there, at the exception level of the reset, with nothing in x0: board.h says where
 * the device tree and the payload are. Executed in place; flash itself is only read.
 *
 * In assembly because there is no stack, and no RAM before it is known to be free of old lines.
 */
#include <arm64/asm.h>
#include <board.h>

#define IMAGE_SIZE 16 /* offset in the Image header: bytes in memory */

	image	.req x1
	end	.req x2
	ram	.req x3

	.section .text.reset, "ax", %progbits
	.global reset
reset:
	msr	daifset, #0xf
	mrs	x4, mpidr_el1
	mov_q	x5, MPIDR_AFFINITY
	tst	x4, x5
	b.ne	park

	/* Endianness and the MMU's state are a reset's choice below the highest level only. */
	branch_at_el3 1f, x4
	sctlr_off x4
	b	2f
1:	mov_q	x4, SCTLR_EL3_RES1
	msr	sctlr_el3, x4
	isb
2:
	adr_l	image, stage
	adr_l	end, stage_end
	mov_q	ram, BOARD_LOAD
	mov	x6, ram

	/*
	 * What a reset leaves in the caches over this memory is nobody's, and must not be written
	 * back over what we write past them: IVAC, as this is the one place where losing a dirty
	 * line is what is wanted.
	 */
	dcache_line x9, x10
	mov	x4, ram
	ldr	x5, [image, #IMAGE_SIZE]
	add	x5, x5, ram
	dcache_by_line ivac, x4, x5, x9, x10
	dsb	sy

3:	ldp	x4, x5, [image], #16
	stp	x4, x5, [ram], #16
	cmp	image, end
	b.lo	3b
	dsb	sy
	ic	iallu
	dsb	nsh
	isb
	mov	x0, xzr
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	br	x6

/* Cores that a reset starts as well, where there is no PSCI to start them later. */
park:
	wfe
	b	park

	.balign 4096
stage:	.incbin STAGE_FILE
	.balign 16
stage_end:
