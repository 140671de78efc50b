/* SPDX-License-Identifier: MIT */
/* CPUs that can be started, and the kernel's tree about those that were. */
#include "payload/fdt_cpus.h"

#include "fdt_fixup.h"

#define BOOT	 0x80000000ull /* not an id: no CPU is left out */
#define CPUS_MAX 8

struct cpu {
	const char *name;
	const char *type;
	const char *method;
	const char *status;
	uint64_t id;
	uint64_t release;
	bool narrow; /* a release address of one cell */
};

static void add_cpu(void *tree, const struct cpu *cpu, bool wide)
{
	tree_node(tree, cpu->name);
	tree_string(tree, "device_type", cpu->type ? cpu->type : "cpu");
	if (wide)
		tree_u64(tree, "reg", cpu->id);
	else
		tree_u32(tree, "reg", (uint32_t)cpu->id);
	if (cpu->method)
		tree_string(tree, "enable-method", cpu->method);
	if (cpu->status)
		tree_string(tree, "status", cpu->status);
	if (cpu->narrow)
		tree_u32(tree, "cpu-release-addr", (uint32_t)cpu->release);
	else if (cpu->release)
		tree_u64(tree, "cpu-release-addr", cpu->release);
	tree_close(tree);
}

static void *make_tree(const struct cpu *cpus, size_t count, bool wide, const char *psci)
{
	void *tree = tree_begin(2, 2);

	if (psci) {
		tree_node(tree, "psci");
		tree_string(tree, "compatible", psci);
		tree_string(tree, "method", "smc");
		tree_close(tree);
	}
	tree_bus(tree, "cpus", wide ? 2 : 1, 0);
	for (size_t i = 0; i < count; i++)
		add_cpu(tree, &cpus[i], wide);
	tree_close(tree);
	return tree_finish(tree);
}

static const struct cpu some[] = {
	{.name = "cpu@0", .method = "psci"},
	{.name = "cpu@1", .method = "psci", .id = 1, .status = "okay"},
	{.name = "cpu@2", .method = "psci", .id = 2, .status = "fail"},
	{.name = "cpu@3", .method = "psci", .id = 3, .status = "disabled"},
	{.name = "cpu@4", .id = 4},
	{.name = "cpu@5", .method = "vendor", .id = 5},
	{.name = "cpu@6", .method = "spin-table", .id = 6, .release = 0xd8},
	{.name = "cpu@7", .method = "spin-table", .id = 7},
	{.name = "cpu@8", .method = "spin-table", .id = 8, .release = 0xdc},
	{.name = "l2", .method = "psci", .id = 9, .type = "cache"},
	{.name = "cpu@a", .method = "spin-table", .id = 10, .release = 0xe0, .narrow = true},
};

#define SOME (sizeof(some) / sizeof(some[0]))

static void assert_cpus(const void *tree, uint64_t boot, const struct fdt_cpu *want, size_t count)
{
	struct fdt_cpu cpus[CPUS_MAX];

	assert_int_equal(fdt_cpus_read(tree, boot, cpus, CPUS_MAX), count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cpus[i].id, want[i].id);
		assert_int_equal(cpus[i].method, want[i].method);
		assert_int_equal(cpus[i].release, want[i].release);
	}
}

static void test_read(void **state)
{
	static const struct fdt_cpu all[] = {{0, FDT_CPU_PSCI, 0},
					     {1, FDT_CPU_PSCI, 0},
					     {6, FDT_CPU_SPIN_TABLE, 0xd8},
					     {10, FDT_CPU_SPIN_TABLE, 0xe0}};
	struct fdt_cpu two[2];
	void *tree;

	(void)state;
	for (unsigned int wide = 0; wide < 2; wide++) {
		tree = make_tree(some, SOME, wide, "arm,psci-1.0");
		assert_cpus(tree, BOOT, all, 4);
		assert_cpus(tree, 0, all + 1, 3);
		assert_int_equal(fdt_cpus_read(tree, 0, two, 2), 2);
		assert_int_equal(two[1].id, 6);
		free(tree);
	}
	tree = make_tree(some, SOME, false, "arm,psci-0.2");
	assert_cpus(tree, BOOT, all, 4);
	free(tree);
	tree = make_tree(some, SOME, false, "arm,psci"); /* version 0.1 */
	assert_cpus(tree, BOOT, all + 2, 2);
	free(tree);
	tree = make_tree(some, SOME, false, NULL);
	assert_cpus(tree, BOOT, all + 2, 2);
	free(tree);
}

static void test_ids(void **state)
{
	static const struct cpu cpus[] = {
		{.name = "cpu@0", .method = "psci", .id = 0x100000000 | 0x10203},
		{.name = "cpu@1",
		 .method = "psci",
		 .id = 0x100000000 | 0x1000000}, /* bit 24: none */
		{.name = "cpu@2", .method = "psci", .id = 0x10000000000},
		{.name = "cpu@3", .method = "psci", .id = 0xff00ffffff},
	};
	static const struct fdt_cpu want[] = {{0x100010203, FDT_CPU_PSCI, 0},
					      {0xff00ffffff, FDT_CPU_PSCI, 0}};
	static const struct cpu twice[] = {{.name = "cpu@1", .method = "psci", .id = 1},
					   {.name = "cpu@2", .method = "psci", .id = 2},
					   {.name = "cpu@3", .method = "psci", .id = 1}};
	void *tree = make_tree(cpus, 4, true, "arm,psci-1.0");

	(void)state;
	assert_cpus(tree, BOOT, want, 2);
	free(tree);
	tree = make_tree(twice, 3, true, "arm,psci-1.0");
	assert_cpus(tree, BOOT, NULL, 0);
	free(tree);
	tree = tree_finish(tree_begin(2, 2));
	assert_cpus(tree, BOOT, NULL, 0);
	free(tree);
}

static uint64_t release_of(const char *path)
{
	int length;
	const fdt64_t *value = fdt_getprop(buffer, node_at(path), "cpu-release-addr", &length);

	assert_non_null(value);
	assert_int_equal(length, 8);
	return fdt64_ld(value);
}

static void complete(const struct range *landing)
{
	void *tree = make_tree(some, SOME, true, "arm,psci-1.0");
	struct fdt_fixup f = {.machine = tree, .bootargs = "", .landing = *landing};

	fixup(&f);
	free(tree);
}

static void test_kernel_tree(void **state)
{
	const struct range page = {0x48123000, 0x48124000};
	struct kx_refusal why;
	uint64_t start, size;

	(void)state;
	complete(&page);
	assert_int_equal(fdt_num_mem_rsv(buffer), 1);
	assert_int_equal(fdt_get_mem_rsv(buffer, 0, &start, &size), 0);
	assert_int_equal(start, page.start);
	assert_int_equal(size, 4096);
	assert_int_equal(release_of("/cpus/cpu@a"), 0xe0);

	fdt_cpus_release(buffer, 10, 0x48123418);
	assert_int_equal(release_of("/cpus/cpu@a"), 0x48123418);
	assert_int_equal(release_of("/cpus/cpu@6"), 0xd8);
	fdt_cpus_forget(buffer, &page);
	assert_int_equal(fdt_num_mem_rsv(buffer), 0);
	assert_int_equal(fdt_check_tree(buffer, fdt_totalsize(buffer), &why), KX_OK);
	assert_int_equal(release_of("/cpus/cpu@a"), 0x48123418);
}

/* Without a landing page nothing of this is in the tree. */
static void test_no_landing(void **state)
{
	const struct range none = {0, 0};
	int length;

	(void)state;
	complete(&none);
	assert_int_equal(fdt_num_mem_rsv(buffer), 0);
	fdt_getprop(buffer, node_at("/cpus/cpu@a"), "cpu-release-addr", &length);
	assert_int_equal(length, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_kernel_tree),
		cmocka_unit_test(test_no_landing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
