/* SPDX-License-Identifier: MIT */
/* What a tree says in /chosen, and of PSCI. */
#include "payload/fdt_read.h"

#include "fdt_console.h"

static void test_initrd(void **state)
{
	static const struct {
		uint64_t start, end;
		bool good;
	} cases[] = {{0x48000000, 0x48000001, true},
		     {0x100000000, 0x180000000, true},
		     {0x48000000, 0x48000000, false},
		     {0x48000001, 0x48000000, false}};
	struct range initrd;
	void *tree;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree = tree_begin(2, 2);
		tree_node(tree, "chosen");
		tree_u64(tree, "linux,initrd-start", cases[i].start);
		tree_u64(tree, "linux,initrd-end", cases[i].end);
		tree_close(tree);
		tree = tree_finish(tree);
		initrd = (struct range){1, 2};
		assert_int_equal(fdt_read_initrd(tree, &initrd), cases[i].good);
		assert_int_equal(initrd.start, cases[i].good ? cases[i].start : 1);
		assert_int_equal(initrd.end, cases[i].good ? cases[i].end : 2);
		free(tree);
	}
}

static void test_initrd_width(void **state)
{
	static const unsigned char bytes[12] = {0x48, 0, 0, 0, 0x48, 0, 0, 0, 0x48, 0, 0, 0};
	struct range initrd;

	(void)state;
	for (size_t width = 0; width <= sizeof(bytes); width++) {
		void *tree = tree_begin(2, 2);

		tree_node(tree, "chosen");
		tree_bytes(tree, "linux,initrd-start", bytes, width);
		tree_u64(tree, "linux,initrd-end", 0x4800000048000001);
		tree_close(tree);
		tree = tree_finish(tree);
		assert_int_equal(fdt_read_initrd(tree, &initrd), width == 4 || width == 8);
		if (width == 4)
			assert_int_equal(initrd.start, 0x48000000);
		if (width == 8)
			assert_int_equal(initrd.start, 0x4800000048000000);
		free(tree);
	}
}

static void test_nothing_chosen(void **state)
{
	void *tree = tree_finish(tree_begin(2, 2));
	struct range initrd;
	struct console console;
	bool hvc;

	(void)state;
	assert_false(fdt_read_initrd(tree, &initrd));
	assert_string_equal(fdt_read_bootargs(tree), "");
	assert_false(fdt_console_read(tree, &console));
	assert_false(fdt_read_psci(tree, &hvc));
	free(tree);
}

static void test_bootargs(void **state)
{
	void *tree = tree_begin(2, 2);

	(void)state;
	tree_node(tree, "chosen");
	tree_string(tree, "bootargs", "console=ttyAMA0 quiet");
	tree_close(tree);
	tree = tree_finish(tree);
	assert_string_equal(fdt_read_bootargs(tree), "console=ttyAMA0 quiet");
	free(tree);

	tree = tree_begin(2, 2);
	tree_node(tree, "chosen");
	tree_bytes(tree, "bootargs", "quiet", 5);
	tree_close(tree);
	tree = tree_finish(tree);
	assert_string_equal(fdt_read_bootargs(tree), "");
	free(tree);
}

static void test_psci(void **state)
{
	static const struct {
		const char *node;
		const char *method;
		size_t size;
		bool found, hvc;
	} cases[] = {
		{"psci", "hvc", 4, true, true},	  {"psci", "smc", 4, true, false},
		{"psci", "hvc", 3, false, false}, {"psci", "svc", 4, false, false},
		{"psci", "", 0, false, false},	  {"psci@0", "hvc", 4, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *tree = tree_begin(2, 2);
		bool hvc = !cases[i].hvc;

		tree_node(tree, cases[i].node);
		tree_bytes(tree, "method", cases[i].method, cases[i].size);
		tree_close(tree);
		tree = tree_finish(tree);
		assert_int_equal(fdt_read_psci(tree, &hvc), cases[i].found);
		if (cases[i].found)
			assert_int_equal(hvc, cases[i].hvc);
		free(tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_initrd),	       cmocka_unit_test(test_initrd_width),
		cmocka_unit_test(test_nothing_chosen), cmocka_unit_test(test_bootargs),
		cmocka_unit_test(test_psci),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
