/* SPDX-License-Identifier: MIT */
/*
 * From EFI firmware to C, and from there to the entry of the boot protocol. In assembly because
 * C's constants are not relocated at first, and because of the caches at the end.
 */
#include <arm64/asm.h>

/*
 * efi_enter(x0 = handle of our image, x1 = system table): where the PE header says that we start
 * (UEFI specification 2.10, 2.3.6): MMU and caches on, memory identity-mapped, the firmware's stack.
 * Returns an EFI status. x18 belongs to the platform, and compiled code may use it.
 */
function efi_enter, .text
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	str	x18, [sp, #32]
	bl	relocate
	ldp	x0, x1, [sp, #16]
	bl	efi_main
	ldr	x18, [sp, #32]
	ldp	x29, x30, [sp], #48
	ret
function_end efi_enter

/* efi_clean(x0 = start, x1 = end): to the PoC. asm/cache.S has not been given the line's size yet. */
function efi_clean, .text
	dcache_line x9, x10
	dcache_by_line cvac, x0, x1, x9, x10
	dsb	sy
	ret
function_end efi_clean

/*
 * efi_leave(x0 = device tree, x1 = copy of our image): starts the copy as the boot protocol wants
 * it, MMU off. By a jump from here, as firmware that protects memory would not let the copy be
 * executed. The tree, the copy and what runs here with the MMU off have been cleaned. No return.
 */
function efi_leave, .text
	msr	daifset, #0xf
	ic	iallu
	dsb	nsh
	isb
	mov	x4, x1
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	b	jump
function_end efi_leave
