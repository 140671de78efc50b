/* SPDX-License-Identifier: MIT */
#include "payload/fdt_read.h"

#include "random.h"
#include "tree.h"

#define UART "arm,pl011"

static struct range storage[64];
static struct range_set set;

static struct range_set *empty_set(size_t max)
{
	assert_true(max <= sizeof(storage) / sizeof(storage[0]));
	set = (struct range_set){storage, 0, max};
	return &set;
}

static void assert_set(const struct range *expected, size_t count)
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

/* Reads RAM, or what is reserved, into set; frees the tree. */
static enum kx_error read_ram(void *tree)
{
	struct kx_refusal why = {0};
	enum kx_error error;

	assert_int_equal(fdt_read_check(tree, fdt_totalsize(tree), &why), KX_OK);
	error = fdt_read_ram(tree, empty_set(64), &why);
	assert_int_equal(why.error, error);
	free(tree);
	return error;
}

static enum kx_error read_reserved(void *tree)
{
	struct kx_refusal why = {0};
	enum kx_error error;

	assert_int_equal(fdt_read_check(tree, fdt_totalsize(tree), &why), KX_OK);
	error = fdt_read_reserved(tree, empty_set(64), &why);
	assert_int_equal(why.error, error);
	free(tree);
	return error;
}

static void *open_tree(uint32_t address_cells, uint32_t size_cells)
{
	void *tree = tree_new();

	tree_open(tree, address_cells, size_cells);
	return tree;
}

/* Opens a /memory node. */
static void open_memory(void *tree, const char *name)
{
	tree_node(tree, name);
	tree_string(tree, "device_type", "memory");
}

static void add_memory(void *tree, uint64_t start, uint64_t size)
{
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", (uint32_t)(start >> 32), (uint32_t)start, (uint32_t)(size >> 32),
		   (uint32_t)size);
	tree_close(tree);
}

static void open_reserved(void *tree, uint32_t address_cells, uint32_t size_cells)
{
	tree_node(tree, "reserved-memory");
	tree_u32(tree, "#address-cells", address_cells);
	tree_u32(tree, "#size-cells", size_cells);
}

static void test_ram(void **state)
{
	void *tree = open_tree(2, 2);

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
	void *tree = open_tree(1, 1);

	(void)state;
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0x80000000, 0x40000000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0xc0000000});

	tree = open_tree(2, 1);
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 1, 0, 0x40000000);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x100000000, 0x140000000});
}

static void test_ram_whole_pages(void **state)
{
	void *tree = open_tree(2, 2);

	(void)state;
	open_memory(tree, "memory");
	TREE_CELLS(tree, "reg", 0, 0x1001, 0, 0x1fff, 0, 0x8fff, 0, 0x1002, 0, 0x10001, 0, 0x1ffd);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x2000, 0x3000}, {0x9000, 0xa000});
}

static void test_ram_none(void **state)
{
	void *tree = open_tree(2, 2);

	(void)state;
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = open_tree(2, 2);
	add_memory(tree, 0x80000000, 0);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = open_tree(2, 2);
	add_memory(tree, 0x80000800, 0x1000);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_NO_MEMORY);

	tree = open_tree(2, 2);
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
		tree = open_tree(cells[i][0], cells[i][1]);
		open_memory(tree, "memory");
		tree_cell_array(tree, "reg", reg, (cells[i][0] + cells[i][1]) % 8);
		tree_close(tree);
		assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);
	}

	tree = open_tree(2, 2);
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
		void *tree = open_tree(2, 2);

		add_memory(tree, cases[i].start, cases[i].size);
		assert_int_equal(read_ram(tree_finish(tree)), cases[i].error);
	}
}

static void test_ram_usable_memory(void **state)
{
	void *tree = open_tree(2, 2);

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
	void *tree = open_tree(2, 2);

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

	tree = open_tree(2, 2);
	add_memory(tree, 0x80000000, 0x40000000);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x80000000, 0);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);

	tree = open_tree(2, 2);
	add_memory(tree, 0x80000000, 0x40000000);
	tree_node(tree, "chosen");
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x80000000, UINT32_MAX, UINT32_MAX);
	tree_close(tree);
	assert_int_equal(read_ram(tree_finish(tree)), KX_E_FDT);
}

static void add_reserved_nodes(void *tree)
{
	open_reserved(tree, 1, 1);
	tree_node(tree, "secure@90000800");
	TREE_CELLS(tree, "reg", 0x90000800, 0x1000, 0x98000800, 0, 0x9c000000, 0x1000);
	TREE_DO(fdt_property(tree, "no-map", NULL, 0));
	tree_close(tree);
	tree_node(tree, "mapped@a0000000");
	TREE_CELLS(tree, "reg", 0xa0000fff, 2);
	tree_close(tree);
	tree_node(tree, "pool");
	TREE_CELLS(tree, "size", 0x1000000);
	TREE_DO(fdt_property(tree, "no-map", NULL, 0));
	tree_close(tree);
	tree_node(tree, "unused@b0000000");
	tree_string(tree, "status", "disabled");
	TREE_CELLS(tree, "reg", 0xb0000000, 0x1000);
	TREE_DO(fdt_property(tree, "no-map", NULL, 0));
	tree_close(tree);
	tree_close(tree);
}

static void test_no_map(void **state)
{
	void *tree = open_tree(2, 2);

	(void)state;
	add_reserved_nodes(tree);
	add_memory(tree, 0x80000000, 0x40000000);
	assert_int_equal(read_ram(tree_finish(tree)), KX_OK);
	ASSERT_SET({0x80000000, 0x90000000}, {0x90002000, 0x9c000000}, {0x9c001000, 0xc0000000});
}

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
	void *tree = open_tree(2, 2);

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
	void *tree = open_tree(2, 2);

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
	assert_int_equal(read_reserved(tree_finish(open_tree(2, 2))), KX_OK);
	assert_int_equal(set.count, 0);
}

static void add_reserved_child(void *tree, uint32_t start, uint32_t size)
{
	tree_node(tree, "child");
	TREE_DO(fdt_property(tree, "no-map", NULL, 0));
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
		open_reserved(tree, i == 2 ? 3 : 2, 2);
		add_reserved_child(tree, i == 3 ? 0xfffff000 : 0, 0x1000);
		tree_close(tree);
		if (i == 4) {
			open_reserved(tree, 2, 2);
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

#define MANY 3000

static void *tree_with_many_ranges(void)
{
	uint32_t *cells = calloc(MANY, 4 * sizeof(*cells));
	void *tree = open_tree(2, 2);

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

static void test_no_room_for_holes(void **state)
{
	void *tree = open_tree(2, 2);
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
		tree = open_tree(2, 2);
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
		void *tree = open_tree(2, 2);

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
	void *tree = tree_finish(open_tree(2, 2));
	struct range initrd;
	uint64_t base;
	bool hvc;

	(void)state;
	assert_false(fdt_read_initrd(tree, &initrd));
	assert_string_equal(fdt_read_bootargs(tree), "");
	assert_false(fdt_read_console(tree, UART, &base));
	assert_false(fdt_read_psci(tree, &hvc));
	free(tree);
}

static void test_bootargs(void **state)
{
	void *tree = open_tree(2, 2);

	(void)state;
	tree_node(tree, "chosen");
	tree_string(tree, "bootargs", "console=ttyAMA0 quiet");
	tree_close(tree);
	tree = tree_finish(tree);
	assert_string_equal(fdt_read_bootargs(tree), "console=ttyAMA0 quiet");
	free(tree);

	tree = open_tree(2, 2);
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
		void *tree = open_tree(2, 2);
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

/* How the console's tree differs from a good one. */
struct console {
	const char *stdout_path; /* "serial0:115200n8" */
	const char *alias;	 /* "/soc/apb/uart@200" */
	size_t alias_size;	 /* the alias's, with its NUL */
	bool no_ranges;		 /* apb's ranges are missing */
	bool identity;		 /* apb's ranges are empty */
	uint32_t soc_size;	 /* of the range that soc maps, 0x10000 */
	uint32_t apb_address_cells;
	bool no_reg;
};

static void add_uart(void *tree, const struct console *console)
{
	static const char compatible[] = "vendor,uart\0" UART "\0arm,primecell";

	tree_node(tree, "uart@200");
	tree_bytes(tree, "compatible", compatible, sizeof(compatible));
	if (!console->no_reg)
		TREE_CELLS(tree, "reg", 0x200, 0x1000);
	tree_close(tree);
}

/* uart 0x200 is 0x4200 on soc (apb's second range), 0x8_09004200 for the CPU. */
static void add_soc(void *tree, const struct console *console)
{
	tree_node(tree, "soc");
	tree_u32(tree, "#address-cells", 1);
	tree_u32(tree, "#size-cells", 1);
	TREE_CELLS(tree, "ranges", 0, 8, 0x09000000,
		   console->soc_size ? console->soc_size : 0x10000);
	tree_node(tree, "apb");
	tree_u32(tree, "#address-cells",
		 console->apb_address_cells ? console->apb_address_cells : 1);
	tree_u32(tree, "#size-cells", 1);
	if (console->identity)
		TREE_DO(fdt_property(tree, "ranges", NULL, 0));
	else if (!console->no_ranges)
		TREE_CELLS(tree, "ranges", 0x1000, 0x1f0, 0x1000, 0x100, 0x4100, 0x400);
	add_uart(tree, console);
	tree_close(tree);
	tree_close(tree);
}

static bool read_console(const struct console *console, const char *compatible, uint64_t *base)
{
	const char *alias = console->alias ? console->alias : "/soc/apb/uart@200";
	void *tree = open_tree(2, 2);
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
	void *tree = open_tree(2, 2);
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
	void *tree = open_tree(1, 1);
	char path[200] = "";
	uint64_t base = 0;
	bool found;

	for (unsigned int i = 0; i < buses; i++) {
		tree_node(tree, "bus");
		tree_u32(tree, "#address-cells", 1);
		tree_u32(tree, "#size-cells", 1);
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
	add_soc(tree, &(struct console){0});
	return tree_finish(tree);
}

static void test_machine(void **state)
{
	void *tree = machine();
	size_t size = fdt_totalsize(tree);
	struct kx_refusal why;
	uint64_t base;

	(void)state;
	assert_int_equal(fdt_read_check(tree, size, &why), KX_OK);
	assert_int_equal(fdt_read_check(tree, SIZE_MAX, &why), KX_OK);
	assert_true(fdt_read_console(tree, UART, &base));
	assert_int_equal(base, 0x809004200);
	free(tree);
}

static void assert_refused(const void *tree, size_t size, const char *what)
{
	struct kx_refusal why = {0};

	assert_int_equal(fdt_read_check(tree, size, &why), KX_E_FDT);
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
	void *tree = open_tree(2, 2);

	memset(name, 'n', length);
	tree_u32(tree, name, 0);
	return tree_finish(tree);
}

static void test_check_property_name(void **state)
{
	char *tree = tree_with_name(255);
	struct kx_refusal why;

	(void)state;
	assert_int_equal(fdt_read_check(tree, fdt_totalsize(tree), &why), KX_OK);

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
		assert_int_equal(fdt_read_check(g.data, cut, &why), KX_E_FDT);
		if (cut >= 8) { /* so that the header's word does not give it away */
			fdt_set_totalsize(g.data, (uint32_t)cut);
			assert_int_equal(fdt_read_check(g.data, cut, &why), KX_E_FDT);
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
	uint64_t base;
	bool hvc;

	if (fdt_read_check(tree, size, &why) != KX_OK)
		return;
	fdt_read_ram(tree, empty_set(16), &why);
	assert_pages(&set);
	fdt_read_reserved(tree, empty_set(16), &why);
	assert_pages(&set);
	if (fdt_read_initrd(tree, &initrd))
		assert_true(initrd.start < initrd.end);
	sink = strlen(fdt_read_bootargs(tree));
	fdt_read_console(tree, UART, &base);
	fdt_read_psci(tree, &hvc);
}

static void test_corrupted(void **state)
{
	void *whole = machine();
	size_t size = fdt_totalsize(whole);
	struct guarded g = guarded_new(size);
	unsigned char *bytes = g.data;
	uint64_t random = 0x66647472;

	(void)state;
	for (unsigned int i = 0; i < 40000; i++) {
		uint32_t word = (uint32_t)random_below(&random, 32);

		memcpy(bytes, whole, size);
		if (i % 2)
			bytes[random_below(&random, size)] = (unsigned char)random_next(&random);
		else
			fdt32_st(bytes + random_below(&random, size / 4) * 4,
				 random_below(&random, 2) ? word : -word);
		read_everything(bytes, size);
	}
	guarded_free(&g);
	free(whole);
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
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_reserved_initrd),
		cmocka_unit_test(test_release_addresses),
		cmocka_unit_test(test_release_address_malformed),
		cmocka_unit_test(test_reserved_none),
		cmocka_unit_test(test_reserved_malformed),
		cmocka_unit_test(test_many_ranges),
		cmocka_unit_test(test_no_room_for_holes),
		cmocka_unit_test(test_initrd),
		cmocka_unit_test(test_initrd_width),
		cmocka_unit_test(test_nothing_chosen),
		cmocka_unit_test(test_bootargs),
		cmocka_unit_test(test_psci),
		cmocka_unit_test(test_console),
		cmocka_unit_test(test_no_console),
		cmocka_unit_test(test_console_on_root),
		cmocka_unit_test(test_console_depth),
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
