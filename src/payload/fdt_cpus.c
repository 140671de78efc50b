/* SPDX-License-Identifier: MIT */
#include "fdt_cpus.h"

#include <string.h>

#include "fdt_tree.h"

#define RELEASE "cpu-release-addr"

static bool is_cpu(const void *fdt, int node)
{
	const char *type = fdt_tree_string(fdt, node, "device_type");

	return type && strcmp(type, "cpu") == 0;
}

/* reg of a CPU has no size. */
static bool read_id(const void *fdt, int node, uint64_t *id)
{
	return fdt_tree_number(fdt, node, "reg", id) && !(*id & ~FDT_CPU_ID_MASK);
}

/* CPU_ON and AFFINITY_INFO have numbers of their own, in the node, before PSCI 0.2. */
static bool has_psci(const void *fdt)
{
	int psci = fdt_tree_child(fdt, 0, "psci");

	return psci >= 0 && (fdt_node_check_compatible(fdt, psci, "arm,psci-0.2") == 0 ||
			     fdt_node_check_compatible(fdt, psci, "arm,psci-1.0") == 0);
}

static bool read_cpu(const void *fdt, int node, bool psci, struct fdt_cpu *cpu)
{
	const char *method = fdt_tree_string(fdt, node, "enable-method");

	*cpu = (struct fdt_cpu){0};
	if (!is_cpu(fdt, node) || !method || !fdt_tree_enabled(fdt, node) ||
	    !read_id(fdt, node, &cpu->id))
		return false;
	if (strcmp(method, "spin-table") == 0) {
		cpu->method = FDT_CPU_SPIN_TABLE;
		return fdt_tree_number(fdt, node, RELEASE, &cpu->release) &&
		       cpu->release % sizeof(uint64_t) == 0;
	}
	cpu->method = FDT_CPU_PSCI;
	return psci && strcmp(method, "psci") == 0;
}

static bool is_listed(const struct fdt_cpu *cpus, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (cpus[i].id == id)
			return true;
	return false;
}

size_t fdt_cpus_read(const void *fdt, uint64_t boot, struct fdt_cpu *cpus, size_t max)
{
	int parent = fdt_tree_child(fdt, 0, "cpus"), node;
	bool psci = has_psci(fdt);
	struct fdt_cpu cpu;
	size_t count = 0;

	if (parent < 0)
		return 0;
	fdt_for_each_subnode (node, fdt, parent) {
		if (!read_cpu(fdt, node, psci, &cpu) || cpu.id == boot)
			continue;
		if (is_listed(cpus, count, cpu.id))
			return 0;
		if (count < max)
			cpus[count++] = cpu;
	}
	return count;
}

/* A node's offset changes with what is written before it: one at a time. Returns whether there was
 * one, or an error. */
static int widen_one(void *fdt)
{
	int parent = fdt_tree_child(fdt, 0, "cpus"), node, length;
	uint64_t release;

	if (parent < 0)
		return 0;
	fdt_for_each_subnode (node, fdt, parent) {
		int err;

		if (!fdt_tree_value(fdt, node, RELEASE, &length) || length != sizeof(uint32_t))
			continue;
		fdt_tree_number(fdt, node, RELEASE, &release);
		err = fdt_setprop_u64(fdt, node, RELEASE, release);
		return err ? err : 1;
	}
	return 0;
}

int fdt_cpus_prepare(void *fdt, const struct range *page)
{
	int err = fdt_add_mem_rsv(fdt, page->start, page->end - page->start);

	if (err)
		return err;
	do {
		err = widen_one(fdt);
	} while (err > 0);
	return err;
}

void fdt_cpus_release(void *fdt, uint64_t id, uint64_t address)
{
	int parent = fdt_tree_child(fdt, 0, "cpus"), node;
	uint64_t other;

	if (parent < 0)
		return;
	fdt_for_each_subnode (node, fdt, parent) {
		if (is_cpu(fdt, node) && read_id(fdt, node, &other) && other == id)
			fdt_setprop_inplace_u64(fdt, node, RELEASE, address);
	}
}

void fdt_cpus_forget(void *fdt, const struct range *page)
{
	int index = fdt_tree_find_reservation(fdt, page->start, page->end - page->start);

	if (index >= 0)
		fdt_del_mem_rsv(fdt, index);
}
