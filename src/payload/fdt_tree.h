/* SPDX-License-Identifier: MIT */
/*
 * Reading a flattened tree that fdt_check_tree has passed: nodes by their exact name, properties
 * only where their length is right. libfdt's own look-ups take "kernel" for "kernel@1" and hand out
 * values of any length.
 */
#ifndef PAYLOAD_FDT_TREE_H
#define PAYLOAD_FDT_TREE_H

#include <libfdt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../place/range.h"

/* The first child of a node, and the node's next sibling; -FDT_ERR_NOTFOUND where there is none.
 * libfdt checks the bounds of every byte of a name anew, which makes its walks ten times longer. */
int fdt_tree_first(const void *fdt, int parent);
int fdt_tree_next(const void *fdt, int node);

#define fdt_tree_for_each(child, fdt, parent) \
	for (child = fdt_tree_first(fdt, parent); child >= 0; child = fdt_tree_next(fdt, child))

/* The next node in the order of the tree, at any depth; the root is 0. */
int fdt_tree_following(const void *fdt, int node);

/* How many 32-bit cells an address and a size take. */
struct fdt_cells {
	unsigned int address;
	unsigned int size;
};

/* A property of (address, size) pairs, such as reg. */
struct fdt_reg {
	const fdt32_t *pairs;
	size_t count;
	struct fdt_cells cells;
};

/* The child of parent with exactly this name; -FDT_ERR_NOTFOUND, -FDT_ERR_EXISTS where two have
 * it. */
int fdt_tree_child(const void *fdt, int parent, const char *name);

/* The value of a property and its length; NULL where there is none. libfdt's look-up takes long for
 * the same reason. */
const void *fdt_tree_value(const void *fdt, int node, const char *name, int *length);

/* Whether there is such a property. */
bool fdt_tree_has(const void *fdt, int node, const char *name);

/* Whether compatible has this string. */
bool fdt_tree_is_compatible(const void *fdt, int node, const char *name);

/* The first string of a property; NULL where there is none. */
const char *fdt_tree_string(const void *fdt, int node, const char *name);

/* An unsigned number, 32 or 64 bits wide. False: absent, or of another length. */
bool fdt_tree_number(const void *fdt, int node, const char *name, uint64_t *value);

/* The number that count cells, at most 2, make. */
uint64_t fdt_tree_join(const fdt32_t *cells, unsigned int count);

/* The reverse: what count cells say. Whether they can: */
void fdt_tree_split(fdt32_t *cells, unsigned int count, uint64_t value);
bool fdt_tree_fits(uint64_t value, unsigned int count);

/* Whether status is absent or says okay. */
bool fdt_tree_enabled(const void *fdt, int node);

/* Whether device_type says memory. */
bool fdt_tree_is_memory(const void *fdt, int node);

/* #address-cells and #size-cells of a bus. False: a number is not 1 or 2. */
bool fdt_tree_cells(const void *fdt, int bus, struct fdt_cells *cells);

/* Opens a property of pairs; where it is absent, reg->count is 0. False: not whole pairs. */
bool fdt_tree_reg(const void *fdt, int node, const char *name, struct fdt_cells cells,
		  struct fdt_reg *reg);

/* Pair number index as a range, empty where the size is 0. False: it wraps, or ends in the last
 * page of the address space, so that it could not be grown to whole pages. */
bool fdt_tree_range(const struct fdt_reg *reg, size_t index, struct range *range);

/* Entry number index, below fdt_num_mem_rsv, of the memory reservation block; as above. */
bool fdt_tree_reservation(const void *fdt, int index, struct range *range);

/* Number of the memory reservation with exactly these values, or -FDT_ERR_NOTFOUND. */
int fdt_tree_find_reservation(const void *fdt, uint64_t address, uint64_t size);

#endif /* PAYLOAD_FDT_TREE_H */
