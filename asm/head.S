/* SPDX-License-Identifier: MIT */
/*
 * Image header and entry.
 *
 * On entry nothing is assumed: EL1, EL2 with or without E2H, EL3 (which el3.S leaves first), MMU and
 * caches on or off, either endianness of data, interrupts masked or not, stale cache lines over our own
 * memory. If the MMU is on, we are identity-mapped. x0 is a device tree, a hand-off block or
 * nothing; x1 is ENTRY_MOVED_MAGIC if kexpress has moved itself here, x2 then its entry_state.
 *
 * In assembly because there is no stack, and with the MMU off compiled code may not be trusted to
 * make aligned accesses only; and because registers must be noted before anything uses them.
 */
#include <arm64/asm.h>

#include "../src/engine/entry.h"
#include "own_memory.inc"

	.section .head, "ax", %progbits
	.global _head
_head:
	ccmp	x18, #0, #0xd, pl		// code0: "MZ" for EFI; changes flags only
	b	enter				// code1
	.quad	0				// text_offset
	.quad	_end - _head			// image_size
	.quad	0xa				// flags: little-endian, 4 KiB pages, anywhere
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	pe_header - _head
#include "pe_header.inc"

/*
 * Scope of registers:
 *   x0..x2    as entered, until noted in entry_state
 *   x4        counter, x5 EL, x6 SCTLR, x7 VBAR as found, until noted
 *   x9..x15   temporary
 *   x19       entry_state, from the note on
 */
function enter, .text.early
	msr	daifset, #0xf
	mrs	x4, cntvct_el0
	mrs	x5, CurrentEL
	lsr	x5, x5, #CURRENTEL_EL_SHIFT
	cmp	x5, #2
	b.hi	leave_el3
	b.eq	1f
	mrs	x6, sctlr_el1
	mrs	x7, vbar_el1
	b	2f
1:	mrs	x6, sctlr_el2
	mrs	x7, vbar_el2
2:
	own_memory_to_poc x11, x12, x9, x10

	sctlr_off x9				// before this no memory is touched: EE may be set
	extensions_off x9, x10
	ic	iallu
	dsb	nsh
	isb

	/* Note what we found; from here on x19 and up are ours. */
	adr_l	x9, entry_state
	stp	x0, x4, [x9, #ENTRY_ARGUMENT]
	stp	x6, x5, [x9, #ENTRY_SCTLR]
	mov	x10, sp
	stp	x7, x10, [x9, #ENTRY_VBAR]		// and ENTRY_SP
	stp	x19, x20, [x9, #ENTRY_CALLEE_SAVED]
	stp	x21, x22, [x9, #ENTRY_CALLEE_SAVED + 16]
	stp	x23, x24, [x9, #ENTRY_CALLEE_SAVED + 32]
	stp	x25, x26, [x9, #ENTRY_CALLEE_SAVED + 48]
	stp	x27, x28, [x9, #ENTRY_CALLEE_SAVED + 64]
	stp	x29, x30, [x9, #ENTRY_CALLEE_SAVED + 80]
	mov	x19, x9

	/* If we have moved ourselves, the first of us knows better what was found. */
	mov_q	x10, ENTRY_MOVED_MAGIC
	cmp	x1, x10
	b.ne	7f
	mov	x10, #0
6:	ldr	x11, [x2, x10]
	str	x11, [x9, x10]
	add	x10, x10, #8
	cmp	x10, #ENTRY_SIZE
	b.lo	6b
7:
	/* Crashes can be told, and the C library's SIMD registers used, from here on. */
	adr_l	x9, vectors
	branch_at_el2 8f, x10
	msr	vbar_el1, x9
	mov_q	x10, CPACR_FPEN
	msr	cpacr_el1, x10
	b	10f
8:	msr	vbar_el2, x9
	mrs	x10, hcr_el2
	tbnz	x10, #HCR_E2H_BIT, 9f
	mov_q	x10, CPTR_EL2_RES1
	msr	cptr_el2, x10
	b	10f
9:	mov_q	x10, CPACR_FPEN			// CPTR_EL2 has the layout of CPACR_EL1
	msr	cptr_el2, x10
10:
	adr_l	x9, console_early
	ldr	x9, [x9]
	msr	tpidrro_el0, x9
	msr	tpidr_el1, xzr
	msr	spsel, #1
	isb
	adr_l	x9, _stack_end
	mov	sp, x9

	bl	patch_features
	ic	iallu
	dsb	nsh
	isb

	mov	x0, x19
	bl	boot_map
	cbz	x0, refuse_boot_map
	mov	x20, x0				// TTBR0
	mov	x21, x1				// TCR

	/* Drop what may have been fetched into the caches while we wrote past them. */
	adr_l	x11, _early_start
	adr_l	x12, _early_end
	dcache_line x9, x10
	dcache_by_line civac, x11, x12, x9, x10
	dsb	sy

	mov	x0, x20
	mov	x1, xzr
	mov	x2, x21
	bl	mmu_switch

	mov	x29, xzr
	mov	x30, xzr
	mov	x0, x19
	b	start
function_end enter
