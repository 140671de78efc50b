/* SPDX-License-Identifier: MIT */
/* Nodes of trees that tell of memory, and the ranges that fdt_read makes of them. */
#ifndef TESTS_UNIT_FDT_MEMORY_H
#define TESTS_UNIT_FDT_MEMORY_H

#include "payload/fdt_check.h"
#include "payload/fdt_read.h"
#include "tree.h"

static struct range storage[64];
static struct range_set set;

static inline struct range_set *empty_set(size_t max)
{
	assert_true(max <= sizeof(storage) / sizeof(storage[0]));
	set = (struct range_set){storage, 0, max};
	return &set;
}

static inline void assert_set(const struct range *expected, size_t count)
{
	assert_int_equal(set.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(set.ranges[i].start, expected[i].start);
		assert_int_equal(set.ranges[i].end, expected[i].end);
	}
}

#define ASSERT_SET(...)                                 \
	assert_set((const struct range[]){__VA_ARGS__}, \
		   sizeof((const struct range[]){__VA_ARGS__}) / sizeof(struct range))

/* Reads tree into set, and frees it. */
static inline enum kx_error
read_set(void *tree, enum kx_error (*read)(const void *, struct range_set *, struct kx_refusal *))
{
	struct kx_refusal why = {0};
	enum kx_error error;

	assert_int_equal(fdt_check_tree(tree, fdt_totalsize(tree), &why), KX_OK);
	error = read(tree, empty_set(64), &why);
	assert_int_equal(why.error, error);
	free(tree);
	return error;
}

static inline enum kx_error read_ram(void *tree)
{
	return read_set(tree, fdt_read_ram);
}

static inline enum kx_error read_reserved(void *tree)
{
	return read_set(tree, fdt_read_reserved);
}

/* Opens a /memory node. */
static inline void open_memory(void *tree, const char *name)
{
	tree_node(tree, name);
	tree_string(tree, "device_type", "memory");
}

static inline void add_memory(void *tree, uint64_t start, uint64_t size)
{
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", (uint32_t)(start >> 32), (uint32_t)start, (uint32_t)(size >> 32),
		   (uint32_t)size);
	tree_close(tree);
}

static inline void add_reserved_nodes(void *tree)
{
	tree_bus(tree, "reserved-memory", 1, 1);
	tree_node(tree, "secure@90000800");
	TREE_CELLS(tree, "reg", 0x90000800, 0x1000, 0x98000800, 0, 0x9c000000, 0x1000);
	tree_flag(tree, "no-map");
	tree_close(tree);
	tree_node(tree, "mapped@a0000000");
	TREE_CELLS(tree, "reg", 0xa0000fff, 2);
	tree_close(tree);
	tree_node(tree, "pool");
	TREE_CELLS(tree, "size", 0x1000000);
	tree_flag(tree, "no-map");
	tree_close(tree);
	tree_node(tree, "unused@b0000000");
	tree_string(tree, "status", "disabled");
	TREE_CELLS(tree, "reg", 0xb0000000, 0x1000);
	tree_flag(tree, "no-map");
	tree_close(tree);
	tree_close(tree);
}

#endif /* TESTS_UNIT_FDT_MEMORY_H */
