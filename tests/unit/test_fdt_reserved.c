/* SPDX-License-Identifier: MIT */
/* What a tree says lies in RAM and must not be overwritten. */
#include "fdt_memory.h"

static void test_reserved(void **state)
{
	void *tree = tree_new();

	(void)state;
	tree_reserve(tree, 0x100000800, 0x800);
	tree_reserve(tree, 0x48000000, 0x1001);
	tree_reserve(tree, 0x48000000, 0x1000);
	tree_reserve(tree, 0x200000010, 0x20);
	tree_open(tree, 2, 2);
	add_reserved_nodes(tree);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,elfcorehdr", 0, 0xbf000000, 0, 0x400);
	tree_u64(tree, "linux,initrd-start", 0x48000000);
	tree_u32(tree, "linux,initrd-end", 0x48001000);
	tree_close(tree);
	assert_int_equal(read_reserved(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x48000000, 0x48002000}, {0x90000000, 0x90002000}, {0x9c000000, 0x9c001000},
		   {0xa0000000, 0xa0002000}, {0xbf000000, 0xbf001000}, {0x100000000, 0x100001000},
		   {0x200000000, 0x200001000});
}

/* Exactly the initrd: anything larger holds something else, too. */
static void test_reserved_initrd(void **state)
{
	static const struct {
		uint64_t size;
		size_t count;
	} cases[] = {{0x123456, 0}, {0x123455, 1}, {0x123457, 1}, {0x124000, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *tree = tree_new();

		tree_reserve(tree, 0x48000000, cases[i].size);
		tree_open(tree, 2, 2);
		tree_node(tree, "chosen");
		tree_u64(tree, "linux,initrd-start", 0x48000000);
		tree_u64(tree, "linux,initrd-end", 0x48123456);
		tree_close(tree);
		assert_int_equal(read_reserved(tree_finish(tree)), KX_OK);
		assert_int_equal(set.count, cases[i].count);
	}
}

static void test_release_addresses(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	tree_node(tree, "cpus");
	tree_node(tree, "cpu@0");
	tree_u64(tree, "cpu-release-addr", 0xd8);
	tree_close(tree);
	tree_node(tree, "cpu@1");
	tree_u32(tree, "cpu-release-addr", 0x80000ff8);
	tree_close(tree);
	tree_node(tree, "cpu@2");
	tree_string(tree, "enable-method", "psci");
	tree_close(tree);
	tree_close(tree);
	assert_int_equal(read_reserved(tree_finish(tree)), KX_OK);
	ASSERT_SET({0, 0x1000}, {0x80000000, 0x80001000});
}

static void test_release_address_malformed(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	tree_node(tree, "cpus");
	tree_node(tree, "cpu@0");
	tree_u64(tree, "cpu-release-addr", UINT64_MAX - 3);
	tree_close(tree);
	tree_close(tree);
	assert_int_equal(read_reserved(tree_finish(tree)), KX_E_FDT);
}

static void test_reserved_none(void **state)
{
	(void)state;
	assert_int_equal(read_reserved(tree_finish(tree_begin(2, 2))), KX_OK);
	assert_int_equal(set.count, 0);
}

static void add_reserved_child(void *tree, uint32_t start, uint32_t size)
{
	tree_node(tree, "child");
	tree_flag(tree, "no-map");
	TREE_CELLS(tree, "reg", UINT32_MAX, start, 0, size);
	tree_close(tree);
}

static void test_reserved_malformed(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		void *tree = tree_new();

		if (i == 0)
			tree_reserve(tree, UINT64_MAX - 0xfff, 0x1000);
		if (i == 1)
			tree_reserve(tree, 0x1000, UINT64_MAX);
		tree_open(tree, 2, 2);
		add_memory(tree, 0x80000000, 0x40000000);
		tree_bus(tree, "reserved-memory", i == 2 ? 3 : 2, 2);
		add_reserved_child(tree, i == 3 ? 0xfffff000 : 0, 0x1000);
		tree_close(tree);
		if (i == 4) {
			tree_bus(tree, "reserved-memory", 2, 2);
			tree_close(tree);
		}
		tree = tree_finish(tree);
		if (i >= 2)
			assert_int_equal(read_ram(memcpy(malloc(fdt_totalsize(tree)), tree,
							 fdt_totalsize(tree))),
					 KX_E_FDT);
		assert_int_equal(read_reserved(tree), KX_E_FDT);
	}
}

static void test_no_room_for_holes(void **state)
{
	void *tree = tree_begin(2, 2);
	struct kx_refusal why;

	(void)state;
	add_memory(tree, 0x80000000, 0x40000000);
	add_reserved_nodes(tree);
	tree = tree_finish(tree);
	assert_int_equal(fdt_read_ram(tree, empty_set(3), &why), KX_OK);
	assert_int_equal(fdt_read_ram(tree, empty_set(2), &why), KX_E_RANGES);
	assert_int_equal(fdt_read_reserved(tree, empty_set(3), &why), KX_OK);
	assert_int_equal(fdt_read_reserved(tree, empty_set(2), &why), KX_E_RANGES);
	free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_reserved_initrd),
		cmocka_unit_test(test_release_addresses),
		cmocka_unit_test(test_release_address_malformed),
		cmocka_unit_test(test_reserved_none),
		cmocka_unit_test(test_reserved_malformed),
		cmocka_unit_test(test_no_room_for_holes),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
