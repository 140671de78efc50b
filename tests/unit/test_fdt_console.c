/* SPDX-License-Identifier: MIT */
/* The console's address, as the CPU sees it. */
#include "payload/fdt_read.h"

#include "fdt_console.h"

static bool read_console(const struct console *console, const char *compatible, uint64_t *base)
{
	const char *alias = console->alias ? console->alias : "/soc/apb/uart@200";
	void *tree = tree_begin(2, 2);
	bool found;

	tree_node(tree, "aliases");
	tree_bytes(tree, "serial0", alias,
		   console->alias_size ? console->alias_size : strlen(alias) + 1);
	tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path",
		    console->stdout_path ? console->stdout_path : "serial0:115200n8");
	tree_close(tree);
	add_soc(tree, console);
	tree = tree_finish(tree);
	found = fdt_read_console(tree, compatible, base);
	free(tree);
	return found;
}

static void test_console(void **state)
{
	static const struct console good[] = {
		{0},
		{.stdout_path = "serial0"},
		{.stdout_path = "/soc/apb/uart@200"},
		{.stdout_path = "/soc/apb/uart:115200"},
	};
	uint64_t base = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		base = 0;
		assert_true(read_console(&good[i], UART, &base));
		assert_int_equal(base, 0x809004200);
	}
	assert_true(read_console(&(struct console){.identity = true}, UART, &base));
	assert_int_equal(base, 0x809000200);
	assert_true(read_console(&(struct console){0}, "vendor,uart", &base));
	assert_true(read_console(&(struct console){0}, "arm,primecell", &base));
	assert_true(read_console(&(struct console){.soc_size = 0x4201}, UART, &base));
}

static void test_no_console(void **state)
{
	static const struct console bad[] = {
		{.stdout_path = "serial1:115200n8"},
		{.stdout_path = "serial"},
		{.stdout_path = ""},
		{.stdout_path = ":115200"},
		{.stdout_path = "/"},
		{.stdout_path = "/soc/apb"},
		{.stdout_path = "/soc/apb/uart@201"},
		{.alias = "serial0"}, /* itself */
		{.alias = ""},
		{.alias_size = 17}, /* without its NUL */
		{.no_ranges = true},
		{.soc_size = 0x4200},
		{.apb_address_cells = 3},
		{.no_reg = true},
	};
	uint64_t base;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (read_console(&bad[i], UART, &base))
			fail_msg("case %zu: found", i);
	}
	assert_false(read_console(&(struct console){0}, "arm,pl01", &base));
	assert_false(read_console(&(struct console){0}, "ns16550a", &base));
}

static void test_console_on_root(void **state)
{
	void *tree = tree_begin(2, 2);
	uint64_t base;

	(void)state;
	tree_node(tree, "pl011@9000000");
	tree_string(tree, "compatible", UART);
	TREE_CELLS(tree, "reg", 0, 0x09000000, 0, 0x1000);
	tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", "/pl011@9000000");
	tree_close(tree);
	tree = tree_finish(tree);
	assert_true(fdt_read_console(tree, UART, &base));
	assert_int_equal(base, 0x09000000);
	free(tree);
}

/* Buses nested without end are no reason to work without end. */
static bool read_deep_console(unsigned int buses)
{
	void *tree = tree_begin(1, 1);
	char path[200] = "";
	uint64_t base = 0;
	bool found;

	for (unsigned int i = 0; i < buses; i++) {
		tree_bus(tree, "bus", 1, 1);
		TREE_CELLS(tree, "ranges", 0x200, 0x200, 0x1000);
		strcat(path, "/bus");
	}
	tree_node(tree, "uart");
	tree_string(tree, "compatible", UART);
	TREE_CELLS(tree, "reg", 0x200, 0x1000);
	tree_close(tree);
	for (unsigned int i = 0; i < buses; i++)
		tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", strcat(path, "/uart"));
	tree_close(tree);
	tree = tree_finish(tree);
	found = fdt_read_console(tree, UART, &base);
	free(tree);
	return found;
}

static void test_console_depth(void **state)
{
	(void)state;
	assert_true(read_deep_console(15));
	assert_false(read_deep_console(16));
	assert_false(read_deep_console(40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_console),
		cmocka_unit_test(test_no_console),
		cmocka_unit_test(test_console_on_root),
		cmocka_unit_test(test_console_depth),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
