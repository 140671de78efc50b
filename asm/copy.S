/* SPDX-License-Identifier: MIT */
/*
 * Copy loops, MMU on, Normal memory. In assembly because which instructions touch memory, how wide
 * and in which order, is the subject. Which of them is the fastest depends on the core and its
 * memory: src/engine/copier.c finds out.
 *
 *   copy_X(x0 = destination, x1 = source, x2 = bytes)
 *   copy_X_clean(x0, x1, x2, x3 = behind)
 *
 * bytes is a multiple of 64 and not 0, destination 64-byte aligned, source of any alignment. Forward,
 * and every 64 bytes are read before they are written: a destination below its overlapping source
 * comes out right, but for copy_zva, which takes no overlap. The clean ones also clean bytes from
 * behind, 64-byte aligned, to PoC, a line for each that they copy: while it is on its way to memory
 * the core goes on. They want cache lines of 64 bytes; no barrier inside.
 * Clobber x0..x3 and q0..q3.
 */
#include <arm64/asm.h>
#include <arm64/patch.h>

#define NEAR 512  /* bytes to prefetch ahead: some lines in flight on any core */
#define FAR  2048 /* DRAM latency times the bandwidth of the fastest cores */

.macro copy_loop name, ahead=0, zva=0, clean=0
function \name
1:
	.if \ahead
	prfm	pldl1strm, [x1, #\ahead]
	.endif
	.if \zva
	dc	zva, x0
	.endif
	ldp	q0, q1, [x1], #32
	ldp	q2, q3, [x1], #32
	.if \clean
	dc	cvac, x3
	add	x3, x3, #64
	.endif
	stp	q0, q1, [x0], #32
	stp	q2, q3, [x0], #32
	subs	x2, x2, #64
	b.ne	1b
	ret
function_end \name
.endm

	copy_loop copy_plain
	copy_loop copy_plain_clean, clean=1
	copy_loop copy_near, ahead=NEAR
	copy_loop copy_near_clean, ahead=NEAR, clean=1
	copy_loop copy_far, ahead=FAR
	copy_loop copy_far_clean, ahead=FAR, clean=1
	copy_loop copy_zva, zva=1
	copy_loop copy_zva_clean, zva=1, clean=1

	.arch_extension mops
/* copy_mops(x0 = destination, x1 = source, x2 = bytes): by FEAT_MOPS, whatever the core makes of it. */
function copy_mops
	cpyfp	[x0]!, [x1]!, x2!
	cpyfm	[x0]!, [x1]!, x2!
	cpyfe	[x0]!, [x1]!, x2!
	ret
function_end copy_mops

/* copy_line_size(), copy_zva_size(): what x0 gets is this CPU's, in bytes (arm64/patch.h). */
function copy_line_size
	patched_value x0, line
	ret
function_end copy_line_size

function copy_zva_size
	patched_value x0, zva
	ret
function_end copy_zva_size

/* copy_bytes(x0 = destination, x1 = source, x2 = bytes): what is no whole line. Clobbers x3. */
function copy_bytes
	cbz	x2, 2f
1:	ldrb	w3, [x1], #1
	strb	w3, [x0], #1
	subs	x2, x2, #1
	b.ne	1b
2:	ret
function_end copy_bytes
