/* SPDX-License-Identifier: MIT */
/*
 * In the place of include/arm64/patch.h, to compare with it: what the CPU has is kept in variables,
 * which the hot path reads and tests each time. x16 is lost to that.
 */
#ifndef ARM64_PATCH_H
#define ARM64_PATCH_H

/* clang-format off */

.macro patched_value reg, feature
	ldr	\reg, feature_\feature
.endm

.macro patched_without feature
	patched_value x16, \feature
	cbnz	x16, 663f
.endm

.macro patched_with
662:
	.subsection 1
663:
.endm

.macro patched_end
	b	662b
	.subsection 0
.endm

/* The variable, near enough for one instruction to read it. */
.macro patch_variable feature, value
	.pushsection .text.features, "ax"
	.balign	8
	.global	feature_\feature
	.hidden	feature_\feature
feature_\feature:
	.quad	0
	.popsection
	adr_l	x0, feature_\feature
	str	\value, [x0]
	dc	civac, x0
.endm

/* From MOVZ's immediate and shift. */
.macro patch_value feature, value
	and	x2, \value, #0xffff
	lsr	x1, \value, #16
	lsl	x1, x1, #4
	lsl	x2, x2, x1
	patch_variable \feature, x2
.endm

.macro patch_code feature, present
	patch_variable \feature, \present
.endm

#endif /* ARM64_PATCH_H */
