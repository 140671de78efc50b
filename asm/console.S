/* SPDX-License-Identifier: MIT */
/*
 * A character on the console, for C and for the crash dump alike: which console that is, the crash
 * word in TPIDRRO_EL0 says (src/engine/entry.h), and how it is driven, the table below. Only
 * registers and our own text are used: no stack and nothing that is written to, with the MMU on or
 * off.
 *
 * In assembly because the crash dump has no stack, and so that C and it cannot differ.
 */
#include <arm64/asm.h>

#include "../src/engine/board_data.h"
#include "../src/engine/entry.h"

#define POLLS		0x10000	/* some milliseconds; then the console counts as dead */
#define SEMIHOSTING	0xf000	/* HLT's immediate */
#define SYS_WRITEC	3

#define XEN_HYPERCALL	0xea1	/* HVC's immediate */
#define XEN_CONSOLE_IO	18
#define XEN_CONSOLE_WRITE 0

#define MODEL_MASK	0	/* and READY: offsets in a row of console_models */
#define MODEL_STATUS	8
#define MODEL_DATA	10
#define MODEL_ACCESS	12
#define MODEL_SHIFT	4	/* log2 of a row's size */

	character .req x0
	word	.req x1
	model	.req x2
	mask	.req w3
	ready	.req w4
	access	.req x5
	base	.req x6
	status	.req x7
	polls	.req x8

/*
 * console_put(w0 = character): it is lost if the console is dead, or is found so. A console that
 * does not take a character in time is not asked again: it must not hold the boot for each character
 * of each line. Clobbers x0 to x9 and x16.
 */
function console_put, .text.mmu_off
	mrs	word, tpidrro_el0
	tbnz	word, #CRASH_MUTE_BIT, 9f
	ubfx	model, word, #CRASH_MODEL_SHIFT, #CRASH_MODEL_BITS
	adr	base, console_models
	add	model, base, model, lsl #MODEL_SHIFT
	ldrb	w5, [model, #MODEL_ACCESS]
	cbz	access, 8f
	cmp	access, #CONSOLE_HYPERCALL
	b.eq	10f
	ldp	mask, ready, [model, #MODEL_MASK]
	ubfx	x9, word, #CRASH_OFFSET_SHIFT, #CRASH_OFFSET_BITS
	and	base, word, #CRASH_PAGE_MASK
	adds	base, base, x9, lsl #CRASH_OFFSET_UNIT
	b.eq	9f			/* no console, until the tree names one */
	ldrh	w7, [model, #MODEL_STATUS]
	add	status, base, status
	ldrh	w9, [model, #MODEL_DATA]
	add	base, base, x9
	and	w0, w0, #0xff
	mov	polls, #POLLS
1:	cmp	access, #CONSOLE_BYTES
	b.eq	2f
	ldr	w9, [status]
	b	3f
2:	ldrb	w9, [status]
3:	and	w9, w9, mask
	cmp	w9, ready
	b.eq	4f
	subs	polls, polls, #1
	b.ne	1b
	orr	word, word, #BIT(CRASH_MUTE_BIT)
	msr	tpidrro_el0, word
	ret
4:	cmp	access, #CONSOLE_BYTES
	b.eq	5f
	str	w0, [base]
	ret
5:	strb	w0, [base]
	ret

	/* The debugger reads the character from memory: from a table of all. */
8:	adr	x1, console_characters
	and	x0, character, #0xff
	add	x1, x1, x0
	mov	w0, #SYS_WRITEC
	hlt	#SEMIHOSTING
9:	ret

	/* So does Xen, which walks our own tables to it, as long as the MMU is on. */
10:	adr	x2, console_characters
	and	x0, character, #0xff
	add	x2, x2, x0
	mov	x1, #1
	mov	x0, #XEN_CONSOLE_WRITE
	mov	x16, #XEN_CONSOLE_IO
	hvc	#XEN_HYPERCALL
	ret
function_end console_put

/* With the code, not in .rodata: reached by ADR, and read with the MMU off. */
	.section .text.mmu_off.console_data, "a", %progbits
	.balign	8
	.global console_early
	.hidden console_early
console_early:	.quad CRASH_CONSOLE(BOARD_EARLY_CONSOLE, BOARD_EARLY_CONSOLE_MODEL)
	.if BOARD_EARLY_CONSOLE % CONSOLE_ALIGN
	.error	"BOARD_EARLY_CONSOLE is not aligned to CONSOLE_ALIGN"
	.endif

	.balign	1 << MODEL_SHIFT
console_models:
#define MODEL(name, compatible, shift, status, mask, ready, data, access) \
	.word mask, ready; .hword status, data; .byte access; .balign 1 << MODEL_SHIFT;
CONSOLE_MODELS(MODEL)

console_characters:
	.set	.Lcharacter, 0
	.rept	256
	.byte	.Lcharacter
	.set	.Lcharacter, .Lcharacter + 1
	.endr
