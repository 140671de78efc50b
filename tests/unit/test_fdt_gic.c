/* SPDX-License-Identifier: MIT */
/* Redistributors and ITSs of a device tree. */
#include "payload/fdt_gic.h"

#include "tree.h"

static struct fdt_gic gic;

static void read_and_free(void *tree)
{
	void *exact = tree_finish(tree);

	fdt_read_gic(exact, &gic);
	free(exact);
}

static void assert_range(struct range r, uint64_t start, uint64_t size)
{
	assert_int_equal(r.start, start);
	assert_int_equal(r.end, start + size);
}

/* QEMU's "virt". */
static void test_virt(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	tree_bus(tree, "intc@8000000", 2, 2);
	tree_string(tree, "compatible", "arm,gic-v3");
	TREE_CELLS(tree, "reg", 0, 0x8000000, 0, 0x10000, 0, 0x80a0000, 0, 0xf60000);
	tree_u32(tree, "#redistributor-regions", 1);
	tree_flag(tree, "ranges");
	tree_node(tree, "its@8080000");
	tree_string(tree, "compatible", "arm,gic-v3-its");
	TREE_CELLS(tree, "reg", 0, 0x8080000, 0, 0x20000);
	tree_close(tree);
	tree_close(tree);
	read_and_free(tree);
	assert_int_equal(gic.redistributor_count, 1);
	assert_range(gic.redistributors[0], 0x80a0000, 0xf60000);
	assert_int_equal(gic.stride, 0);
	assert_int_equal(gic.its_count, 1);
	assert_range(gic.its[0], 0x8080000, 0x20000);
}

/* Behind a bus, with regions and a stride, ITSs of which one is off, and GICv2 registers. */
static void test_large(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	tree_bus(tree, "soc", 1, 1);
	TREE_CELLS(tree, "ranges", 0, 0x10, 0, 0x40000000);
	tree_bus(tree, "intc@0", 1, 1);
	tree_string(tree, "compatible", "arm,gic-v3");
	TREE_CELLS(tree, "reg", 0, 0x10000, 0x100000, 0x200000, 0x400000, 0x200000, 0x600000,
		   0x2000, 0x610000, 0x2000);
	tree_u32(tree, "#redistributor-regions", 2);
	tree_u32(tree, "redistributor-stride", 0x40000);
	tree_flag(tree, "ranges");
	for (uint32_t i = 0; i < 3; i++) {
		tree_node(tree, i == 0 ? "its@700000" : i == 1 ? "its@710000" : "its@720000");
		tree_string(tree, "compatible", "arm,gic-v3-its");
		TREE_CELLS(tree, "reg", 0x700000 + i * 0x10000, 0x10000);
		tree_string(tree, "status", i == 1 ? "disabled" : "okay");
		tree_close(tree);
	}
	tree_close(tree);
	tree_close(tree);
	read_and_free(tree);
	assert_int_equal(gic.redistributor_count, 2);
	assert_range(gic.redistributors[0], 0x1000100000, 0x200000);
	assert_range(gic.redistributors[1], 0x1000400000, 0x200000);
	assert_int_equal(gic.stride, 0x40000);
	assert_int_equal(gic.its_count, 2);
	assert_range(gic.its[0], 0x1000700000, 0x10000);
	assert_range(gic.its[1], 0x1000720000, 0x10000);
}

static void assert_none(void)
{
	assert_int_equal(gic.redistributor_count, 0);
	assert_int_equal(gic.its_count, 0);
}

static void test_none(void **state)
{
	(void)state;
	read_and_free(tree_begin(2, 2));
	assert_none();
}

static void one_gic(const char *compatible, uint32_t start, uint32_t size, uint32_t regions)
{
	void *tree = tree_begin(1, 1);

	tree_node(tree, "intc");
	tree_string(tree, "compatible", compatible);
	TREE_CELLS(tree, "reg", 0x8000000, 0x10000, start, size);
	tree_u32(tree, "#redistributor-regions", regions);
	tree_close(tree);
	read_and_free(tree);
}

static void one_gic_strided(uint32_t stride)
{
	void *tree = tree_begin(1, 1);

	tree_node(tree, "intc");
	tree_string(tree, "compatible", "arm,gic-v3");
	TREE_CELLS(tree, "reg", 0x8000000, 0x10000, 0x8020000, 0x40000);
	tree_u32(tree, "redistributor-stride", stride);
	tree_close(tree);
	read_and_free(tree);
}

static void test_refused(void **state)
{
	(void)state;
	one_gic("arm,cortex-a15-gic", 0x8010000, 0x10000, 1);
	assert_none();
	one_gic("arm,gic-v3", 0x8010000, 0, 1);
	assert_none();
	one_gic("arm,gic-v3", 0x8011000, 0x10000, 1);
	assert_none();
	one_gic("arm,gic-v3", 0x8010000, 0x1000, 1);
	assert_none();
	one_gic_strided(0x1000);
	assert_none();
	one_gic("arm,gic-v3", 0x8020000, 0x20000, 0xffffffff);
	assert_int_equal(gic.redistributor_count, 1);
}

/* More than there is room for. */
static void test_many(void **state)
{
	uint32_t cells[2 * (FDT_GIC_REGIONS + 3)];
	void *tree = tree_begin(1, 1);

	(void)state;
	for (uint32_t i = 0; i < FDT_GIC_REGIONS + 3; i++) {
		cells[2 * i] = 0x10000000 + i * 0x20000;
		cells[2 * i + 1] = 0x20000;
	}
	tree_node(tree, "intc");
	tree_string(tree, "compatible", "arm,gic-v3");
	tree_cell_array(tree, "reg", cells, 2 * (FDT_GIC_REGIONS + 3));
	tree_u32(tree, "#redistributor-regions", FDT_GIC_REGIONS + 2);
	tree_close(tree);
	read_and_free(tree);
	assert_int_equal(gic.redistributor_count, FDT_GIC_REGIONS);
	assert_range(gic.redistributors[FDT_GIC_REGIONS - 1],
		     0x10000000 + FDT_GIC_REGIONS * 0x20000, 0x20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_virt), cmocka_unit_test(test_large),
		cmocka_unit_test(test_none), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
