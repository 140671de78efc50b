/* SPDX-License-Identifier: MIT */
/*
 * Exception vectors and the crash dump. A crash can come at any moment, the move and broken tables
 * included, so the dump uses registers only: no stack, no memory but its own text, and it turns the
 * MMU off first, after which the console answers at its physical address whatever the tables said.
 * What it tells lies in TPIDRRO_EL0 (crash word, src/engine/entry.h) and TPIDR_EL1 (run).
 *
 * In assembly for that reason.
 */
#include <arm64/asm.h>

#include "../src/engine/entry.h"

#define PSCI_SYSTEM_OFF	  0x84000008
#define PSCI_SYSTEM_RESET 0x84000009

	word	.req x21	// crash word
	text	.req x22
	value	.req x23
	link1	.req x24	// return addresses of the levels of calls below
	link2	.req x25
	digits	.req x27	// left to print

	esr	.req x10
	far	.req x11
	elr	.req x12
	run	.req x13

/*
 * An SError that was pending when we came is firmware's: start.c opens the mask once to take it,
 * with TPIDR_EL1 at SERROR_EXPECTED, and is told by finding it cleared. x26 is lost to it.
 */
.macro vector kind
	.balign 0x80
	mov	x26, #\kind
	b	exception
.endm

	.section .text.vectors, "ax", %progbits
	.balign 0x800
	.global vectors
	.hidden vectors
vectors:
	.irp source, 0, 1, 2, 3
	vector	0
	vector	1
	vector	2
	vector	3
	.endr

function exception
	cmp	x26, #3
	b.ne	crash_exception
	mrs	x26, tpidr_el1
	cmp	x26, #SERROR_EXPECTED
	mov	x26, #3
	b.ne	crash_exception
	msr	tpidr_el1, xzr
	/* Back with SError masked again: the next one is ours. */
	branch_at_el2 1f, x26
	mrs	x26, spsr_el1
	orr	x26, x26, #DAIF_ALL
	msr	spsr_el1, x26
	eret
1:	mrs	x26, spsr_el2
	orr	x26, x26, #DAIF_ALL
	msr	spsr_el2, x26
	eret
function_end exception

function crash_exception
	/* What went wrong, before anything here can go wrong and overwrite it. */
	branch_at_el3 3f, x0
	branch_at_el2 1f, x0
	mrs	esr, esr_el1
	mrs	far, far_el1
	mrs	elr, elr_el1
	b	2f
3:	mrs	esr, esr_el3
	mrs	far, far_el3
	mrs	elr, elr_el3
	b	2f
1:	mrs	esr, esr_el2
	mrs	far, far_el2
	mrs	elr, elr_el2
2:	mrs	run, tpidr_el1
	mrs	word, tpidrro_el0
	tbnz	word, #CRASH_NESTED_BIT, crash_stop
	orr	word, word, #BIT(CRASH_NESTED_BIT)
	msr	tpidrro_el0, word
	sctlr_off x0

	adr	text, text_exception
	bl	crash_puts
	adr	text, kind_names
	add	text, text, x26, lsl #3
	bl	crash_puts
	adr	text, text_step
	bl	crash_puts
	adr	text, step_names
	and	x26, word, #(BIT(CRASH_STEP_BITS) - 1)
	add	text, text, x26, lsl #4
	bl	crash_puts
	adr	text, text_run
	mov	value, run
	bl	crash_put_value
	adr	text, text_esr
	mov	value, esr
	bl	crash_put_value
	adr	text, text_far
	mov	value, far
	bl	crash_put_value
	adr	text, text_elr
	mov	value, elr
	bl	crash_put_value
	adr	text, text_base
	adr_l	value, _head
	bl	crash_put_value
	adr	text, text_cpu
	mrs	value, mpidr_el1
	mov_q	x1, MPIDR_AFFINITY
	and	value, value, x1
	bl	crash_put_value
	adr	text, text_newline
	bl	crash_puts
	b	crash_end
function_end crash_exception

/* A refusal before there is a C that could tell it. */
function refuse_boot_map, .text.early
	adr_l	text, text_boot_map
	b	crash_early
function_end refuse_boot_map

/* text, on the board's early console, which may not be mapped; then the end. */
function crash_early
	sctlr_off x0
	adr_l	x0, console_early
	ldr	x0, [x0]
	msr	tpidrro_el0, x0
	bl	crash_puts
	b	crash_end
function_end crash_early

/* The end of every failure that nobody takes, MMU on or off: reset or power off by PSCI where the
 * command line asked for it, else halted, which is said. Other cores than the boot core end alone,
 * and it does what they leave undone. */
function crash_end
	mrs	word, tpidrro_el0
	tbz	word, #CRASH_SECONDARY_BIT, 4f
	b	secondary_leave
4:
	orr	x0, word, #BIT(CRASH_NESTED_BIT)	// the call may be undefined here
	msr	tpidrro_el0, x0
	tbz	word, #CRASH_PSCI_BIT, 3f
	ubfx	x26, word, #CRASH_ACTION_SHIFT, #CRASH_ACTION_BITS
	mov_q	x0, PSCI_SYSTEM_RESET
	cmp	x26, #1
	b.eq	1f
	cmp	x26, #2
	b.ne	3f
	mov_q	x0, PSCI_SYSTEM_OFF
1:	tbz	word, #CRASH_HVC_BIT, 2f
	hvc	#0
	b	3f
2:	smc	#0
3:	adr_l	text, text_halted
	bl	crash_puts
	b	crash_stop
function_end crash_end

/* Without a word: where even telling failed. */
function crash_stop
1:	wfi
	b	1b
function_end crash_stop

/* text, then value in hex. Clobbers link2, digits and crash_puts' registers. */
function crash_put_value
	mov	link2, x30
	bl	crash_puts
	mov	digits, #16
1:	ror	value, value, #60
	and	x0, value, #0xf
	add	x1, x0, #('a' - 10)
	add	x0, x0, #'0'
	cmp	x0, #'9'
	csel	x0, x1, x0, hi
	bl	console_put
	subs	digits, digits, #1
	b.ne	1b
	ret	link2
function_end crash_put_value

/* The NUL-terminated string at text. Clobbers link1 and console_put's registers. */
function crash_puts
	mov	link1, x30
1:	ldrb	w0, [text], #1
	cbz	w0, 2f
	bl	console_put
	b	1b
2:	ret	link1
function_end crash_puts

/* With the code, not in .rodata: reached by ADR, and read with the MMU off. */
	.section .text.crash_strings, "a", %progbits
text_exception: .asciz "\r\nkexpress: error E_FAULT: exception, kind="
text_step:	.asciz " step="
text_run:	.asciz " run=0x"
text_esr:	.asciz " esr=0x"
text_far:	.asciz " far=0x"
text_elr:	.asciz " elr=0x"
text_base:	.asciz " base=0x"
text_cpu:	.asciz " cpu=0x"
text_newline:	.asciz "\r\n"
text_halted:	.asciz "kexpress: halted\r\n"
text_boot_map:	.asciz "\r\nkexpress: error E_TABLES: our own image could not be mapped\r\n"

/* Fixed widths: 8 and 16 bytes a name. */
	.balign	8
kind_names:
	.irp name, sync, irq, fiq, serror
	.asciz	"\name"
	.balign	8
	.endr
	.balign	16
step_names:
#define STEP_NAME(member, name) .asciz name; .balign 16;
ENTRY_STEPS(STEP_NAME)
