/* SPDX-License-Identifier: MIT */
/* RAM as a tree tells of it. */
#include "fdt_memory.h"

static void test_ram(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	open_memory(tree, "memory@840000000");
	TREE_CELLS(tree, "reg", 8, 0x40000000, 1, 0);
	tree_close(tree);
	open_memory(tree, "dram");
	tree_string(tree, "status", "okay");
	TREE_CELLS(tree, "reg", 0, 0x80000000, 0, 0x1000, 0, 0x90000000, 0, 0, 0, 0x80001000, 0,
		   0x1000);
	tree_close(tree);
	open_memory(tree, "memory@0");
	tree_string(tree, "status", "disabled");
	TREE_CELLS(tree, "reg", 0, 0, 0, 0x100000);
	tree_close(tree);
	tree_node(tree, "sram");
	tree_string(tree, "device_type", "memory-controller");
	TREE_CELLS(tree, "reg", 0, 0x100000, 0, 0x100000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0x80002000}, {0x840000000, 0x940000000});
}

static void test_ram_cells(void **state)
{
	void *tree = tree_begin(1, 1);

	(void)state;
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0x80000000, 0x40000000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0xc0000000});

	tree = tree_begin(2, 1);
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 1, 0, 0x40000000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x100000000, 0x140000000});
}

static void test_ram_whole_pages(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0, 0x1001, 0, 0x1fff, 0, 0x8fff, 0, 0x1002, 0, 0x10001, 0, 0x1ffd);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x2000, 0x3000}, {0x9000, 0xa000});
}

static void test_ram_none(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = tree_begin(2, 2);
	add_memory(tree, 0x80000000, 0);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = tree_begin(2, 2);
	add_memory(tree, 0x80000800, 0x1000);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = tree_begin(2, 2);
	open_memory(tree, "memory");
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);
}

static void test_ram_malformed(void **state)
{
	static const uint32_t cells[][2] = {{3, 2}, {2, 3}, {0, 1}, {1, 0}, {5, 1}, {1, 1u << 31}};
	static const uint32_t reg[8];
	void *tree;

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		tree = tree_begin(cells[i][0], cells[i][1]);
		open_memory(tree, "memory");
		tree_cell_array(tree, "reg", reg, (cells[i][0] + cells[i][1]) % 8);
		tree_close(tree);
		assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);
	}

	tree = tree_begin(2, 2);
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0, 0x80000000, 0, 0x1000, 0);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);
}

static void test_ram_wraps(void **state)
{
	static const struct {
		uint64_t start;
		uint64_t size;
		enum kx_error error;
	} cases[] = {
		{0xffffffff80000000, 0x7fffffff, KX_E_FDT}, /* the last page is not needed */
		{0xffffffff80000000, 0x80000000, KX_E_FDT},
		{0xffffffff80000000, 0x80001000, KX_E_FDT},
		{0xffffffff80000000, 0x7fffefff, KX_OK},
		{0xffffffffffffffff, 1, KX_E_FDT},
		{0x1000, UINT64_MAX, KX_E_FDT},
		{0, UINT64_MAX, KX_E_FDT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *tree = tree_begin(2, 2);

		add_memory(tree, cases[i].start, cases[i].size);
		assert_int_equal(read_ram(tree_finish(tree)), cases[i].error);
	}
}

static void test_ram_usable_memory(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0, 0x80000000, 0, 0x40000000);
	TREE_CELLS(tree, "linux,usable-memory", 0, 0x90000000, 0, 0x1000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x90000000, 0x90001000});
}

/* kdump: one range, or two where the second is low memory for devices. */
static void test_ram_usable_range(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	add_memory(tree, 0x80000000, 0x40000000);
	open_memory(tree, "memory@1");
	TREE_CELLS(tree, "reg", 1, 0, 0, 0x40000000);
	tree_close(tree);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0xbffff800, 1, 0, 0, 0x70000000, 0,
		   0x10001000, 0, 0x90000000, 0, 0x1000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0x80001000}, {0x100000000, 0x140000000});

	tree = tree_begin(2, 2);
	add_memory(tree, 0x80000000, 0x40000000);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x80000000, 0);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);

	tree = tree_begin(2, 2);
	add_memory(tree, 0x80000000, 0x40000000);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x80000000, UINT32_MAX, UINT32_MAX);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);
}

static void test_no_map(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	add_reserved_nodes(tree);
	add_memory(tree, 0x80000000, 0x40000000);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0x90000000}, {0x90002000, 0x9c000000}, {0x9c001000, 0xc0000000});
}

#define MANY 3000

static void *tree_with_many_ranges(void)
{
	uint32_t *cells = calloc(MANY, 4 * sizeof(*cells));
	void *tree = tree_begin(2, 2);

	for (uint32_t i = 0; i < MANY; i++) {
		cells[4 * i] = 1;
		cells[4 * i + 1] = (MANY - i) * 0x2000;
		cells[4 * i + 3] = 0x1000;
	}
	open_memory(tree, "memory");
	tree_cell_array(tree, "reg", cells, 4 * MANY);
	tree_close(tree);
	free(cells);
	return tree_finish(tree);
}

static void test_many_ranges(void **state)
{
	static struct range many[MANY];
	struct range_set ram = {many, 0, MANY};
	void *tree = tree_with_many_ranges();
	struct kx_refusal why;

	(void)state;
	assert_int_equal(fdt_read_ram(tree, &ram, &why), KX_OK);
	assert_int_equal(ram.count, MANY);
	assert_int_equal(many[0].start, 0x100002000);
	assert_int_equal(many[MANY - 1].end, 0x100001000 + MANY * 0x2000);

	ram = (struct range_set){many, 0, MANY - 1};
	assert_int_equal(fdt_read_ram(tree, &ram, &why), KX_E_RANGES);
	assert_int_equal(why.error, KX_E_RANGES);
	assert_int_equal(why.start, 0x100002000);
	assert_int_equal(why.end, 0x100003000);
	free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ram),
		cmocka_unit_test(test_ram_cells),
		cmocka_unit_test(test_ram_whole_pages),
		cmocka_unit_test(test_ram_none),
		cmocka_unit_test(test_ram_malformed),
		cmocka_unit_test(test_ram_wraps),
		cmocka_unit_test(test_ram_usable_memory),
		cmocka_unit_test(test_ram_usable_range),
		cmocka_unit_test(test_no_map),
		cmocka_unit_test(test_many_ranges),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
