/* SPDX-License-Identifier: MIT */
#include <arm64/asm.h>
#include <linux/psci.h>

#include "cpus.h"

/* Where another CPU comes to, with its MMU off: it answers, and goes off, or
 * stays here where there is no PSCI. */
function cpus_entry
	adr_l	x1, cpus_answer
	mrs	x2, CurrentEL
	str	x2, [x1, #ANSWER_EL]
	mov	x4, xzr
	branch_at_el2 1f, x2
	b	2f
1:	mrs	x4, hcr_el2
	ubfx	x4, x4, #HCR_E2H_BIT, #1
2:	str	x4, [x1, #ANSWER_E2H]
	mrs	x2, mpidr_el1
	mov_q	x3, MPIDR_AFFINITY
	and	x2, x2, x3
	dsb	sy
	str	x2, [x1, #ANSWER_ID]
	ldr	x3, [x1, #ANSWER_WAY]
	dsb	sy
	mov_q	x0, PSCI_0_2_FN_CPU_OFF
	cbz	x3, 5f
	cmp	x3, #WAY_HVC
	b.ne	3f
	hvc	#0
	b	5f
3:	smc	#0
5:	b	park
function_end cpus_entry

	.section .noinit, "aw", %nobits
	.balign 64
	.global cpus_answer
	.hidden cpus_answer
cpus_answer:
	.skip	64
