/* SPDX-License-Identifier: MIT */
/*
 * What calibrate.py measures: an arm64 Image that runs each case once, from EL1 with the MMU off,
 * on a machine with 1 GiB of RAM from 0x40000000. HINTs that are NOPs elsewhere tell lens where a
 * case begins and ends: case n's are MARKER + 2n and MARKER + 2n + 1. Assembly because the
 * instructions are the subject.
 *
 * VAs: 1 GiB from 0x40000000 is RAM as itself, write-back; the next GiB is the same RAM, Normal
 * non-cacheable, the one after it Device-nGnRnE.
 */

#define MARKER	    0x60
#define LINE	    64
#define PAGE	    4096
#define PAGE_LINES  (PAGE / LINE)

#define SOURCE	    0x48000000
#define DESTINATION 0x58000000
#define BULK	    (128 << 20)	/* larger than any profile's caches */
#define CHASE	    SOURCE
#define CHASE_STEPS 65536
#define SLOW_BULK   (1 << 20)	/* uncached cases */
#define NC_ALIAS    0x40000000	/* to add to an address */
#define DEVICE_ALIAS 0x80000000
#define AHEAD	    2048	/* PRFM */

/* Sizes of the published relocations, in pages. */
#define PAGES_25MB  (25000000 / PAGE)
#define PAGES_84MB  (84000000 / PAGE)

#define SCTLR_M	    (1 << 0)
#define SCTLR_C	    (1 << 2)
#define SCTLR_I	    (1 << 12)

/* MAIR: 0 write-back, 1 Normal non-cacheable, 2 Device-nGnRnE. */
#define MAIR_VALUE  0x0044ff

/* T0SZ 25: three levels, of which 1 GiB blocks use the first; write-back, inner shareable, 40 bits;
 * no TTBR1. */
#define TCR_VALUE   (25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | 2 << 32)

#define BLOCK(pa, attribute) ((pa) | 1 << 10 | 3 << 8 | (attribute) << 2 | 1)

#define PSCI_SYSTEM_OFF 0x84000008

	.macro	begin case
	dsb	sy
	hint	#(MARKER + 2 * \case)
	.endm

	.macro	end case
	dsb	sy
	hint	#(MARKER + 2 * \case + 1)
	.endm

	.macro	load reg, value
	movz	\reg, #((\value) & 0xffff)
	movk	\reg, #((\value) >> 16 & 0xffff), lsl #16
	.endm

	.section .head, "ax"
image:	b	start
	.long	0
	.quad	0			// text_offset
	.quad	image_end - image	// image_size
	.quad	0xa			// 4 KiB pages, anywhere
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0

start:	adr	x0, tables
	mov	x1, #MAIR_VALUE & 0xffff
	movk	x1, #MAIR_VALUE >> 16, lsl #16
	msr	mair_el1, x1
	ldr	x1, =TCR_VALUE
	msr	tcr_el1, x1
	msr	ttbr0_el1, x0
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	mrs	x28, sctlr_el1
	mov	x1, #(SCTLR_M | SCTLR_C)
	orr	x1, x1, #SCTLR_I
	orr	x29, x28, x1
	msr	sctlr_el1, x29
	isb

	mov	w3, #(16 << 10) / LINE
	bl	chase_build
	bl	chase_walk
	begin	0
	bl	chase_walk
	end	0
	mov	w3, #(256 << 10) / LINE
	bl	chase_build
	bl	chase_walk
	begin	1
	bl	chase_walk
	end	1
	load	w3, BULK / LINE
	bl	chase_build
	begin	2
	bl	chase_walk
	end	2

	load	x0, DESTINATION			// first, so that no cache has any of SOURCE
	load	x2, BULK
	begin	5
	bl	fill
	end	5
	load	x0, DESTINATION
	load	x1, SOURCE
	load	x2, BULK
	begin	3
	bl	copy
	end	3
	load	x0, DESTINATION
	load	x1, SOURCE
	load	x2, BULK
	begin	4
	bl	copy_prefetch
	end	4
	load	x0, SOURCE
	load	x2, BULK
	begin	6
	bl	zero
	end	6

	load	x0, DESTINATION + DEVICE_ALIAS
	load	x1, SOURCE + DEVICE_ALIAS
	load	x2, SLOW_BULK
	begin	7
	bl	copy
	end	7
	load	x0, DESTINATION + NC_ALIAS
	load	x1, SOURCE + NC_ALIAS
	load	x2, SLOW_BULK
	begin	8
	bl	copy
	end	8

	load	x0, DESTINATION
	load	x2, SLOW_BULK
	begin	9
	bl	clean_invalidate		// nothing of it is in the caches
	end	9
	load	x0, DESTINATION
	load	x2, 16 << 10
	bl	fill
	load	x0, DESTINATION
	load	x2, 16 << 10
	begin	10
	bl	clean
	end	10

	load	x3, PAGES_25MB
	begin	11
	bl	relocate_cached
	end	11
	load	x3, PAGES_84MB
	begin	12
	bl	relocate_cached
	end	12

	msr	sctlr_el1, x28
	isb
	load	x3, PAGES_25MB
	begin	13
	bl	relocate_uncached
	end	13
	load	x3, PAGES_84MB
	begin	14
	bl	relocate_uncached
	end	14

	load	w0, PSCI_SYSTEM_OFF
	hvc	#0
1:	b	1b

/* A cycle through w3 lines, a power of two, in the order of a full-period generator (multiplier
 * 1 modulo 4, odd increment); each line points to the next. */
chase_build:
	load	x0, CHASE
	sub	w4, w3, #1
	load	w5, 1664525
	load	w6, 1013904223
	mov	w7, #0
1:	madd	w8, w7, w5, w6
	and	w8, w8, w4
	add	x9, x0, x7, lsl #6
	add	x10, x0, x8, lsl #6
	str	x10, [x9]
	mov	w7, w8
	cbnz	w7, 1b
	ret

/* CHASE_STEPS of it. */
chase_walk:
	load	x0, CHASE
	mov	w1, #CHASE_STEPS >> 3
1:	.rept	8
	ldr	x0, [x0]
	.endr
	subs	w1, w1, #1
	b.ne	1b
	ret

	.macro	copy_line
	ldp	x4, x5, [x1]
	ldp	x6, x7, [x1, #16]
	ldp	x8, x9, [x1, #32]
	ldp	x10, x11, [x1, #48]
	add	x1, x1, #LINE
	stp	x4, x5, [x0]
	stp	x6, x7, [x0, #16]
	stp	x8, x9, [x0, #32]
	stp	x10, x11, [x0, #48]
	add	x0, x0, #LINE
	.endm

copy:	copy_line
	subs	x2, x2, #LINE
	b.ne	copy
	ret

copy_prefetch:
	prfm	pldl1strm, [x1, #AHEAD]
	copy_line
	subs	x2, x2, #LINE
	b.ne	copy_prefetch
	ret

fill:	stp	xzr, xzr, [x0]
	stp	xzr, xzr, [x0, #16]
	stp	xzr, xzr, [x0, #32]
	stp	xzr, xzr, [x0, #48]
	add	x0, x0, #LINE
	subs	x2, x2, #LINE
	b.ne	fill
	ret

zero:	dc	zva, x0
	add	x0, x0, #LINE
	subs	x2, x2, #LINE
	b.ne	zero
	ret

clean_invalidate:
	dc	civac, x0
	add	x0, x0, #LINE
	subs	x2, x2, #LINE
	b.ne	clean_invalidate
	ret

clean:	dc	cvac, x0
	add	x0, x0, #LINE
	subs	x2, x2, #LINE
	b.ne	clean
	ret

/* Linux since 5.16: caches on; after each page a clean and invalidate of each of its lines. */
relocate_cached:
	load	x0, DESTINATION
	load	x1, SOURCE
1:	mov	x2, #PAGE
2:	copy_line
	subs	x2, x2, #LINE
	b.ne	2b
	sub	x0, x0, #PAGE
	mov	x2, #PAGE_LINES
3:	dc	civac, x0
	add	x0, x0, #LINE
	subs	x2, x2, #1
	b.ne	3b
	dsb	sy
	subs	x3, x3, #1
	b.ne	1b
	ret

/* Linux before 5.16: MMU off, an entry of the list, the destination page invalidated, copied. */
relocate_uncached:
	load	x0, DESTINATION
	load	x1, SOURCE
	mov	x15, x1
1:	ldr	x14, [x15]
	mov	x2, #PAGE_LINES
	mov	x4, x0
2:	dc	ivac, x4
	add	x4, x4, #LINE
	subs	x2, x2, #1
	b.ne	2b
	dsb	sy
	mov	x2, #PAGE
3:	copy_line
	subs	x2, x2, #LINE
	b.ne	3b
	subs	x3, x3, #1
	b.ne	1b
	ret

	.ltorg
	.balign	4096
tables:	.quad	0
	.quad	BLOCK(0x40000000, 0)
	.quad	BLOCK(0x40000000, 1)
	.quad	BLOCK(0x40000000, 2)
	.space	4096 - 4 * 8
image_end:
