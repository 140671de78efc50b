/* SPDX-License-Identifier: MIT */
/* The console's address, as the CPU sees it. */
#include "fdt_console.h"

static bool read_console(const struct uart *uart, struct console *console)
{
	const char *alias = uart->alias ? uart->alias : "/soc/apb/uart@200";
	void *tree = tree_begin(2, 2);
	bool found;

	tree_node(tree, "aliases");
	tree_bytes(tree, "serial0", alias, uart->alias_size ? uart->alias_size : strlen(alias) + 1);
	tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path",
		    uart->stdout_path ? uart->stdout_path : "serial0:115200n8");
	tree_close(tree);
	add_soc(tree, uart);
	tree = tree_finish(tree);
	found = fdt_console_read(tree, console);
	free(tree);
	return found;
}

static void test_console(void **state)
{
	static const struct uart good[] = {
		{0},
		{.stdout_path = "serial0"},
		{.stdout_path = "/soc/apb/uart@200"},
		{.stdout_path = "/soc/apb/uart:115200"},
	};
	struct console console;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		console = (struct console){.base = 0, .model = CONSOLE_IMX};
		assert_true(read_console(&good[i], &console));
		assert_int_equal(console.base, 0x809004200);
		assert_int_equal(console.model, CONSOLE_PL011);
	}
	assert_true(read_console(&(struct uart){.identity = true}, &console));
	assert_int_equal(console.base, 0x809000200);
	assert_true(read_console(&(struct uart){.soc_size = 0x4201}, &console));
}

static void test_no_console(void **state)
{
	static const struct uart bad[] = {
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
	struct console console = {.base = 0x1000, .model = CONSOLE_IMX};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (read_console(&bad[i], &console))
			fail_msg("case %zu: found", i);
		assert_int_equal(console.base, 0x1000);
		assert_int_equal(console.model, CONSOLE_IMX);
	}
}

static void test_model(void **state)
{
	static const struct {
		const char *compatible;
		uint32_t shift, width;
		enum console_model model;
	} known[] = {
		{"arm,pl011", 0, 0, CONSOLE_PL011},
		{"arm,sbsa-uart", 0, 0, CONSOLE_PL011},
		{"arm,pl011", 1, 2, CONSOLE_PL011}, /* of no meaning there */
		{"ns16550a", 0, 0, CONSOLE_16550_BYTES},
		{"ns16550", 0, 1, CONSOLE_16550_BYTES},
		{"ns16550a", 2, 1, CONSOLE_16550_SPACED},
		{"ns16550a", 2, 4, CONSOLE_16550_WORDS},
		{"snps,dw-apb-uart", 2, 4, CONSOLE_16550_WORDS},
		{"brcm,bcm2835-aux-uart", 0, 0, CONSOLE_BCM2835_AUX},
		{"cdns,uart-r1p12", 0, 0, CONSOLE_CADENCE},
		{"cdns,uart-r1p8", 0, 0, CONSOLE_CADENCE},
		{"xlnx,xuartps", 0, 0, CONSOLE_CADENCE},
		{"fsl,imx6q-uart", 0, 0, CONSOLE_IMX},
		{"fsl,imx21-uart", 0, 0, CONSOLE_IMX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct uart uart = {.compatible = known[i].compatible,
				    .reg_shift = known[i].shift,
				    .reg_io_width = known[i].width};
		struct console console;

		if (!read_console(&uart, &console))
			fail_msg("case %zu: not found", i);
		assert_int_equal(console.model, known[i].model);
		assert_int_equal(console.base, 0x809004200);
	}
}

static void test_no_model(void **state)
{
	static const struct uart unknown[] = {
		{.compatible = "arm,pl01"},
		{.compatible = "arm,pl0111"},
		{.compatible = "ns16550a", .reg_shift = 1, .reg_io_width = 2},
		{.compatible = "ns16550a", .reg_shift = 0, .reg_io_width = 4},
		{.compatible = "ns16550a", .reg_shift = 0xffffffff, .reg_io_width = 4},
		{.compatible = ""},
	};
	struct console console;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (read_console(&unknown[i], &console))
			fail_msg("case %zu: found", i);
	}
}

/* The crash word has room for some bits of where the registers begin in their page, and one page is
 * mapped. */
static void test_place(void **state)
{
	static const struct {
		const char *compatible;
		uint32_t at;
		bool good;
	} places[] = {
		{"brcm,bcm2835-aux-uart", 0x1040, true},
		{"brcm,bcm2835-aux-uart", 0x1010, false},
		{"arm,pl011", 0x1020, false},
		{"arm,pl011", 0x1fc0, true},
		{"fsl,imx6q-uart", 0x1f40, true},
		{"fsl,imx6q-uart", 0x1f80, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct uart uart = {.compatible = places[i].compatible, .at = places[i].at};
		struct console console = {.base = 0};

		assert_int_equal(read_console(&uart, &console), places[i].good);
		assert_int_equal(console.base, places[i].good ? 0x809004000 + uart.at : 0);
	}
}

static void test_console_on_root(void **state)
{
	void *tree = tree_begin(2, 2);
	struct console console;

	(void)state;
	tree_node(tree, "pl011@9000000");
	tree_string(tree, "compatible", "arm,pl011");
	TREE_CELLS(tree, "reg", 0, 0x09000000, 0, 0x1000);
	tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", "/pl011@9000000");
	tree_close(tree);
	tree = tree_finish(tree);
	assert_true(fdt_console_read(tree, &console));
	assert_int_equal(console.base, 0x09000000);
	free(tree);
}

static bool read_xen_console(const char *hypervisor, const char *stdout_path,
			     struct console *console)
{
	void *tree = tree_begin(2, 2);
	bool found;

	tree_node(tree, "hypervisor");
	tree_bytes(tree, "compatible", hypervisor, strlen(hypervisor) + 1);
	TREE_CELLS(tree, "reg", 0, 0x40200000, 0, 0x40000, 0, 0x40400000, 0, 0x1fc00000);
	tree_close(tree);
	add_soc(tree, &(struct uart){0});
	tree_node(tree, "chosen");
	if (stdout_path)
		tree_string(tree, "stdout-path", stdout_path);
	tree_close(tree);
	tree = tree_finish(tree);
	found = fdt_console_read(tree, console);
	free(tree);
	return found;
}

/* Where Xen keeps the console that stdout-path names, its node is not there. */
static void test_xen(void **state)
{
	static const char *const gone[] = {NULL, "/pl011@9000000", "serial0:115200n8", "/soc"};
	struct console console;

	(void)state;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		console = (struct console){.base = 0x1000, .model = CONSOLE_IMX};
		if (!read_xen_console("xen,xen", gone[i], &console))
			fail_msg("case %zu: not found", i);
		assert_int_equal(console.base, 0);
		assert_int_equal(console.model, CONSOLE_XEN);
	}
	assert_true(read_xen_console("xen,xen", "/soc/apb/uart@200", &console));
	assert_int_equal(console.base, 0x809004200);
	assert_int_equal(console.model, CONSOLE_PL011);
	assert_false(read_xen_console("xen,xen-4.17", NULL, &console));
	assert_false(read_xen_console("linux,kvm", NULL, &console));
	assert_int_equal(console.model, CONSOLE_PL011);
}

/* Buses nested without end are no reason to work without end. */
static bool read_deep_console(unsigned int buses)
{
	void *tree = tree_begin(1, 1);
	char path[200] = "";
	struct console console;
	bool found;

	for (unsigned int i = 0; i < buses; i++) {
		tree_bus(tree, "bus", 1, 1);
		TREE_CELLS(tree, "ranges", 0x200, 0x200, 0x1000);
		strcat(path, "/bus");
	}
	tree_node(tree, "uart");
	tree_string(tree, "compatible", "arm,pl011");
	TREE_CELLS(tree, "reg", 0x200, 0x1000);
	tree_close(tree);
	for (unsigned int i = 0; i < buses; i++)
		tree_close(tree);
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", strcat(path, "/uart"));
	tree_close(tree);
	tree = tree_finish(tree);
	found = fdt_console_read(tree, &console);
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
		cmocka_unit_test(test_console),	      cmocka_unit_test(test_no_console),
		cmocka_unit_test(test_model),	      cmocka_unit_test(test_no_model),
		cmocka_unit_test(test_place),	      cmocka_unit_test(test_console_on_root),
		cmocka_unit_test(test_console_depth), cmocka_unit_test(test_xen),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
