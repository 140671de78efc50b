/* SPDX-License-Identifier: MIT */
#include <arm64/asm.h>

#include "cpus.h"

/* Where another CPU comes to, with its MMU off: it answers, and waits for ever. */
function cpus_entry
	adr_l	x1, cpus_answer
	mrs	x2, CurrentEL
	str	x2, [x1, #ANSWER_EL]
	mrs	x2, mpidr_el1
	mov_q	x3, MPIDR_AFFINITY
	and	x2, x2, x3
	dsb	sy
	str	x2, [x1, #ANSWER_ID]
	dsb	sy
1:	wfi
	b	1b
function_end cpus_entry

	.section .noinit, "aw", %nobits
	.balign 64
	.global cpus_answer
	.hidden cpus_answer
cpus_answer:
	.skip	64
