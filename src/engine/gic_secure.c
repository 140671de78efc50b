/* SPDX-License-Identifier: MIT */
/*
 * A GIC as a reset leaves it gives every interrupt to the secure world, and its redistributors
 * sleep (GICv3 architecture, IHI 0069: 4.6, 11.1). A kernel can change neither.
 */
#include "el3.h"

#include <stdbool.h>
#include <stddef.h>

#include "board_data.h"
#include "features.h"
#include "gic.h"

#define ALL_INTERRUPTS	0xffffffffu
#define PRIORITY_LOWEST 0xff /* secure priorities mask nothing of the others */

/* Sets first to end - 1 of 32 interrupts, one register each: to the non-secure group 1. */
static void release(uint64_t base, size_t first, size_t end, bool modifiers)
{
	for (size_t i = first; i < end; i++) {
		*gic_register(base + GICD_IGROUPR + i * 4) = ALL_INTERRUPTS;
		if (modifiers)
			*gic_register(base + GICD_IGRPMODR + i * 4) = 0;
	}
}

static void wake(uint64_t redistributor)
{
	volatile uint32_t *waker = gic_register(redistributor + GICR_WAKER);

	*waker &= ~(uint32_t)GICR_WAKER_SLEEP;
	for (unsigned int i = 0; i < GIC_POLLS && (*waker & GICR_WAKER_ASLEEP); i++)
		;
}

static void set_redistributors(void)
{
	uint64_t frame = BOARD_GICR;
	uint32_t type = 0;

	for (unsigned int i = 0; i < GICR_MAX && !(type & GICR_TYPER_LAST); i++) {
		type = *gic_register(frame + GICR_TYPER);
		wake(frame);
		release(frame + GICR_SGI, 0, 1, true);
		frame += gic_redistributor_size(type);
	}
}

/* System registers before all else: with them affinity routing is on. */
static void set_gicv3(size_t sets)
{
	sysreg_write(ICC_SRE_EL3, ICC_SRE_SRE | ICC_SRE_DFB | ICC_SRE_DIB | ICC_SRE_ENABLE);
	barrier_isb();
	sysreg_write(ICC_PMR_EL1, PRIORITY_LOWEST);
	*gic_register(BOARD_GICD + GICD_CTLR) = GICD_CTLR_ARE_S | GICD_CTLR_ARE_NS;
	release(BOARD_GICD, 1, sets, true);
	set_redistributors();
}

static void set_gicv2(size_t sets)
{
	release(BOARD_GICD, 0, sets, false);
	*gic_register(BOARD_GICC + GICC_PMR) = PRIORITY_LOWEST;
}

void gic_make_non_secure(void)
{
	size_t sets;

	if (!BOARD_GICD)
		return;
	sets = (*gic_register(BOARD_GICD + GICD_TYPER) & GICD_TYPER_LINES) + 1;
	if (feature_field(FEATURE_PFR0, ID_AA64PFR0_GIC_SHIFT))
		set_gicv3(sets);
	else
		set_gicv2(sets);
	barrier_dsb_sy();
}
