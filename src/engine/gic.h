/* SPDX-License-Identifier: MIT */
/* Registers of a GIC (IHI 0069, chapter 12; IHI 0048 for GICv2), as far as they are used here. */
#ifndef ENGINE_GIC_H
#define ENGINE_GIC_H

#include <arm64/sysreg.h>

#define GICD_CTLR	 0x0000
#define GICD_CTLR_ARE_S	 BIT(4)
#define GICD_CTLR_ARE_NS BIT(5)
#define GICD_TYPER	 0x0004
#define GICD_TYPER_LINES 0x1f /* sets of 32 interrupts, less one */
#define GICD_IGROUPR	 0x0080
#define GICD_IGRPMODR	 0x0d00

#define GICC_PMR 0x0004

#define GICR_CTLR	      0x0000
#define GICR_CTLR_ENABLE_LPIS BIT(0)
#define GICR_CTLR_RWP	      BIT(3) /* a write is still on its way */
#define GICR_TYPER	      0x0008
#define GICR_TYPER_PLPIS      BIT(0) /* there are LPIs */
#define GICR_TYPER_VLPIS      BIT(1) /* GICv4: frames are twice as long */
#define GICR_TYPER_LAST	      BIT(4)
#define GICR_WAKER	      0x0014
#define GICR_WAKER_SLEEP      BIT(1)
#define GICR_WAKER_ASLEEP     BIT(2)
#define GICR_FRAME	      0x20000 /* of which SGIs and PPIs have the second half */
#define GICR_SGI	      0x10000
#define GICR_MAX	      512 /* a chain that does not end is none */

#define GITS_CTLR	    0x0000
#define GITS_CTLR_ENABLED   BIT(0)
#define GITS_CTLR_QUIESCENT BIT(31)

#define GIC_POLLS 0x10000 /* for what takes microseconds */

static inline volatile uint32_t *gic_register(uint64_t address)
{
	return (volatile uint32_t *)address;
}

/* From one redistributor to the next. */
static inline uint64_t gic_redistributor_size(uint32_t type)
{
	return type & GICR_TYPER_VLPIS ? 2 * GICR_FRAME : GICR_FRAME;
}

#endif /* ENGINE_GIC_H */
