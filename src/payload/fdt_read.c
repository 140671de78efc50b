/* SPDX-License-Identifier: MIT */
#include "fdt_read.h"

#include <string.h>

#include "../place/page.h"
#include "fdt_tree.h"

#define RELEASE_ADDRESS_MAX (1ull << 48)
#define USABLE_MAX	    2 /* ranges of linux,usable-memory-range: Linux's MAX_USABLE_RANGES */

static enum kx_error refuse_tree(const void *fdt, const char *what, struct kx_refusal *why)
{
	return kx_refuse(why, KX_E_FDT, what, (uintptr_t)fdt, (uintptr_t)fdt + fdt_totalsize(fdt));
}

/* Opens a property of pairs whose cells bus counts. */
static enum kx_error open_reg(const void *fdt, int bus, int node, const char *name,
			      struct fdt_reg *reg, struct kx_refusal *why)
{
	struct fdt_cells cells;

	if (!fdt_tree_cells(fdt, bus, &cells))
		return refuse_tree(fdt, "#address-cells or #size-cells is not 1 or 2", why);
	if (!fdt_tree_reg(fdt, node, name, cells, reg))
		return refuse_tree(fdt, "memory range property of odd length", why);
	return KX_OK;
}

static enum kx_error read_range(const void *fdt, const struct fdt_reg *reg, size_t index,
				struct range *range, struct kx_refusal *why)
{
	if (!fdt_tree_range(reg, index, range))
		return refuse_tree(fdt, "memory range wraps", why);
	return KX_OK;
}

static enum kx_error refuse_full(const struct range *range, struct kx_refusal *why)
{
	return kx_refuse(why, KX_E_RANGES, "no room for this range", range->start, range->end);
}

/* Adds the whole pages of range. */
static enum kx_error add_ram(const struct range *range, struct range_set *ram,
			     struct kx_refusal *why)
{
	uint64_t start = page_up(range->start);
	uint64_t end = page_down(range->end);

	if (start < end && !range_set_add(ram, start, end))
		return refuse_full(range, why);
	return KX_OK;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adds what usable, where it has any ranges, lets through of memory. */
static enum kx_error add_usable(const void *fdt, const struct fdt_reg *usable,
				const struct range *memory, struct range_set *ram,
				struct kx_refusal *why)
{
	enum kx_error error = KX_OK;

	if (usable->count == 0)
		return add_ram(memory, ram, why);

	for (size_t i = 0; !error && i < usable->count && i < USABLE_MAX; i++) {
		struct range part;

		error = read_range(fdt, usable, i, &part, why);
		if (!error) {
			part.start = larger(part.start, memory->start);
			part.end = smaller(part.end, memory->end);
			error = add_ram(&part, ram, why);
		}
	}
	return error;
}

static enum kx_error add_memory_node(const void *fdt, int node, const struct fdt_reg *usable,
				     struct range_set *ram, struct kx_refusal *why)
{
	const char *name =
		fdt_tree_has(fdt, node, "linux,usable-memory") ? "linux,usable-memory" : "reg";
	struct fdt_reg reg;
	enum kx_error error = open_reg(fdt, 0, node, name, &reg, why);

	for (size_t i = 0; !error && i < reg.count; i++) {
		struct range memory;

		error = read_range(fdt, &reg, i, &memory, why);
		if (!error)
			error = add_usable(fdt, usable, &memory, ram, why);
	}
	return error;
}

static enum kx_error add_memory(const void *fdt, struct range_set *ram, struct kx_refusal *why)
{
	struct fdt_reg usable = {0};
	int chosen = fdt_tree_child(fdt, 0, "chosen");
	enum kx_error error = KX_OK;
	int node;

	if (chosen >= 0)
		error = open_reg(fdt, 0, chosen, "linux,usable-memory-range", &usable, why);

	fdt_tree_for_each(node, fdt, 0)
	{
		if (error)
			break;
		if (fdt_tree_is_memory(fdt, node) && fdt_tree_enabled(fdt, node))
			error = add_memory_node(fdt, node, &usable, ram, why);
	}
	return error;
}

/* What is done with the pages that a reserved range touches; fdt_tree_range and
 * fdt_tree_reservation have seen to it that rounding up does not wrap. */
enum reserved_use { RESERVED_ADD, RESERVED_REMOVE };

static enum kx_error use_reserved(struct range_set *set, enum reserved_use use,
				  const struct range *range, struct kx_refusal *why)
{
	uint64_t start = page_down(range->start);
	uint64_t end = page_up(range->end);
	bool fits;

	if (range->start == range->end)
		return KX_OK;
	fits = use == RESERVED_ADD ? range_set_add(set, start, end)
				   : range_set_remove(set, start, end);
	return fits ? KX_OK : refuse_full(range, why);
}

static enum kx_error use_reg(const void *fdt, const struct fdt_reg *reg, struct range_set *set,
			     enum reserved_use use, struct kx_refusal *why)
{
	enum kx_error error = KX_OK;

	for (size_t i = 0; !error && i < reg->count; i++) {
		struct range range;

		error = read_range(fdt, reg, i, &range, why);
		if (!error)
			error = use_reserved(set, use, &range, why);
	}
	return error;
}

/* Only children with reg: those with size alone are placed by the kernel, where it likes. */
static enum kx_error use_reserved_memory(const void *fdt, struct range_set *set,
					 enum reserved_use use, struct kx_refusal *why)
{
	int parent = fdt_tree_child(fdt, 0, "reserved-memory");
	enum kx_error error = KX_OK;
	struct fdt_reg reg;
	int node;

	if (parent == -FDT_ERR_NOTFOUND)
		return KX_OK;
	if (parent < 0)
		return refuse_tree(fdt, "two /reserved-memory nodes", why);

	fdt_tree_for_each(node, fdt, parent)
	{
		if (!fdt_tree_enabled(fdt, node))
			continue;
		if (use == RESERVED_REMOVE && !fdt_tree_has(fdt, node, "no-map"))
			continue;
		error = open_reg(fdt, parent, node, "reg", &reg, why);
		if (!error)
			error = use_reg(fdt, &reg, set, use, why);
		if (error)
			break;
	}
	return error;
}

enum kx_error fdt_remove_no_map(const void *fdt, struct range_set *ram, struct kx_refusal *why)
{
	return use_reserved_memory(fdt, ram, RESERVED_REMOVE, why);
}

enum kx_error fdt_read_ram(const void *fdt, struct range_set *ram, struct kx_refusal *why)
{
	enum kx_error error = add_memory(fdt, ram, why);

	if (!error)
		error = fdt_remove_no_map(fdt, ram, why);
	if (!error && ram->count == 0)
		error = kx_refuse(why, KX_E_NO_MEMORY, "no usable /memory", (uintptr_t)fdt,
				  (uintptr_t)fdt + fdt_totalsize(fdt));
	return error;
}

/* U-Boot and Linux's kexec reserve the initrd as well; it is the payload, of no use once read. */
static bool is_initrd(const struct range *range, const struct range *initrd)
{
	return range->start == initrd->start && range->end == initrd->end;
}

static enum kx_error add_reservations(const void *fdt, struct range_set *reserved,
				      struct kx_refusal *why)
{
	struct range initrd = {0};
	int count = fdt_num_mem_rsv(fdt);
	enum kx_error error = KX_OK;

	fdt_read_initrd(fdt, &initrd);
	for (int i = 0; !error && i < count; i++) {
		struct range range;

		if (!fdt_tree_reservation(fdt, i, &range))
			return refuse_tree(fdt, "memory reservation wraps", why);
		if (!is_initrd(&range, &initrd))
			error = use_reserved(reserved, RESERVED_ADD, &range, why);
	}
	return error;
}

/* The headers of a crashed kernel's memory image, which a kdump kernel is going to read. */
static enum kx_error add_elfcorehdr(const void *fdt, struct range_set *reserved,
				    struct kx_refusal *why)
{
	int chosen = fdt_tree_child(fdt, 0, "chosen");
	struct fdt_reg reg;
	enum kx_error error;

	if (chosen < 0)
		return KX_OK;
	error = open_reg(fdt, 0, chosen, "linux,elfcorehdr", &reg, why);
	if (!error)
		error = use_reg(fdt, &reg, reserved, RESERVED_ADD, why);
	return error;
}

/* Where a spin table's waiting CPUs look for their entry. Firmware does not always reserve it. */
static enum kx_error add_release_addresses(const void *fdt, struct range_set *reserved,
					   struct kx_refusal *why)
{
	int cpus = fdt_tree_child(fdt, 0, "cpus");
	enum kx_error error = KX_OK;
	uint64_t at;
	int node;

	if (cpus < 0)
		return KX_OK;
	fdt_tree_for_each(node, fdt, cpus)
	{
		struct range word;

		if (error || !fdt_tree_number(fdt, node, "cpu-release-addr", &at))
			continue;
		if (at > RELEASE_ADDRESS_MAX)
			return refuse_tree(fdt, "cpu-release-addr beyond 48 bits", why);
		word = (struct range){at, at + sizeof(uint64_t)};
		error = use_reserved(reserved, RESERVED_ADD, &word, why);
	}
	return error;
}

enum kx_error fdt_read_reserved(const void *fdt, struct range_set *reserved, struct kx_refusal *why)
{
	enum kx_error error = add_reservations(fdt, reserved, why);

	if (!error)
		error = use_reserved_memory(fdt, reserved, RESERVED_ADD, why);
	if (!error)
		error = add_elfcorehdr(fdt, reserved, why);
	if (!error)
		error = add_release_addresses(fdt, reserved, why);
	return error;
}

bool fdt_read_initrd(const void *fdt, struct range *initrd)
{
	int chosen = fdt_tree_child(fdt, 0, "chosen");
	struct range found;

	if (chosen < 0 || !fdt_tree_number(fdt, chosen, "linux,initrd-start", &found.start) ||
	    !fdt_tree_number(fdt, chosen, "linux,initrd-end", &found.end) ||
	    found.start >= found.end)
		return false;
	*initrd = found;
	return true;
}

const char *fdt_read_bootargs(const void *fdt)
{
	int chosen = fdt_tree_child(fdt, 0, "chosen");
	const char *bootargs = chosen < 0 ? NULL : fdt_tree_string(fdt, chosen, "bootargs");

	return bootargs ? bootargs : "";
}

bool fdt_read_psci(const void *fdt, bool *hvc)
{
	int psci = fdt_tree_child(fdt, 0, "psci");
	const char *method = psci < 0 ? NULL : fdt_tree_string(fdt, psci, "method");

	if (!method || (strcmp(method, "hvc") != 0 && strcmp(method, "smc") != 0))
		return false;
	*hvc = method[0] == 'h';
	return true;
}
