/* SPDX-License-Identifier: MIT */
/*
 * In the place of include/arm64/patch.h, to compare with it: everything is known when the image is
 * built, for QEMU's cortex-a72 only.
 */
#ifndef ARM64_PATCH_H
#define ARM64_PATCH_H

/* clang-format off */

	.set	built_line, 64
	.set	built_zva, 64
	.set	built_dic, 0

.macro patched_value reg, feature
	mov	\reg, #built_\feature
.endm

/* What is not built in goes out of the way. */
.macro patched_without feature
	.set	built_feature, built_\feature
	.if built_feature
	.subsection 1
	.endif
.endm

.macro patched_with
	.if built_feature
	.subsection 0
	.else
	.subsection 1
	.endif
.endm

.macro patched_end
	.subsection 0
.endm

.macro patch_value feature, value
.endm

.macro patch_code feature, present
.endm

#endif /* ARM64_PATCH_H */
