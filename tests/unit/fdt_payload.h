/* SPDX-License-Identifier: MIT */
/* The payload's own tree, which fdt_fixup is to complete. */
#ifndef TESTS_UNIT_FDT_PAYLOAD_H
#define TESTS_UNIT_FDT_PAYLOAD_H

#include "tree.h"

/* How the payload's tree differs from one with nothing but its model. */
struct payload {
	uint32_t address_cells;
	uint32_t size_cells;
	bool placeholder; /* /memory of size 0, as in Linux's sources */
	bool memory;	  /* with a size */
	bool reserved;	  /* /reserved-memory with children of its own */
	bool similar;	  /* a child called like the machine's, but for a unit address */
	bool chosen;
	bool reservations;
};

static inline void payload_reserved(void *tree, bool similar)
{
	tree_bus(tree, "reserved-memory", 2, 1);
	tree_flag(tree, "ranges");
	tree_node(tree, similar ? "ramoops@60000000" : "ramoops");
	tree_string(tree, "compatible", "ramoops");
	TREE_CELLS(tree, "reg", 0, 0x60000000, 0x1000);
	tree_u32(tree, "phandle", 1);
	tree_close(tree);
	tree_node(tree, "secure@4e000000-too");
	TREE_CELLS(tree, "reg", 0, 0x61000000, 0x1000);
	tree_close(tree);
	tree_close(tree);
}

static inline void payload_chosen(void *tree)
{
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", "/payload-uart");
	tree_bytes(tree, "kaslr-seed", "payload!", 8);
	tree_u64(tree, "linux,initrd-start", 1);
	tree_close(tree);
}

static inline void *make_payload(const struct payload *p)
{
	void *tree = tree_new();

	if (p->reservations) {
		tree_reserve(tree, 0x100000000, 0x2000);
		tree_reserve(tree, 0x47fff000, 0x800);
		tree_reserve(tree, 0x46000000, 0x1000);
	}
	tree_open(tree, p->address_cells, p->size_cells);
	tree_string(tree, "model", "payload");
	if (p->placeholder) {
		tree_node(tree, "memory@80000000");
		tree_string(tree, "device_type", "memory");
		TREE_CELLS(tree, "reg", 0, 0x80000000, 0, 0);
		tree_close(tree);
	}
	if (p->memory) {
		tree_node(tree, "memory@40000000");
		tree_string(tree, "device_type", "memory");
		TREE_CELLS(tree, "reg", 0, 0x40000000, 0, 0x1000, 0, 0, 0, 0);
		tree_close(tree);
	}
	if (p->reserved)
		payload_reserved(tree, p->similar);
	if (p->chosen)
		payload_chosen(tree);
	return tree_finish(tree);
}

#endif /* TESTS_UNIT_FDT_PAYLOAD_H */
