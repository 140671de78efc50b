/* SPDX-License-Identifier: MIT */
/*
 * An arm64 Image that is started in place of a kernel. Entered as a kernel is; what it finds it
 * notes before it changes anything but FAR_EL1, of no meaning to a kernel, which lends the first
 * free register.
 */
#include <arm64/asm.h>

#include "state.h"

	.section .head, "ax", %progbits
	.global _head
_head:
	b	note				// code0
	.word	0				// code1
	.quad	0				// text_offset
	.quad	_end - _head			// image_size
	.quad	0xa				// flags: little-endian, 4 KiB pages, anywhere
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	0				// no PE header

#define NOTE(name, register)	\
	mrs	x0, register;	\
	str	x0, [x1], #8;

.macro note_pair first, second
	stp	x\first, x\second, [x30, #(\first * 8)]
.endm

note:	msr	far_el1, x30
	adr_l	x30, state
	note_pair 0, 1
	note_pair 2, 3
	note_pair 4, 5
	note_pair 6, 7
	note_pair 8, 9
	note_pair 10, 11
	note_pair 12, 13
	note_pair 14, 15
	note_pair 16, 17
	note_pair 18, 19
	note_pair 20, 21
	note_pair 22, 23
	note_pair 24, 25
	note_pair 26, 27
	note_pair 28, 29
	mrs	x0, far_el1
	mov	x1, sp
	stp	x0, x1, [x30, #(30 * 8)]
	add	x1, x30, #(STATE_SYSTEM * 8)
	STATE_COMMON(NOTE)
	branch_at_el2 1f, x0
	STATE_EL1(NOTE)
	b	2f
1:	STATE_EL2(NOTE)
2:
	/* All that an image has beyond its file is its own: use all of it. */
	adr_l	x0, _bss_start
	adr_l	x1, _bss_end
3:	stp	xzr, xzr, [x0], #16
	cmp	x0, x1
	b.lo	3b

	msr	spsel, #1
	adr_l	x0, _stack_end
	mov	sp, x0
	mov	x29, xzr
	mov	x30, xzr
	adr_l	x0, vectors
	branch_at_el2 4f, x1
	msr	vbar_el1, x0
	b	5f
4:	msr	vbar_el2, x0
5:	isb
	bl	probe_main

/*
 * mmu_on(x0 = struct map *): at EL1, or at EL2 whatever HCR_EL2.E2H is. FP and SIMD too. Lines that
 * who placed us left in the caches over what we wrote past them are dropped first, as Linux does it.
 */
function mmu_on
	ldp	x1, x2, [x0]			// MAIR, TCR
	ldp	x3, x4, [x0, #16]		// TTBR0, SCTLR
	dcache_line x5, x6
	adr_l	x6, _data_start
	adr_l	x7, _data_end
	dcache_by_line civac, x6, x7, x5, x8
	adr_l	x6, _bss_start
	adr_l	x7, _end
	dcache_by_line civac, x6, x7, x5, x8
	dsb	sy
	branch_at_el2 1f, x5
	mov_q	x5, CPACR_FPEN
	msr	cpacr_el1, x5
	msr	mair_el1, x1
	msr	tcr_el1, x2
	msr	ttbr0_el1, x3
	isb
	tlbi_local x5
	msr	sctlr_el1, x4
	isb
	ret
1:	mrs	x5, hcr_el2
	tbnz	x5, #HCR_E2H_BIT, 2f
	mov_q	x5, CPTR_EL2_RES1
	b	3f
2:	mov_q	x5, CPACR_FPEN
3:	msr	cptr_el2, x5
	msr	mair_el2, x1
	msr	tcr_el2, x2
	msr	ttbr0_el2, x3
	isb
	tlbi_local x5
	msr	sctlr_el2, x4
	isb
	ret
function_end mmu_on

/* An exception of our own, or one that the stage left behind. */
	.section .text.vectors, "ax", %progbits
	.balign 0x800
vectors:
	.rept 16
	.balign 0x80
	b	unexpected
	.endr

unexpected:
	branch_at_el2 1f, x3
	mrs	x0, esr_el1
	mrs	x1, far_el1
	mrs	x2, elr_el1
	b	probe_exception
1:	mrs	x0, esr_el2
	mrs	x1, far_el2
	mrs	x2, elr_el2
	b	probe_exception

	.section .noinit, "aw", %nobits
	.balign 16
	.global state
	.hidden state
state:	.skip	STATE_WORDS * 8

/* Makes the image as large as a kernel. The tests put random bytes here. */
	.section .padding, "a", %progbits
	.fill	PROBE_PADDING, 1, 0xa5
