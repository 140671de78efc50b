/* SPDX-License-Identifier: MIT */
#include "fdt_bus.h"

#include "fdt_tree.h"

#define DEPTH_MAX 16 /* the root's children are at 1 */

/* The child of parent that node is, or is in; or an error of libfdt. */
static int child_towards(const void *fdt, int parent, int node)
{
	int found = -FDT_ERR_NOTFOUND;
	int child;

	fdt_tree_for_each(child, fdt, parent)
	{
		if (child > node)
			break;
		found = child;
	}
	return found;
}

/* Fills nodes with the path from the root, nodes[0], to node; returns node's depth, or -1. */
static int find_path(const void *fdt, int node, int nodes[DEPTH_MAX + 1])
{
	int depth = 0;

	for (nodes[0] = 0; nodes[depth] != node; depth++) {
		if (depth == DEPTH_MAX)
			return -1;
		nodes[depth + 1] = child_towards(fdt, nodes[depth], node);
	}
	return depth;
}

/* One entry of ranges: child bus address, parent bus address, size. */
static bool translate_entry(const fdt32_t *entry, struct fdt_cells child, struct fdt_cells parent,
			    uint64_t *address)
{
	uint64_t from = fdt_tree_join(entry, child.address);
	uint64_t to = fdt_tree_join(entry + child.address, parent.address);
	uint64_t size = fdt_tree_join(entry + child.address + parent.address, child.size);
	uint64_t offset = *address - from;

	return offset < size && !__builtin_add_overflow(to, offset, address);
}

/* Turns an address on bus into one on parent. No ranges: the bus is not mapped. */
static bool translate(const void *fdt, int bus, int parent, uint64_t *address)
{
	struct fdt_cells child;
	struct fdt_cells above;
	int length;
	const fdt32_t *ranges = fdt_getprop(fdt, bus, "ranges", &length);
	unsigned int entry;
	unsigned int count;

	if (!ranges || !fdt_tree_cells(fdt, bus, &child) || !fdt_tree_cells(fdt, parent, &above))
		return false;
	if (length == 0)
		return true;

	entry = child.address + above.address + child.size;
	count = (unsigned int)length / sizeof(*ranges);
	for (unsigned int i = 0; i + entry <= count; i += entry) {
		if (translate_entry(&ranges[i], child, above, address))
			return true;
	}
	return false;
}

bool fdt_bus_registers(const void *fdt, int node, size_t index, struct range *registers)
{
	int nodes[DEPTH_MAX + 1];
	struct fdt_cells cells;
	struct fdt_reg reg;
	uint64_t size;
	int depth = find_path(fdt, node, nodes);

	if (depth < 1 || !fdt_tree_cells(fdt, nodes[depth - 1], &cells) ||
	    !fdt_tree_reg(fdt, node, "reg", cells, &reg) || reg.count <= index ||
	    !fdt_tree_range(&reg, index, registers))
		return false;

	size = registers->end - registers->start;
	for (int bus = depth - 1; bus > 0; bus--) {
		if (!translate(fdt, nodes[bus], nodes[bus - 1], &registers->start))
			return false;
	}
	return !__builtin_add_overflow(registers->start, size, &registers->end);
}
