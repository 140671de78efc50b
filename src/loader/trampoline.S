/* SPDX-License-Identifier: MIT */
/*
 * Data of the command: what it hands to the kernel. The code runs once, at EL1 or EL2 with the MMU
 * off, from where the old kernel has copied it to; it uses x0 and x16.
 */
	.section .rodata, "a"

	.balign	8
	.global	trampoline
trampoline:
	ldr	x0, argument
	ldr	x16, stage
	br	x16
	nop
argument:
	.quad	0
stage:
	.quad	0

	.balign	8
	.global	stage_image, stage_image_end
stage_image:
	.incbin	STAGE_FILE
stage_image_end:

	.section .note.GNU-stack, "", %progbits
