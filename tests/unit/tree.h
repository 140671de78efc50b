/* SPDX-License-Identifier: MIT */
/*
 * Flattened trees for tests, written with libfdt's sequential functions, and memory that ends at a
 * page that must not be touched: sanitizers do not see what libfdt, built without them, reads.
 */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TREE_MAX (256 * 1024)

/* Tests need not look at every result: what does not fit or is out of order ends the test. */
#define TREE_DO(call) assert_int_equal(call, 0)

/* An unfinished tree; memory reservations come first, if there are any, then tree_open. */
static inline void *tree_new(void)
{
	void *tree = malloc(TREE_MAX);

	assert_non_null(tree);
	TREE_DO(fdt_create(tree, TREE_MAX));
	return tree;
}

static inline void tree_reserve(void *tree, uint64_t address, uint64_t size)
{
	TREE_DO(fdt_add_reservemap_entry(tree, address, size));
}

static inline void tree_node(void *tree, const char *name)
{
	TREE_DO(fdt_begin_node(tree, name));
}

static inline void tree_close(void *tree)
{
	TREE_DO(fdt_end_node(tree));
}

static inline void tree_string(void *tree, const char *name, const char *value)
{
	TREE_DO(fdt_property_string(tree, name, value));
}

static inline void tree_bytes(void *tree, const char *name, const void *value, size_t size)
{
	TREE_DO(fdt_property(tree, name, value, (int)size));
}

static inline void tree_u32(void *tree, const char *name, uint32_t value)
{
	TREE_DO(fdt_property_u32(tree, name, value));
}

static inline void tree_u64(void *tree, const char *name, uint64_t value)
{
	TREE_DO(fdt_property_u64(tree, name, value));
}

/* A property that is there or not. */
static inline void tree_flag(void *tree, const char *name)
{
	TREE_DO(fdt_property(tree, name, NULL, 0));
}

static inline void tree_cell_array(void *tree, const char *name, const uint32_t *cells,
				   size_t count)
{
	fdt32_t *value;

	TREE_DO(fdt_property_placeholder(tree, name, (int)(count * sizeof(*value)),
					 (void **)&value));
	for (size_t i = 0; i < count; i++)
		value[i] = cpu_to_fdt32(cells[i]);
}

#define TREE_CELLS(tree, name, ...)                                  \
	tree_cell_array(tree, name, (const uint32_t[]){__VA_ARGS__}, \
			sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Opens a node whose children's addresses and sizes take so many cells. */
static inline void tree_bus(void *tree, const char *name, uint32_t address_cells,
			    uint32_t size_cells)
{
	tree_node(tree, name);
	tree_u32(tree, "#address-cells", address_cells);
	tree_u32(tree, "#size-cells", size_cells);
}

/* Opens the root. */
static inline void tree_open(void *tree, uint32_t address_cells, uint32_t size_cells)
{
	TREE_DO(fdt_finish_reservemap(tree));
	tree_bus(tree, "", address_cells, size_cells);
}

/* An unfinished tree without memory reservations, its root open. */
static inline void *tree_begin(uint32_t address_cells, uint32_t size_cells)
{
	void *tree = tree_new();

	tree_open(tree, address_cells, size_cells);
	return tree;
}

/* Closes the root. The result is of the tree's exact size, and is freed by the caller. */
static inline void *tree_finish(void *tree)
{
	void *exact;

	tree_close(tree);
	TREE_DO(fdt_finish(tree));
	exact = realloc(tree, fdt_totalsize(tree));
	assert_non_null(exact);
	return exact;
}

/* Memory of size bytes, 8-byte aligned; beyond it, rounded up to 8, any access is a fault. */
struct guarded {
	void *data;
	void *map;
	size_t map_size;
};

static inline struct guarded guarded_new(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t rounded = (size + 7) / 8 * 8;
	size_t body = (rounded + page - 1) / page * page;
	struct guarded g = {.map_size = body + page};

	g.map = mmap(NULL, g.map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(g.map, MAP_FAILED);
	TREE_DO(mprotect((char *)g.map + body, page, PROT_NONE));
	g.data = (char *)g.map + body - rounded;
	return g;
}

static inline void guarded_free(struct guarded *g)
{
	munmap(g->map, g->map_size);
}

#endif /* TESTS_UNIT_TREE_H */
