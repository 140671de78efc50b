/* SPDX-License-Identifier: MIT */
/*
 * Other cores: how they arrive, enter our map, and leave. In assembly because they come without
 * stack and MMU, and because the code of the landing page runs as a copy, at any address.
 *
 * A core with its MMU off writes to the landing page only, where nobody caches anything.
 */
#include <arm64/asm.h>
#include <linux/psci.h>

#include "../src/engine/entry.h"
#include "../src/engine/landing.h"

	page	.req x19	// the landing page
	core	.req x20	// our struct landing_core in it

/* What this CPU has of include/arm64/patch.h: our code is patched for one, and cores may differ. */
.macro read_features reg, tmp
	mrs	\reg, ctr_el0
	mov_q	\tmp, (FIELD(0xf, CTR_DMINLINE_SHIFT) | BIT(CTR_DIC_BIT))
	and	\reg, \reg, \tmp
	mrs	\tmp, dczid_el0
	orr	\reg, \reg, \tmp
.endm

/* landing_features(): the boot core's, to compare with. */
function landing_features
	read_features x0, x1
	ret
function_end landing_features

/*
 * Landing page, offset 0: whatever brought the core here, at whatever exception level, MMU off or
 * not. Keeps no register.
 *
 * We say that we are here before we look whether we may stay; the boot core closes the page before
 * it looks who is here. Whichever comes first, not both go on.
 */
function landing_code, .text.mmu_off
	msr	daifset, #0xf
	sctlr_off x0
	adr	page, landing_code
	mrs	x0, mpidr_el1
	mov_q	x1, MPIDR_AFFINITY
	and	x0, x0, x1
	ldr	x1, [page, #LANDING_COUNT]
	add	core, page, #LANDING_CORES
1:	cbz	x1, landing_stop
	ldr	x2, [core, #LANDING_CORE_ID]
	cmp	x2, x0
	b.eq	2f
	add	core, core, #LANDING_CORE_SIZE
	sub	x1, x1, #1
	b	1b
2:	mov	x1, #LANDING_ARRIVED
	str	x1, [core, #LANDING_CORE_STATE]
	dsb	sy
	mrs	x1, CurrentEL
	ldr	x2, [page, #LANDING_EL]
	cmp	x1, x2
	b.ne	landing_gone
	read_features x1, x2
	ldr	x2, [page, #LANDING_FEATURES]
	cmp	x1, x2
	b.ne	landing_gone
	branch_at_el2 3f, x1
	b	4f
3:	mrs	x1, hcr_el2
	str	x1, [core, #LANDING_CORE_HCR]
4:	ldr	x1, [page, #LANDING_CLOSED]
	cbnz	x1, landing_leave
	ldr	x1, [page, #LANDING_ENTRY]
	br	x1
function_end landing_code

/* Landing page: page and core are set, the MMU is off. */
function landing_leave, .text.mmu_off
	branch_at_el2 1f, x0
	b	landing_gone
1:	ldr	x0, [core, #LANDING_CORE_HCR]
	msr	hcr_el2, x0
	isb
	b	landing_gone
function_end landing_leave

function landing_gone, .text.mmu_off
	mov	x0, #LANDING_GONE
	str	x0, [core, #LANDING_CORE_STATE]
	dsb	sy
	ldr	x1, [core, #LANDING_CORE_METHOD]
	cmp	x1, #LANDING_SPIN
	b.eq	1f
	mov_q	x0, PSCI_0_2_FN_CPU_OFF
	cmp	x1, #LANDING_HVC
	b.eq	2f
	smc	#0
	b	landing_stop
2:	hvc	#0
	b	landing_stop

	/* As in a spin table (Linux Documentation/arch/arm64/booting.rst). */
1:	wfe
	ldr	x4, [core, #LANDING_CORE_MAILBOX]
	cbz	x4, 1b
	mov	x0, xzr
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	br	x4
function_end landing_gone

function landing_stop, .text.mmu_off
1:	wfi
	b	1b
function_end landing_stop

	.section .text.mmu_off.landing_end, "ax", %progbits
	.global landing_end
	.hidden landing_end
landing_end:

/*
 * From the landing page: page and core are set, MMU and caches off. The state that the boot core is
 * in, as far as it matters, and its map; then C, on a stack of our own.
 */
function secondary_enter, .text.mmu_off
	extensions_off x0, x1
	ldr	x0, [page, #LANDING_CRASH]
	msr	tpidrro_el0, x0
	msr	tpidr_el1, xzr
	msr	tpidr_el0, core
	adr_l	x0, vectors
	ldr	x1, [page, #LANDING_CPTR]
	branch_at_el2 1f, x2
	msr	vbar_el1, x0
	msr	cpacr_el1, x1
	b	2f
1:	ldr	x2, [page, #LANDING_HCR]
	msr	hcr_el2, x2
	isb					// the layout of CPTR_EL2 is E2H's
	msr	vbar_el2, x0
	msr	cptr_el2, x1
2:	msr	spsel, #1
	isb
	ldr	x0, [core, #LANDING_CORE_STACK]
	mov	sp, x0
	ldr	x0, [page, #LANDING_TTBR0]
	ldr	x1, [page, #LANDING_TTBR1]
	ldr	x2, [page, #LANDING_TCR]
	bl	mmu_switch
	mov	x29, xzr
	mov	x0, core
	adr_l	x30, secondary_leave
	b	secondary_main
function_end secondary_enter

/* The end of another core, in order or after a crash. Needs TPIDR_EL0 only. */
function secondary_leave, .text.mmu_off
	dsb	sy
	mrs	core, tpidr_el0
	bic	page, core, #(LANDING_SIZE - 1)
	msr	tpidrro_el0, xzr
	msr	tpidr_el1, xzr
	msr	tpidr_el0, xzr
	sctlr_off x0
	tlbi_local x0
	adr_l	x0, landing_code
	adr_l	x1, landing_leave
	sub	x1, x1, x0
	add	x1, page, x1
	br	x1
function_end secondary_leave
