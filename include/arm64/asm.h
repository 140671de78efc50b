/* SPDX-License-Identifier: MIT */
/* Assembler macros that every file of asm/ shares. */
#ifndef ARM64_ASM_H
#define ARM64_ASM_H

#include <arm64/sysreg.h>

/* A function in a section of its own, so that the linker can place and drop it. */
.macro function name, section=.text
	.section \section\().\name, "ax", %progbits
	.balign 4
	.global \name
	.hidden \name
	.type \name, %function
\name:
.endm

.macro function_end name
	.size \name, . - \name
.endm

/* 64-bit constant that assembles to as few MOVs as it needs. */
.macro mov_q reg, value
	movz	\reg, :abs_g0_nc:\value
	.if ((\value) >> 16) & 0xffff
	movk	\reg, :abs_g1_nc:\value
	.endif
	.if ((\value) >> 32) & 0xffff
	movk	\reg, :abs_g2_nc:\value
	.endif
	.if ((\value) >> 48) & 0xffff
	movk	\reg, :abs_g3:\value
	.endif
.endm

.macro adr_l reg, symbol
	adrp	\reg, \symbol
	add	\reg, \reg, :lo12:\symbol
.endm

/* Goes to \label at EL2, on at EL1. Not for EL3. */
.macro branch_at_el2 label, tmp
	mrs	\tmp, CurrentEL
	cmp	\tmp, #(1 << CURRENTEL_EL_SHIFT)
	b.ne	\label
.endm

.macro branch_at_el3 label, tmp
	mrs	\tmp, CurrentEL
	cmp	\tmp, #(3 << CURRENTEL_EL_SHIFT)
	b.eq	\label
.endm

/*
 * A known SCTLR: MMU and caches off, little-endian. At EL2 with E2H too: its RES1 bits of E2H=0 are
 * without effect on EL2 itself there.
 */
.macro sctlr_off tmp
	branch_at_el2 .Lsctlr_el2_\@, \tmp
	mov_q	\tmp, SCTLR_EL1_RES1
	msr	sctlr_el1, \tmp
	b	.Lsctlr_done_\@
.Lsctlr_el2_\@:
	mov_q	\tmp, SCTLR_EL2_RES1
	msr	sctlr_el2, \tmp
.Lsctlr_done_\@:
	isb
.endm

/*
 * TCR2 and SCTLR2 of our regime, where they exist, to the behaviour of Armv8.0: a caller may have
 * given the permission bits of descriptors another meaning (FEAT_S1PIE). Takes effect with the next
 * ISB.
 */
.macro extensions_off tmp, features
	mrs	\features, ID_AA64MMFR3_EL1
	ubfx	\tmp, \features, #ID_AA64MMFR3_TCRX_SHIFT, #4
	cbz	\tmp, .Ltcrx_\@
	branch_at_el2 .Ltcr2_el2_\@, \tmp
	msr	TCR2_EL1, xzr
	b	.Ltcrx_\@
.Ltcr2_el2_\@:
	msr	TCR2_EL2, xzr
.Ltcrx_\@:
	ubfx	\tmp, \features, #ID_AA64MMFR3_SCTLRX_SHIFT, #4
	cbz	\tmp, .Lsctlrx_\@
	branch_at_el2 .Lsctlr2_el2_\@, \tmp
	msr	SCTLR2_EL1, xzr
	b	.Lsctlrx_\@
.Lsctlr2_el2_\@:
	msr	SCTLR2_EL2, xzr
.Lsctlrx_\@:
.endm

/* Drops every translation of our own regime on this core, and waits for it. */
.macro tlbi_local tmp
	branch_at_el2 .Ltlbi_el2_\@, \tmp
	tlbi	vmalle1
	b	.Ltlbi_done_\@
.Ltlbi_el2_\@:
	tlbi	alle2
.Ltlbi_done_\@:
	dsb	nsh
	isb
.endm

/* Bytes in the smallest data cache line. */
.macro dcache_line reg, tmp
	mrs	\tmp, ctr_el0
	ubfx	\tmp, \tmp, #CTR_DMINLINE_SHIFT, #4
	mov	\reg, #4
	lsl	\reg, \reg, \tmp
.endm

/* DC \op for each line of [start, end); start is lost. No barrier. */
.macro dcache_by_line op, start, end, line, tmp
	sub	\tmp, \line, #1
	bic	\start, \start, \tmp
.Lline_\@:
	dc	\op, \start
	add	\start, \start, \line
	cmp	\start, \end
	b.lo	.Lline_\@
.endm

#endif /* ARM64_ASM_H */
