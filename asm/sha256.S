/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) with the instructions of FEAT_SHA256. In assembly because C is built for
 * general registers only.
 */
#include <arm64/asm.h>

	.arch armv8-a+simd+sha2

	abcd	.req q0
	efgh	.req q1
	w	.req v16	// schedule and constants of four rounds
	before	.req q17	// abcd of four rounds ago

/* Four rounds. \a to \d: the schedule's next 16 words, of which \a is used up and, but in the last
 * rounds, refilled with the words for 16 rounds on. \k: constants. */
.macro four_rounds k, a, b, c, d, last=0
	add	w.4s, \a\().4s, \k\().4s
	.if !\last
	sha256su0 \a\().4s, \b\().4s
	.endif
	mov	v17.16b, v0.16b
	sha256h	abcd, efgh, w.4s
	sha256h2 efgh, before, w.4s
	.if !\last
	sha256su1 \a\().4s, \c\().4s, \d\().4s
	.endif
.endm

/* Sixteen rounds, with the constants of \k0 to \k3. */
.macro sixteen_rounds k0, k1, k2, k3, last=0
	four_rounds \k0, v2, v3, v4, v5, \last
	four_rounds \k1, v3, v4, v5, v2, \last
	four_rounds \k2, v4, v5, v2, v3, \last
	four_rounds \k3, v5, v2, v3, v4, \last
.endm

/* Big-endian words to lanes, and back. */
.macro swap_bytes a, b
	rev32	\a\().16b, \a\().16b
	rev32	\b\().16b, \b\().16b
.endm

/*
 * sha256_blocks(x0 = state, 32 bytes as in a digest, x1 = data, x2 = blocks of 64 bytes, not 0)
 *
 * MMU on, Normal memory; any alignment. Clobbers x1, x2, x3, v0 to v7 and v16 to v31.
 */
function sha256_blocks
	adr_l	x3, sha256_constants
	ldp	abcd, efgh, [x0]
	swap_bytes v0, v1
	ld1	{v20.4s-v23.4s}, [x3], #64
	ld1	{v24.4s-v27.4s}, [x3], #64
	ld1	{v28.4s-v31.4s}, [x3], #64
1:	ldp	q2, q3, [x1]
	ldp	q4, q5, [x1, #32]
	add	x1, x1, #64
	swap_bytes v2, v3
	swap_bytes v4, v5
	mov	v6.16b, v0.16b
	mov	v7.16b, v1.16b
	sixteen_rounds v20, v21, v22, v23
	sixteen_rounds v24, v25, v26, v27
	sixteen_rounds v28, v29, v30, v31
	ldp	q18, q19, [x3]
	four_rounds v18, v2, v3, v4, v5, last=1
	four_rounds v19, v3, v4, v5, v2, last=1
	ldp	q18, q19, [x3, #32]
	four_rounds v18, v4, v5, v2, v3, last=1
	four_rounds v19, v5, v2, v3, v4, last=1
	add	v0.4s, v0.4s, v6.4s
	add	v1.4s, v1.4s, v7.4s
	subs	x2, x2, #1
	b.ne	1b
	swap_bytes v0, v1
	stp	abcd, efgh, [x0]
	ret
function_end sha256_blocks

/* FIPS 180-4, 4.2.2. */
	.section .rodata.sha256_constants, "a", %progbits
	.balign	16
sha256_constants:
	.word	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5
	.word	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5
	.word	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3
	.word	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174
	.word	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc
	.word	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da
	.word	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7
	.word	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967
	.word	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13
	.word	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85
	.word	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3
	.word	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070
	.word	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5
	.word	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3
	.word	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208
	.word	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
