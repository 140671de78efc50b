/* SPDX-License-Identifier: MIT */
/* Trees that are not sound: refused, or read without harm. */
#include "corrupt.h"
#include "fdt_console.h"
#include "fdt_memory.h"

/* A machine with everything that is read. */
static void *machine(void)
{
	void *tree = tree_new();

	tree_reserve(tree, 0x48000000, 0x1000);
	tree_open(tree, 2, 2);
	tree_node(tree, "aliases");
	tree_string(tree, "serial0", "/soc/apb/uart@200");
	tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "bootargs", "quiet");
	tree_string(tree, "stdout-path", "serial0:115200n8");
	tree_u64(tree, "linux,initrd-start", 0x48000000);
	tree_u64(tree, "linux,initrd-end", 0x48001000);
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0, 1, 0);
	TREE_CELLS(tree, "linux,elfcorehdr", 0, 0x50000000, 0, 0x1000);
	tree_close(tree);
	add_memory(tree, 0x40000000, 0x80000000);
	add_reserved_nodes(tree);
	tree_node(tree, "psci");
	tree_string(tree, "method", "smc");
	tree_close(tree);
	add_soc(tree, &(struct uart){0});
	return tree_finish(tree);
}

static void test_machine(void **state)
{
	void *tree = machine();
	size_t size = fdt_totalsize(tree);
	struct kx_refusal why;
	struct console console;

	(void)state;
	assert_int_equal(fdt_check_tree(tree, size, &why), KX_OK);
	assert_int_equal(fdt_check_tree(tree, SIZE_MAX, &why), KX_OK);
	assert_true(fdt_console_read(tree, &console));
	assert_int_equal(console.base, 0x809004200);
	free(tree);
}

static void assert_refused(const void *tree, size_t size, const char *what)
{
	struct kx_refusal why = {0};

	assert_int_equal(fdt_check_tree(tree, size, &why), KX_E_FDT);
	assert_int_equal(why.error, KX_E_FDT);
	assert_string_equal(why.what, what);
	assert_int_equal(why.start, (uintptr_t)tree);
	assert_int_equal(why.end, (uintptr_t)tree + size);
}

static void test_check_header(void **state)
{
	char *tree = machine();
	size_t size = fdt_totalsize(tree);
	uint32_t offset = fdt_off_dt_struct(tree);

	(void)state;
	assert_refused(tree + 4, size - 4, "device tree not 8-byte aligned");
	assert_refused(tree, 39, "device tree shorter than its header");
	assert_refused(tree, size - 1, "device tree truncated");

	fdt_set_magic(tree, 0xd00dfeee);
	assert_refused(tree, size, "device tree header malformed");
	fdt_set_magic(tree, FDT_MAGIC);
	fdt_set_version(tree, 16);
	assert_refused(tree, size, "device tree header malformed");
	fdt_set_version(tree, 17);
	fdt_set_last_comp_version(tree, 18);
	assert_refused(tree, size, "device tree header malformed");
	fdt_set_last_comp_version(tree, 16);

	/* dtc issue 178 */
	fdt_set_off_dt_struct(tree, offset - 2);
	assert_refused(tree, size, "device tree structure misaligned");
	fdt_set_off_dt_struct(tree, offset + 4);
	assert_refused(tree, size, "device tree structure malformed");
	free(tree);
}

/* Lengths that make libfdt walk backwards, in circles, or hand out a negative length. */
static void test_check_property_length(void **state)
{
	char *tree = machine();
	size_t size = fdt_totalsize(tree);
	int offset = fdt_next_property_offset(tree, fdt_first_property_offset(tree, 0));
	void *length = tree + fdt_off_dt_struct(tree) + offset + 4;

	(void)state;
	assert_int_equal(fdt32_ld(length), 4);
	for (int bad = -64; bad < 0; bad++) {
		fdt32_st(length, (uint32_t)bad);
		assert_refused(tree, size, "device tree structure malformed");
	}
	fdt32_st(length, 0x7fffffff);
	assert_refused(tree, size, "device tree structure malformed");
	fdt32_st(length, 0x80000000);
	assert_refused(tree, size, "device tree structure malformed");
	free(tree);
}

static void *tree_with_name(size_t length)
{
	char name[300] = "";
	void *tree = tree_begin(2, 2);

	memset(name, 'n', length);
	tree_u32(tree, name, 0);
	return tree_finish(tree);
}

static void test_check_property_name(void **state)
{
	char *tree = tree_with_name(255);
	struct kx_refusal why;

	(void)state;
	assert_int_equal(fdt_check_tree(tree, fdt_totalsize(tree), &why), KX_OK);

	/* Names that end with the string block, and not before. */
	fdt_set_size_dt_strings(tree, fdt_size_dt_strings(tree) - 1);
	assert_refused(tree, fdt_totalsize(tree), "device tree structure malformed");
	free(tree);

	tree = tree_with_name(256);
	assert_refused(tree, fdt_totalsize(tree), "device tree structure malformed");
	free(tree);
}

static void test_check_truncated_anywhere(void **state)
{
	void *tree = machine();
	size_t size = fdt_totalsize(tree);

	(void)state;
	for (size_t cut = 0; cut < size; cut++) {
		struct guarded g = guarded_new(cut);
		struct kx_refusal why;

		memcpy(g.data, tree, cut);
		assert_int_equal(fdt_check_tree(g.data, cut, &why), KX_E_FDT);
		if (cut >= 8) { /* so that the header's word does not give it away */
			fdt_set_totalsize(g.data, (uint32_t)cut);
			assert_int_equal(fdt_check_tree(g.data, cut, &why), KX_E_FDT);
		}
		guarded_free(&g);
	}
	free(tree);
}

static volatile uint64_t sink; /* so that what is summed up is read */

static void assert_pages(const struct range_set *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		assert_true(ranges->ranges[i].start < ranges->ranges[i].end);
		assert_int_equal(ranges->ranges[i].start % 4096, 0);
		assert_int_equal(ranges->ranges[i].end % 4096, 0);
	}
}

static void read_everything(const void *tree, size_t size)
{
	struct kx_refusal why = {0};
	struct range initrd;
	struct console console;
	bool hvc;

	if (fdt_check_tree(tree, size, &why) != KX_OK)
		return;
	assert_int_equal(fdt_check_full(tree, size), 0);
	fdt_read_ram(tree, empty_set(16), &why);
	assert_pages(&set);
	fdt_read_reserved(tree, empty_set(16), &why);
	assert_pages(&set);
	if (fdt_read_initrd(tree, &initrd))
		assert_true(initrd.start < initrd.end);
	sink = strlen(fdt_read_bootargs(tree));
	fdt_console_read(tree, &console);
	fdt_read_psci(tree, &hvc);
}

static void test_corrupted(void **state)
{
	void *whole = machine();
	size_t size = fdt_totalsize(whole);
	struct guarded g = guarded_new(size);
	uint64_t random = 0x66647472;

	(void)state;
	for (unsigned int i = 0; i < 40000; i++) {
		memcpy(g.data, whole, size);
		corrupt(g.data, size, i, &random);
		read_everything(g.data, size);
	}
	guarded_free(&g);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_check_header),
		cmocka_unit_test(test_check_property_length),
		cmocka_unit_test(test_check_property_name),
		cmocka_unit_test(test_check_truncated_anywhere),
		cmocka_unit_test(test_corrupted),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
