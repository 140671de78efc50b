/* SPDX-License-Identifier: MIT */
/* The machine's tree, which fdt_fixup completes or takes from. */
#ifndef TESTS_UNIT_FDT_MACHINE_H
#define TESTS_UNIT_FDT_MACHINE_H

#include <stdio.h>

#include "tree.h"

/* How the machine's tree differs from the usual one. */
struct machine {
	const char *kaslr_seed; /* 8 bytes */
	bool no_chosen;
	bool old_timing;
	unsigned int more_reserved;
	unsigned int more_memory;
	unsigned int more_reservations;
};

static inline void machine_memory(void *tree, const char *name, uint32_t high, uint32_t low,
				  uint32_t size)
{
	tree_node(tree, name);
	tree_string(tree, "device_type", "memory");
	TREE_CELLS(tree, "reg", high, low, 0, size);
	tree_u32(tree, "numa-node-id", 1);
	tree_close(tree);
}

static inline void machine_reserved(void *tree, const char *name, uint32_t start, uint32_t size)
{
	tree_node(tree, name);
	TREE_CELLS(tree, "reg", 0, start, 0, size);
	tree_u32(tree, "phandle", 3);
	tree_flag(tree, "no-map");
	tree_close(tree);
}

static inline void machine_old_timing(void *tree)
{
	tree_node(tree, "kexpress");
	tree_u64(tree, "version", 77);
	tree_u64(tree, "left-over", 1);
	tree_close(tree);
}

static inline void machine_chosen(void *tree, const struct machine *m)
{
	tree_node(tree, "chosen");
	tree_string(tree, "bootargs", "old arguments, and long ones");
	tree_u32(tree, "linux,initrd-start", 0x48000000);
	tree_u32(tree, "linux,initrd-end", 0x48123456);
	tree_string(tree, "stdout-path", "/machine-uart");
	tree_bytes(tree, "kaslr-seed", m->kaslr_seed ? m->kaslr_seed : "machine!", 8);
	tree_bytes(tree, "rng-seed", "seed", 4);
	TREE_CELLS(tree, "linux,elfcorehdr", 0, 0x50000000, 0, 0x1000);
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x40000000, 0, 0x20000000);
	tree_u64(tree, "linux,uefi-system-table", 0x5f000000);
	TREE_CELLS(tree, "linux,kho-fdt", 0, 0x58000000, 0, 0x1000);
	TREE_CELLS(tree, "linux,kho-scratch", 0, 0x58001000, 0, 0x20);
	if (m->old_timing)
		machine_old_timing(tree);
	tree_close(tree);
}

static inline void machine_many(void *tree, unsigned int count, bool memory)
{
	for (unsigned int i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "more@%x", 0x1000 * i);
		if (memory)
			machine_memory(tree, name, 1, 0x1000 * i, 0x1000);
		else
			machine_reserved(tree, name, 0x1000 * i, 0x1000);
	}
}

static inline void machine_reserved_memory(void *tree, const struct machine *m)
{
	tree_bus(tree, "reserved-memory", 2, 2);
	tree_flag(tree, "ranges");
	machine_reserved(tree, "secure@4e000000", 0x4e000000, 0x200000);
	machine_reserved(tree, "ramoops", 0x4f000000, 0x1000);
	tree_node(tree, "pool");
	TREE_CELLS(tree, "size", 0, 0x1000000);
	tree_close(tree);
	tree_node(tree, "unused@1000");
	tree_string(tree, "status", "disabled");
	TREE_CELLS(tree, "reg", 0, 0x1000, 0, 0x1000);
	tree_close(tree);
	machine_many(tree, m->more_reserved, false);
	tree_close(tree);
}

static inline void *make_machine(const struct machine *m)
{
	void *tree = tree_new();

	tree_reserve(tree, 0x47fff000, 0x1000);
	tree_reserve(tree, 0x48000000, 0x123456); /* its initrd */
	tree_reserve(tree, 0x100000000, 0x2000);
	for (unsigned int i = 0; i < m->more_reservations; i++)
		tree_reserve(tree, 0x200000000 + 0x2000 * i, 0x1000);
	tree_open(tree, 2, 2);
	tree_string(tree, "model", "machine");
	machine_memory(tree, "memory@40000000", 0, 0x40000000, 0x40000000);
	machine_memory(tree, "memory@800000000", 8, 0, 0x40000000);
	machine_many(tree, m->more_memory, true);
	machine_reserved_memory(tree, m);
	if (!m->no_chosen)
		machine_chosen(tree, m);
	tree_node(tree, "psci");
	tree_string(tree, "method", "hvc");
	tree_close(tree);
	tree = tree_finish(tree);
	fdt_set_boot_cpuid_phys(tree, 5);
	return tree;
}

/* The usual machine. */
static inline void *machine_tree(void)
{
	return make_machine(&(struct machine){0});
}

#endif /* TESTS_UNIT_FDT_MACHINE_H */
