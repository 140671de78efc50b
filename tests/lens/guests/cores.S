/* SPDX-License-Identifier: MIT */
/*
 * What test_cores.py runs: an arm64 Image whose CPUs together copy 16 MiB, in chunks that each
 * claims for itself. Entered at EL1 with the MMU off, on a machine with 1 GiB of RAM from
 * 0x40000000. The boot CPU starts the others by PSCI until there are no more, lets all go at once,
 * takes its part, and waits until the others are off. Assembly because no C library is at hand
 * here, and half of it is system registers.
 *
 * HINTs, NOPs elsewhere, for lens's log: MARKER + 0 when a CPU begins to copy, + 1 when it has
 * copied, + 2 when all are off. With FLUSH each chunk begins with a TLBI that is broadcast.
 */

#define MARKER	    0x60
#define LINE	    64

#define SOURCE	    0x48000000
#define DESTINATION 0x58000000
#define CHUNK	    (64 << 10)
#define CHUNKS	    256

#define SCTLR_M	    (1 << 0)
#define SCTLR_C	    (1 << 2)
#define SCTLR_I	    (1 << 12)

/* MAIR: 0 write-back. T0SZ 25: three levels, of which a 1 GiB block uses the first; write-back,
 * inner shareable, 40 bits; no TTBR1. */
#define MAIR_VALUE  0xff
#define TCR_VALUE   (25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | 2 << 32)
#define RAM_BLOCK   (0x40000000 | 1 << 10 | 3 << 8 | 1)

#define PSCI_CPU_OFF	   0x84000002
#define PSCI_CPU_ON	   0xc4000003
#define PSCI_AFFINITY_INFO 0xc4000004
#define PSCI_SYSTEM_OFF	   0x84000008
#define AFFINITY_OFF	   1

	.macro	load reg, value
	movz	\reg, #((\value) & 0xffff)
	movk	\reg, #((\value) >> 16 & 0xffff), lsl #16
	.endm

	/* adds 1 to what is at address; the old value to w0 */
	.macro	count address
	adr	x1, \address
1:	ldaxr	w0, [x1]
	add	w2, w0, #1
	stlxr	w3, w2, [x1]
	cbnz	w3, 1b
	.endm

	.section .head, "ax"
image:	b	boot
	.long	0
	.quad	0			// text_offset
	.quad	image_end - image	// image_size
	.quad	0xa			// 4 KiB pages, anywhere
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0

/* x19: CPU that is dealt with; x20: how many others there are. */
boot:	bl	mmu_on
	mov	x19, #1
start:	load	x0, PSCI_CPU_ON
	mov	x1, x19
	adr	x2, secondary
	hvc	#0
	cbnz	x0, 1f
	add	x19, x19, #1
	b	start
1:	sub	x20, x19, #1
	adr	x1, arrived
2:	ldar	w0, [x1]
	cmp	w0, w20
	b.ne	2b
	adr	x1, go
	mov	w0, #1
	stlr	w0, [x1]
	sev
	bl	share

	mov	x19, x20
off:	cbz	x19, 4f
3:	load	x0, PSCI_AFFINITY_INFO
	mov	x1, x19
	mov	x2, #0
	hvc	#0
	cmp	x0, #AFFINITY_OFF
	b.ne	3b
	sub	x19, x19, #1
	b	off
4:	hint	#(MARKER + 2)
	load	x0, PSCI_SYSTEM_OFF
	hvc	#0

secondary:
	bl	mmu_on
	count	arrived
	adr	x1, go
1:	wfe
	ldar	w0, [x1]
	cbz	w0, 1b
	bl	share
	load	x0, PSCI_CPU_OFF
	hvc	#0

mmu_on:	adr	x0, tables
	mov	x1, #MAIR_VALUE
	msr	mair_el1, x1
	ldr	x1, =TCR_VALUE
	msr	tcr_el1, x1
	msr	ttbr0_el1, x0
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	mrs	x0, sctlr_el1
	mov	x1, #(SCTLR_M | SCTLR_C)
	orr	x1, x1, #SCTLR_I
	orr	x0, x0, x1
	msr	sctlr_el1, x0
	isb
	ret

/* This CPU's part of the copy. */
share:	hint	#(MARKER + 0)
chunk:	count	claimed
	cmp	w0, #CHUNKS
	b.hs	copied
#ifdef FLUSH
	tlbi	vmalle1is
	dsb	ish
#endif
	mov	x4, #CHUNK
	mul	x5, x0, x4
	load	x1, SOURCE
	add	x1, x1, x5
	load	x0, DESTINATION
	add	x0, x0, x5
	mov	x2, x4
2:	ldp	x4, x5, [x1]
	ldp	x6, x7, [x1, #16]
	ldp	x8, x9, [x1, #32]
	ldp	x10, x11, [x1, #48]
	add	x1, x1, #LINE
	stp	x4, x5, [x0]
	stp	x6, x7, [x0, #16]
	stp	x8, x9, [x0, #32]
	stp	x10, x11, [x0, #48]
	add	x0, x0, #LINE
	subs	x2, x2, #LINE
	b.ne	2b
	b	chunk
copied:	dsb	sy
	hint	#(MARKER + 1)
	ret

	.ltorg
	.balign	LINE
arrived: .long	0
	.balign	LINE
go:	.long	0
	.balign	LINE
claimed: .long	0
	.balign	4096
tables:	.quad	0
	.quad	RAM_BLOCK
	.space	4096 - 2 * 8
image_end:
