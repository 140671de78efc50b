/* SPDX-License-Identifier: MIT */
/* In the place of the C objects that run with the MMU off, for test_lint.py. */
	.section .text.c_function, "ax", %progbits
	bl	mmu_switch
	adrp	x0, _text_end
	/* @text */
	ret

	.section .rodata.c_constant, "a", %progbits
	/* @constant */
	.word	1
