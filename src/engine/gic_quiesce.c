/* SPDX-License-Identifier: MIT */
/*
 * A kernel that is started while LPIs are enabled cannot move their tables, and goes on with
 * "memory probably corrupted" or hangs: Linux 6.1 and 6.12 leave them enabled on a kexec reboot.
 */
#include "gic_quiesce.h"

#include "console.h"
#include "gic.h"

static size_t drop_ram(const struct stage *s, struct range *regions, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!range_set_overlaps(&s->ram, regions[i].start, regions[i].end))
			regions[kept++] = regions[i];
	return kept;
}

void gic_find(struct stage *s)
{
	struct fdt_gic *g = &s->gic;

	fdt_read_gic(s->fdt, g);
	g->redistributor_count = drop_ram(s, g->redistributors, g->redistributor_count);
	g->its_count = drop_ram(s, g->its, g->its_count);
}

/* Clears a bit and waits until another says that it is done. False: it does not come to that. */
static bool clear(uint64_t address, uint32_t bit, uint32_t wait_for, uint32_t value)
{
	volatile uint32_t *control = gic_register(address);

	*control &= ~bit;
	barrier_dsb_sy();
	for (unsigned int i = 0; i < GIC_POLLS; i++)
		if ((*control & (wait_for | bit)) == value)
			return true;
	return false;
}

static void quiesce_its(uint64_t its)
{
	if (!(*gic_register(its + GITS_CTLR) & GITS_CTLR_ENABLED))
		return;
	if (!clear(its + GITS_CTLR, GITS_CTLR_ENABLED, GITS_CTLR_QUIESCENT, GITS_CTLR_QUIESCENT))
		say("warning: the ITS at 0x%llx does not become quiescent",
		    (unsigned long long)its);
}

/* The architecture lets a GIC keep EnableLPIs set for ever: then the kernel will say so, too. */
static void quiesce_redistributor(uint64_t frame, uint32_t type)
{
	if (!(type & GICR_TYPER_PLPIS) ||
	    !(*gic_register(frame + GICR_CTLR) & GICR_CTLR_ENABLE_LPIS))
		return;
	if (!clear(frame + GICR_CTLR, GICR_CTLR_ENABLE_LPIS, GICR_CTLR_RWP, 0))
		say("warning: LPIs of the redistributor at 0x%llx stay enabled",
		    (unsigned long long)frame);
}

static void quiesce_region(struct range region, uint64_t stride)
{
	uint64_t frame = region.start;
	uint32_t type = 0;

	for (unsigned int i = 0; i < GICR_MAX && !(type & GICR_TYPER_LAST); i++) {
		if (frame >= region.end || region.end - frame < GICR_FRAME)
			return;
		type = *gic_register(frame + GICR_TYPER);
		quiesce_redistributor(frame, type);
		frame += stride ? stride : gic_redistributor_size(type);
	}
}

void gic_quiesce(const struct stage *s)
{
	const struct fdt_gic *g = &s->gic;

	for (size_t i = 0; i < g->its_count; i++)
		quiesce_its(g->its[i].start);
	for (size_t i = 0; i < g->redistributor_count; i++)
		quiesce_region(g->redistributors[i], g->stride);
}
