/* SPDX-License-Identifier: MIT */
#include "fdt_tree.h"

#include <kexpress/list.h>
#include <string.h>

static const char *structure_of(const void *fdt)
{
	return (const char *)fdt + fdt_off_dt_struct(fdt);
}

static uint32_t word_at(const char *structure, int offset)
{
	return fdt32_to_cpu(*(const fdt32_t *)(structure + offset));
}

/* Offset of what follows a tag. */
static int after(const char *structure, int offset)
{
	uint32_t tag = word_at(structure, offset), size = 0;

	offset += FDT_TAGSIZE;
	if (tag == FDT_BEGIN_NODE)
		size = (uint32_t)strlen(structure + offset) + 1;
	else if (tag == FDT_PROP)
		size = 2 * FDT_TAGSIZE + word_at(structure, offset);
	return offset + (int)((size + FDT_TAGSIZE - 1) & ~(FDT_TAGSIZE - 1));
}

/* The first node behind the tag at offset that is not in one of the depth nodes that are open
 * behind it. */
static int find_node(const void *fdt, int offset, unsigned int depth)
{
	const char *structure = structure_of(fdt);

	for (;;) {
		offset = after(structure, offset);
		switch (word_at(structure, offset)) {
		case FDT_BEGIN_NODE:
			if (depth++ == 0)
				return offset;
			break;
		case FDT_END_NODE:
			if (depth-- == 0)
				return -FDT_ERR_NOTFOUND;
			break;
		case FDT_END:
			return -FDT_ERR_NOTFOUND;
		}
	}
}

int fdt_tree_first(const void *fdt, int parent)
{
	return find_node(fdt, parent, 0);
}

int fdt_tree_next(const void *fdt, int node)
{
	return find_node(fdt, node, 1);
}

int fdt_tree_following(const void *fdt, int node)
{
	const char *structure = structure_of(fdt);

	for (;;) {
		node = after(structure, node);
		if (word_at(structure, node) == FDT_BEGIN_NODE)
			return node;
		if (word_at(structure, node) == FDT_END)
			return -FDT_ERR_NOTFOUND;
	}
}

int fdt_tree_child(const void *fdt, int parent, const char *name)
{
	int found = -FDT_ERR_NOTFOUND;
	int child;

	fdt_tree_for_each(child, fdt, parent)
	{
		if (strcmp(structure_of(fdt) + child + FDT_TAGSIZE, name) != 0)
			continue;
		if (found >= 0)
			return -FDT_ERR_EXISTS;
		found = child;
	}
	return found;
}

const void *fdt_tree_value(const void *fdt, int node, const char *name, int *length)
{
	const char *strings = (const char *)fdt + fdt_off_dt_strings(fdt);
	const char *structure = structure_of(fdt);
	int offset = node;

	do {
		const char *property;

		offset = after(structure, offset);
		property = structure + offset + FDT_TAGSIZE;
		if (word_at(structure, offset) != FDT_PROP ||
		    strcmp(strings + word_at(property, FDT_TAGSIZE), name) != 0)
			continue;
		*length = (int)word_at(property, 0);
		return property + 2 * FDT_TAGSIZE;
	} while (word_at(structure, offset) == FDT_PROP || word_at(structure, offset) == FDT_NOP);
	return NULL;
}

bool fdt_tree_is_compatible(const void *fdt, int node, const char *name)
{
	int length;
	const char *value = fdt_tree_value(fdt, node, "compatible", &length);

	return value && fdt_stringlist_contains(value, length, name);
}

bool fdt_tree_has(const void *fdt, int node, const char *name)
{
	int length;

	return fdt_tree_value(fdt, node, name, &length);
}

const char *fdt_tree_string(const void *fdt, int node, const char *name)
{
	int length;
	const char *value = fdt_tree_value(fdt, node, name, &length);

	return value && memchr(value, '\0', (size_t)length) ? value : NULL;
}

uint64_t fdt_tree_join(const fdt32_t *cells, unsigned int count)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < count; i++)
		value = value << 32 | fdt32_ld(&cells[i]);
	return value;
}

bool fdt_tree_number(const void *fdt, int node, const char *name, uint64_t *value)
{
	int length;
	const fdt32_t *cells = fdt_tree_value(fdt, node, name, &length);

	if (!cells || (length != sizeof(uint32_t) && length != sizeof(uint64_t)))
		return false;
	*value = fdt_tree_join(cells, (unsigned int)length / sizeof(*cells));
	return true;
}

void fdt_tree_split(fdt32_t *cells, unsigned int count, uint64_t value)
{
	for (unsigned int i = count; i-- > 0; value >>= 32)
		fdt32_st(&cells[i], (uint32_t)value);
}

bool fdt_tree_fits(uint64_t value, unsigned int count)
{
	return count == 2 || value <= UINT32_MAX;
}

bool fdt_tree_enabled(const void *fdt, int node)
{
	const char *status;

	if (!fdt_tree_has(fdt, node, "status"))
		return true;
	status = fdt_tree_string(fdt, node, "status");
	return status && (strcmp(status, "okay") == 0 || strcmp(status, "ok") == 0);
}

bool fdt_tree_is_memory(const void *fdt, int node)
{
	const char *type = fdt_tree_string(fdt, node, "device_type");

	return type && strcmp(type, "memory") == 0;
}

bool fdt_tree_cells(const void *fdt, int bus, struct fdt_cells *cells)
{
	int address = fdt_address_cells(fdt, bus);
	int size = fdt_size_cells(fdt, bus);

	if (address < 1 || address > 2 || size < 1 || size > 2)
		return false;
	*cells = (struct fdt_cells){(unsigned int)address, (unsigned int)size};
	return true;
}

bool fdt_tree_reg(const void *fdt, int node, const char *name, struct fdt_cells cells,
		  struct fdt_reg *reg)
{
	size_t pair = (cells.address + cells.size) * sizeof(fdt32_t);
	int length;
	const void *value = fdt_tree_value(fdt, node, name, &length);

	*reg = (struct fdt_reg){.cells = cells};
	if (!value)
		return true;
	reg->pairs = value;
	reg->count = (size_t)length / pair;
	return (size_t)length % pair == 0;
}

/* Refuses what wraps, and what would wrap once grown to whole pages. */
static bool make_range(uint64_t start, uint64_t size, struct range *range)
{
	*range = (struct range){start, start + size};
	if (size == 0)
		return true;
	return range->end > start && range->end <= UINT64_MAX - (KX_PAGE_SIZE - 1);
}

bool fdt_tree_range(const struct fdt_reg *reg, size_t index, struct range *range)
{
	const fdt32_t *pair = reg->pairs + index * (reg->cells.address + reg->cells.size);

	return make_range(fdt_tree_join(pair, reg->cells.address),
			  fdt_tree_join(pair + reg->cells.address, reg->cells.size), range);
}

bool fdt_tree_reservation(const void *fdt, int index, struct range *range)
{
	uint64_t start;
	uint64_t size;

	if (fdt_get_mem_rsv(fdt, index, &start, &size) != 0)
		return false;
	return make_range(start, size, range);
}

int fdt_tree_find_reservation(const void *fdt, uint64_t address, uint64_t size)
{
	int count = fdt_num_mem_rsv(fdt);

	for (int i = 0; i < count; i++) {
		uint64_t other_address;
		uint64_t other_size;

		fdt_get_mem_rsv(fdt, i, &other_address, &other_size);
		if (other_address == address && other_size == size)
			return i;
	}
	return -FDT_ERR_NOTFOUND;
}
