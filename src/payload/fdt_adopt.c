/* SPDX-License-Identifier: MIT */
/* Functions return 0, or a node, or an error of libfdt, which is negative. */
#include "fdt_adopt.h"

#include <string.h>

#include "fdt_tree.h"

/* Nodes or reservations taken over of one kind; Linux had room for 64 for most of its life. */
#define ADOPTED_MAX 256

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const phandle_properties[] = {"phandle", "linux,phandle"};

/* Pairs of address and size, in the cells of where the node is. */
static const char *const reg_properties[] = {
	"reg",		 "linux,usable-memory", "linux,usable-memory-range", "linux,elfcorehdr",
	"linux,kho-fdt", "linux,kho-scratch",
};

static const struct {
	const char *name;
	bool keep; /* where the payload's tree has it, that counts */
} chosen_properties[] = {
	{"stdout-path", true},
	{"kaslr-seed", false},
	{"rng-seed", false},
	{"linux,usable-memory-range", false},
	{"linux,elfcorehdr", false},
	{"linux,uefi-system-table", false},
	{"linux,uefi-mmap-start", false},
	{"linux,uefi-mmap-size", false},
	{"linux,uefi-mmap-desc-size", false},
	{"linux,uefi-mmap-desc-ver", false},
	{"linux,uefi-secure-boot", false},
	{"linux,kho-fdt", false},
	{"linux,kho-scratch", false},
};

/* A node of the machine's tree on its way into the kernel's. */
struct adoption {
	const void *machine;
	struct fdt_cells from;
	void *fdt;
	struct fdt_cells to;
	int parent; /* in fdt */
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* Writes a property of (address, size) pairs with the cell counts of its new place. */
static int adopt_reg(const struct adoption *a, int node, int to, const char *name)
{
	unsigned int pair = a->to.address + a->to.size;
	struct fdt_reg reg;
	struct range range;
	void *value;
	int err;

	if (!fdt_tree_reg(a->machine, node, name, a->from, &reg))
		return -FDT_ERR_BADVALUE;
	err = fdt_setprop_placeholder(a->fdt, to, name, (int)(reg.count * pair * sizeof(fdt32_t)),
				      &value);
	for (size_t i = 0; !err && i < reg.count; i++) {
		fdt32_t *cells = (fdt32_t *)value + i * pair;

		if (!fdt_tree_range(&reg, i, &range) ||
		    !fdt_tree_fits(range.start, a->to.address) ||
		    !fdt_tree_fits(range.end - range.start, a->to.size))
			return -FDT_ERR_BADVALUE;
		fdt_tree_split(cells, a->to.address, range.start);
		fdt_tree_split(cells + a->to.address, a->to.size, range.end - range.start);
	}
	return err;
}

static int adopt_property(const struct adoption *a, int node, int to, const char *name)
{
	int length;
	const void *value;

	/* Nothing in the other tree refers to these, and its own have the same numbers. */
	if (is_one_of(name, phandle_properties, COUNT(phandle_properties)))
		return 0;
	if (is_one_of(name, reg_properties, COUNT(reg_properties)))
		return adopt_reg(a, node, to, name);
	value = fdt_getprop(a->machine, node, name, &length);
	return fdt_setprop(a->fdt, to, name, value, length);
}

/* Where the other tree has a node of this name, the machine knows better where it lies. */
static int adopt_node(const struct adoption *a, int node)
{
	const char *name = fdt_get_name(a->machine, node, NULL);
	int to = fdt_tree_child(a->fdt, a->parent, name);
	int err = 0;
	int offset;

	if (to == -FDT_ERR_NOTFOUND)
		to = fdt_add_subnode(a->fdt, a->parent, name);
	if (to < 0)
		return to;
	fdt_for_each_property_offset (offset, a->machine, node) {
		const char *property;

		if (err)
			break;
		fdt_getprop_by_offset(a->machine, offset, &property, NULL);
		err = adopt_property(a, node, to, property);
	}
	return err;
}

static int open_adoption(struct adoption *a, int bus)
{
	if (!fdt_tree_cells(a->machine, bus, &a->from) ||
	    !fdt_tree_cells(a->fdt, a->parent, &a->to))
		return -FDT_ERR_BADNCELLS;
	return 0;
}

static bool has_ranges(const void *fdt, int node, struct fdt_cells cells)
{
	struct fdt_reg reg;
	struct range range;

	if (!fdt_tree_reg(fdt, node, "reg", cells, &reg))
		return false;
	for (size_t i = 0; i < reg.count; i++) {
		if (fdt_tree_range(&reg, i, &range) && range.start < range.end)
			return true;
	}
	return false;
}

/* Linux's own sources leave sizes at 0 for the boot loader to fill in: such a node is none. */
static bool has_memory(const void *fdt, struct fdt_cells cells)
{
	int node;

	fdt_for_each_subnode (node, fdt, 0) {
		if (fdt_tree_is_memory(fdt, node) && fdt_tree_enabled(fdt, node) &&
		    has_ranges(fdt, node, cells))
			return true;
	}
	return false;
}

void fdt_adopt_drop_memory(void *fdt)
{
	int node = fdt_first_subnode(fdt, 0);

	while (node >= 0) {
		int next = fdt_next_subnode(fdt, node);

		if (fdt_tree_is_memory(fdt, node))
			fdt_nop_node(fdt, node);
		node = next;
	}
}

static int adopt_memory(void *fdt, const void *machine)
{
	struct adoption a = {.machine = machine, .fdt = fdt, .parent = 0};
	int err = open_adoption(&a, 0);
	unsigned int count = 0;
	int node;

	if (err || has_memory(fdt, a.to))
		return err;
	fdt_adopt_drop_memory(fdt);
	fdt_for_each_subnode (node, machine, 0) {
		if (err || !fdt_tree_is_memory(machine, node))
			continue;
		if (count++ == ADOPTED_MAX)
			return -FDT_ERR_NOSPACE;
		err = adopt_node(&a, node);
	}
	return err;
}

/* Linux wants /reserved-memory to count cells as the root does, and ranges to be there. */
static int reserved_memory_node(void *fdt)
{
	int node = fdt_tree_child(fdt, 0, "reserved-memory");
	int err;

	if (node != -FDT_ERR_NOTFOUND)
		return node;
	node = fdt_add_subnode(fdt, 0, "reserved-memory");
	if (node < 0)
		return node;
	err = fdt_setprop_empty(fdt, node, "ranges");
	if (!err)
		err = fdt_setprop_u32(fdt, node, "#size-cells", (uint32_t)fdt_size_cells(fdt, 0));
	if (!err)
		err = fdt_setprop_u32(fdt, node, "#address-cells",
				      (uint32_t)fdt_address_cells(fdt, 0));
	return err ? err : node;
}

/* Children without reg are no places but wishes, which the other tree has its own of. */
static int adopt_reserved_memory(void *fdt, const void *machine)
{
	struct adoption a = {.machine = machine, .fdt = fdt};
	int from = fdt_tree_child(machine, 0, "reserved-memory");
	unsigned int count = 0;
	int err;
	int node;

	if (from < 0)
		return from == -FDT_ERR_NOTFOUND ? 0 : from;
	a.parent = reserved_memory_node(fdt);
	if (a.parent < 0)
		return a.parent;
	err = open_adoption(&a, from);
	fdt_for_each_subnode (node, machine, from) {
		if (err || !fdt_tree_enabled(machine, node) ||
		    !fdt_getprop(machine, node, "reg", NULL))
			continue;
		if (count++ == ADOPTED_MAX)
			return -FDT_ERR_NOSPACE;
		err = adopt_node(&a, node);
	}
	return err;
}

static int adopt_reservations(void *fdt, const void *machine)
{
	int count = fdt_num_mem_rsv(machine);
	int err = 0;

	if (count > ADOPTED_MAX)
		return -FDT_ERR_NOSPACE;
	for (int i = 0; !err && i < count; i++) {
		uint64_t address;
		uint64_t size;

		fdt_get_mem_rsv(machine, i, &address, &size);
		if (fdt_tree_find_reservation(fdt, address, size) < 0)
			err = fdt_add_mem_rsv(fdt, address, size);
	}
	return err;
}

int fdt_adopt_chosen_node(void *fdt)
{
	int node = fdt_tree_child(fdt, 0, "chosen");

	return node == -FDT_ERR_NOTFOUND ? fdt_add_subnode(fdt, 0, "chosen") : node;
}

static int adopt_chosen(void *fdt, const void *machine)
{
	struct adoption a = {.machine = machine, .fdt = fdt, .parent = 0};
	int from = fdt_tree_child(machine, 0, "chosen");
	int to = fdt_adopt_chosen_node(fdt);
	int err = open_adoption(&a, 0);

	if (from == -FDT_ERR_NOTFOUND || to < 0)
		return to < 0 ? to : 0;
	for (size_t i = 0; !err && i < COUNT(chosen_properties); i++) {
		const char *name = chosen_properties[i].name;

		if (!fdt_getprop(machine, from, name, NULL))
			continue;
		if (!chosen_properties[i].keep || !fdt_getprop(fdt, to, name, NULL))
			err = adopt_property(&a, from, to, name);
	}
	return err;
}

int fdt_adopt_machine(void *fdt, const void *machine)
{
	int err = adopt_memory(fdt, machine);

	if (!err)
		err = adopt_reserved_memory(fdt, machine);
	if (!err)
		err = adopt_reservations(fdt, machine);
	if (!err)
		err = adopt_chosen(fdt, machine);
	return err;
}
