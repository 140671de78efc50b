/* SPDX-License-Identifier: MIT */
#include "fdt_gic.h"

#include "fdt_bus.h"
#include "fdt_tree.h"

#define REGISTER_FRAME 0x10000ull /* IHI 0069, 12.1: frames are 64 KiB */

/* Adds registers that are whole frames. */
static void add(const void *fdt, int node, size_t index, struct range *regions, size_t *count)
{
	struct range r;

	if (*count == FDT_GIC_REGIONS || !fdt_bus_registers(fdt, node, index, &r))
		return;
	if (r.start < r.end && r.start % REGISTER_FRAME == 0 && r.end % REGISTER_FRAME == 0)
		regions[(*count)++] = r;
}

static int find_gic(const void *fdt)
{
	int node = 0;

	while (node >= 0 && !fdt_tree_is_compatible(fdt, node, "arm,gic-v3"))
		node = fdt_tree_following(fdt, node);
	return node;
}

void fdt_read_gic(const void *fdt, struct fdt_gic *gic)
{
	int node = find_gic(fdt);
	uint64_t regions = 1;
	int child;

	*gic = (struct fdt_gic){0};
	if (node < 0 || !fdt_tree_enabled(fdt, node))
		return;
	fdt_tree_number(fdt, node, "#redistributor-regions", &regions);
	fdt_tree_number(fdt, node, "redistributor-stride", &gic->stride);
	if (gic->stride % REGISTER_FRAME)
		return;
	/* The first pair is the distributor's. */
	for (uint64_t i = 1; i <= regions && i <= FDT_GIC_REGIONS; i++)
		add(fdt, node, i, gic->redistributors, &gic->redistributor_count);
	fdt_tree_for_each(child, fdt, node)
	{
		if (fdt_tree_is_compatible(fdt, child, "arm,gic-v3-its") &&
		    fdt_tree_enabled(fdt, child))
			add(fdt, child, 0, gic->its, &gic->its_count);
	}
}
