/* SPDX-License-Identifier: MIT */
/*
 * Code that depends on what the CPU has, settled once: asm/patch.S writes the CPU's own values into
 * these instructions before the MMU is on, and what runs later tests nothing. Assembler only.
 *
 * Features:
 *   line  value: bytes in the smallest data cache line
 *   zva   value: bytes that DC ZVA zeroes; more than memory has where it is prohibited
 *   dic   whether instruction caches need no maintenance (CTR_EL0.DIC)
 *
 * Each feature's sites are a section, .patch.FEATURE, which linker.ld keeps.
 */
#ifndef ARM64_PATCH_H
#define ARM64_PATCH_H

/* clang-format off */

/* \reg = the feature's value, in one instruction. */
.macro patched_value reg, feature
	.pushsection .patch.\feature, "a"
	.balign 4
	.word	.Lpatched_\@ - .
	.popsection
.Lpatched_\@:
	movz	\reg, #0
.endm

/*
 * patched_without FEATURE, instructions, patched_with, as many instructions, patched_end: the
 * second ones stand in the place of the first where there is the feature. No branch out of them is
 * relative, as they are moved.
 */
.macro patched_without feature
	.pushsection .patch.\feature, "a"
	.balign 4
	.word	661f - .
	.word	663f - .
	.word	(662f - 661f) / 4
	.popsection
661:
.endm

.macro patched_with
662:
	.subsection 1
663:
.endm

.macro patched_end
664:
	.subsection 0
	.if (664b - 663b) != (662b - 661b)
	.error "not as many instructions"
	.endif
.endm

/* What asm/patch.S does with a feature's sites. \value: MOVZ's immediate; from bit 16 on, shift. */
.macro patch_value feature, value
	mov	x2, \value
	adr_l	x0, _patch_\feature\()_start
	adr_l	x1, _patch_\feature\()_end
	bl	patch_immediates
.endm

/* \present: 0 where there is no such feature. */
.macro patch_code feature, present
	cbz	\present, .Labsent_\@
	adr_l	x0, _patch_\feature\()_start
	adr_l	x1, _patch_\feature\()_end
	bl	patch_instructions
.Labsent_\@:
.endm

#endif /* ARM64_PATCH_H */
