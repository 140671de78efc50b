/* SPDX-License-Identifier: MIT */
/* The part of good.S that runs with the MMU on, where nearly everything may be. */
	.text
	.global start
	.type start, %function
start:
	ldr	q0, [x0]
	ldxr	x1, [x0]
	dc	zva, x0
	ldr	x1, [x0], #1
	/* @start */
	blr	x1

	.global secondary_main
	.type secondary_main, %function
secondary_main:
	ret

	.global efi_enter
	.type efi_enter, %function
efi_enter:
	ret

	.section .rodata, "a", %progbits
	.quad	0
	.section .data.rel.ro, "aw", %progbits
	.quad	start
	.bss
	.quad	0
	/* @data */
