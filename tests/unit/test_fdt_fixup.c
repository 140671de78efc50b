/* SPDX-License-Identifier: MIT */
#include "payload/fdt_fixup.h"

#include "payload/fdt_read.h"
#include "random.h"
#include "tree.h"
#include <stdio.h>

/* What completing a tree of these tests adds to it at most. */
#define COMPLETION_MAX 8192
#define BUFFER_SIZE    ((size_t)64 * 1024)

static _Alignas(8) unsigned char buffer[BUFFER_SIZE];

static const uint8_t entropy[40] = "8 bytes:and 32 bytes for the other seed";

/* How the machine's tree differs from the usual one. */
struct machine {
	const char *kaslr_seed; /* 8 bytes */
	bool no_chosen;
	bool old_timing;
	unsigned int more_reserved;
	unsigned int more_memory;
	unsigned int more_reservations;
};

static void add_memory(void *tree, const char *name, uint32_t high, uint32_t low, uint32_t size)
{
	tree_node(tree, name);
	tree_string(tree, "device_type", "memory");
	TREE_CELLS(tree, "reg", high, low, 0, size);
	tree_u32(tree, "numa-node-id", 1);
	tree_close(tree);
}

static void add_reserved(void *tree, const char *name, uint32_t start, uint32_t size)
{
	tree_node(tree, name);
	TREE_CELLS(tree, "reg", 0, start, 0, size);
	tree_u32(tree, "phandle", 3);
	TREE_DO(fdt_property(tree, "no-map", NULL, 0));
	tree_close(tree);
}

static void add_old_timing(void *tree)
{
	tree_node(tree, "kexpress");
	tree_u64(tree, "version", 77);
	tree_u64(tree, "left-over", 1);
	tree_close(tree);
}

static void add_chosen(void *tree, const struct machine *m)
{
	tree_node(tree, "chosen");
	tree_string(tree, "bootargs", "old arguments, and long ones");
	tree_u32(tree, "linux,initrd-start", 0x48000000);
	tree_u32(tree, "linux,initrd-end", 0x48123456);
	tree_string(tree, "stdout-path", "/machine-uart");
	tree_bytes(tree, "kaslr-seed", m->kaslr_seed ? m->kaslr_seed : "machine!", 8);
	tree_bytes(tree, "rng-seed", "seed", 4);
	TREE_CELLS(tree, "linux,elfcorehdr", 0, 0x50000000, 0, 0x1000);
	TREE_CELLS(tree, "linux,usable-memory-range", 0, 0x40000000, 0, 0x20000000);
	tree_u64(tree, "linux,uefi-system-table", 0x5f000000);
	if (m->old_timing)
		add_old_timing(tree);
	tree_close(tree);
}

static void add_many(void *tree, unsigned int count, bool memory)
{
	for (unsigned int i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "more@%x", 0x1000 * i);
		if (memory)
			add_memory(tree, name, 1, 0x1000 * i, 0x1000);
		else
			add_reserved(tree, name, 0x1000 * i, 0x1000);
	}
}

static void add_reserved_memory(void *tree, const struct machine *m)
{
	tree_node(tree, "reserved-memory");
	tree_u32(tree, "#address-cells", 2);
	tree_u32(tree, "#size-cells", 2);
	TREE_DO(fdt_property(tree, "ranges", NULL, 0));
	add_reserved(tree, "secure@4e000000", 0x4e000000, 0x200000);
	add_reserved(tree, "ramoops", 0x4f000000, 0x1000);
	tree_node(tree, "pool");
	TREE_CELLS(tree, "size", 0, 0x1000000);
	tree_close(tree);
	tree_node(tree, "unused@1000");
	tree_string(tree, "status", "disabled");
	TREE_CELLS(tree, "reg", 0, 0x1000, 0, 0x1000);
	tree_close(tree);
	add_many(tree, m->more_reserved, false);
	tree_close(tree);
}

static void *make_machine(const struct machine *m)
{
	void *tree = tree_new();

	tree_reserve(tree, 0x47fff000, 0x1000);
	tree_reserve(tree, 0x48000000, 0x123456); /* its initrd */
	tree_reserve(tree, 0x100000000, 0x2000);
	for (unsigned int i = 0; i < m->more_reservations; i++)
		tree_reserve(tree, 0x200000000 + 0x2000 * i, 0x1000);
	tree_open(tree, 2, 2);
	tree_string(tree, "model", "machine");
	add_memory(tree, "memory@40000000", 0, 0x40000000, 0x40000000);
	add_memory(tree, "memory@800000000", 8, 0, 0x40000000);
	add_many(tree, m->more_memory, true);
	add_reserved_memory(tree, m);
	if (!m->no_chosen)
		add_chosen(tree, m);
	tree_node(tree, "psci");
	tree_string(tree, "method", "hvc");
	tree_close(tree);
	tree = tree_finish(tree);
	fdt_set_boot_cpuid_phys(tree, 5);
	return tree;
}

/* The usual machine. */
static void *machine_tree(void)
{
	return make_machine(&(struct machine){0});
}

static void fixup(const struct fdt_fixup *f)
{
	struct kx_refusal why;

	memset(buffer, 0xa5, sizeof(buffer));
	assert_int_equal(fdt_fixup(f, buffer, sizeof(buffer), &why), KX_OK);
	assert_int_equal(fdt_read_check(buffer, fdt_totalsize(buffer), &why), KX_OK);
}

static int node_at(const char *path)
{
	int node = fdt_path_offset(buffer, path);

	if (node < 0)
		fail_msg("no %s", path);
	return node;
}

static void assert_property(const char *path, const char *name, const void *value, size_t size)
{
	int length;
	const void *found = fdt_getprop(buffer, node_at(path), name, &length);

	if (!found)
		fail_msg("no %s in %s", name, path);
	assert_int_equal(length, size);
	assert_memory_equal(found, value, size);
}

static void assert_string(const char *path, const char *name, const char *value)
{
	assert_property(path, name, value, strlen(value) + 1);
}

static void assert_u64(const char *path, const char *name, uint64_t value)
{
	fdt64_t cells = cpu_to_fdt64(value);

	assert_property(path, name, &cells, sizeof(cells));
}

static void assert_cells(const char *path, const char *name, const uint32_t *cells, size_t count)
{
	fdt32_t value[8];

	assert_true(count <= 8);
	for (size_t i = 0; i < count; i++)
		value[i] = cpu_to_fdt32(cells[i]);
	assert_property(path, name, value, count * sizeof(value[0]));
}

#define ASSERT_CELLS(path, name, ...)                             \
	assert_cells(path, name, (const uint32_t[]){__VA_ARGS__}, \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void assert_absent(const char *path, const char *name)
{
	if (fdt_getprop(buffer, node_at(path), name, NULL))
		fail_msg("%s in %s", name, path);
}

static void assert_reservations(const uint64_t (*expected)[2], int count)
{
	assert_int_equal(fdt_num_mem_rsv(buffer), count);
	for (int i = 0; i < count; i++) {
		uint64_t address;
		uint64_t size;

		assert_int_equal(fdt_get_mem_rsv(buffer, i, &address, &size), 0);
		assert_int_equal(address, expected[i][0]);
		assert_int_equal(size, expected[i][1]);
	}
}

static void assert_timing_zero(void)
{
	assert_string("/chosen/kexpress", "compatible", "kexpress,timing");
#define ASSERT_ZERO(member, property) assert_u64("/chosen/kexpress", property, 0);
	KX_TIMING_FIELDS(ASSERT_ZERO)
#undef ASSERT_ZERO
	assert_absent("/chosen/kexpress", "left-over");
}

static void test_machine(void **state)
{
	static const uint64_t kept[][2] = {{0x47fff000, 0x1000}, {0x100000000, 0x2000}};
	void *machine = make_machine(&(struct machine){.old_timing = true});
	struct fdt_fixup f = {
		.machine = machine,
		.bootargs = "console=ttyAMA0 quiet",
		.initrd = {0x4a000000, 0x4a000001},
		.entropy = entropy,
		.entropy_size = sizeof(entropy),
	};

	(void)state;
	fixup(&f);
	assert_u64("/chosen", "linux,initrd-start", 0x4a000000);
	assert_u64("/chosen", "linux,initrd-end", 0x4a000001);
	assert_string("/chosen", "bootargs", "console=ttyAMA0 quiet");
	assert_property("/chosen", "kaslr-seed", entropy, 8);
	assert_property("/chosen", "rng-seed", entropy + 8, 32);
	assert_timing_zero();
	assert_reservations(kept, 2);
	assert_int_equal(fdt_boot_cpuid_phys(buffer), 5);

	assert_string("/chosen", "stdout-path", "/machine-uart");
	assert_u64("/chosen", "linux,uefi-system-table", 0x5f000000);
	ASSERT_CELLS("/chosen", "linux,elfcorehdr", 0, 0x50000000, 0, 0x1000);
	ASSERT_CELLS("/chosen", "linux,usable-memory-range", 0, 0x40000000, 0, 0x20000000);
	ASSERT_CELLS("/memory@800000000", "reg", 8, 0, 0, 0x40000000);
	ASSERT_CELLS("/reserved-memory/pool", "size", 0, 0x1000000);
	assert_string("/psci", "method", "hvc");
	free(machine);
}

/* Packed: nothing lies behind the strings, and no more room is used than was promised. */
static void test_size(void **state)
{
	void *machine = machine_tree();
	struct fdt_fixup f = {.machine = machine, .bootargs = ""};

	(void)state;
	fixup(&f);
	assert_int_equal(fdt_totalsize(buffer),
			 fdt_off_dt_strings(buffer) + fdt_size_dt_strings(buffer));
	assert_true(fdt_totalsize(buffer) < fdt_totalsize(machine) + COMPLETION_MAX);
	free(machine);
}

static void test_no_initrd(void **state)
{
	void *machine = machine_tree();
	struct fdt_fixup f = {.machine = machine, .bootargs = "", .initrd = {0x1000, 0x1000}};

	(void)state;
	fixup(&f);
	assert_absent("/chosen", "linux,initrd-start");
	assert_absent("/chosen", "linux,initrd-end");
	assert_string("/chosen", "bootargs", "");
	free(machine);
}

static void test_initrd_exact(void **state)
{
	static const struct range ranges[] = {
		{0, 1},
		{0xffffffff, 0x100000000},
		{0x880000000, 0x880000fff},
		{0, UINT64_MAX},
	};
	void *machine = machine_tree();

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct fdt_fixup f = {.machine = machine, .bootargs = "", .initrd = ranges[i]};

		fixup(&f);
		assert_u64("/chosen", "linux,initrd-start", ranges[i].start);
		assert_u64("/chosen", "linux,initrd-end", ranges[i].end);
	}
	free(machine);
}

static void test_no_entropy(void **state)
{
	void *machine = machine_tree();
	struct fdt_fixup f = {.machine = machine, .bootargs = ""};

	(void)state;
	fixup(&f);
	assert_property("/chosen", "kaslr-seed", "machine!", 8);
	assert_property("/chosen", "rng-seed", "seed", 4);
	free(machine);

	machine = make_machine(&(struct machine){.kaslr_seed = "\0\0\0\0\0\0\0\0"});
	f.machine = machine;
	fixup(&f);
	assert_absent("/chosen", "kaslr-seed");
	assert_property("/chosen", "rng-seed", "seed", 4);
	free(machine);

	machine = make_machine(&(struct machine){.kaslr_seed = "\0\0\0\0\0\0\0\1"});
	f.machine = machine;
	fixup(&f);
	assert_property("/chosen", "kaslr-seed", "\0\0\0\0\0\0\0\1", 8);
	free(machine);
}

static void test_no_chosen(void **state)
{
	void *machine = make_machine(&(struct machine){.no_chosen = true});
	struct fdt_fixup f = {
		.machine = machine,
		.bootargs = "quiet",
		.initrd = {1, 2},
		.entropy = entropy,
		.entropy_size = sizeof(entropy),
	};

	(void)state;
	fixup(&f);
	assert_string("/chosen", "bootargs", "quiet");
	assert_u64("/chosen", "linux,initrd-end", 2);
	assert_property("/chosen", "kaslr-seed", entropy, 8);
	assert_timing_zero();
	assert_int_equal(fdt_num_mem_rsv(buffer), 3); /* none is known to be an initrd's */
	free(machine);
}

static void test_timing(void **state)
{
	void *machine = machine_tree();
	struct fdt_fixup f = {.machine = machine, .bootargs = ""};
	struct kx_timing timing;
	uint64_t value = 0x1122334455667700;
	uint32_t size;

	(void)state;
	fixup(&f);
	size = fdt_totalsize(buffer);
#define SET(member, property) timing.member = value++;
	KX_TIMING_FIELDS(SET)
#undef SET
	fdt_fixup_timing(buffer, &timing);
#define ASSERT_STORED(member, property) assert_u64("/chosen/kexpress", property, timing.member);
	KX_TIMING_FIELDS(ASSERT_STORED)
#undef ASSERT_STORED
	assert_int_equal(fdt_totalsize(buffer), size);
	assert_string("/chosen", "bootargs", "");
	free(machine);
}

static void assert_idempotent(struct fdt_fixup f)
{
	static _Alignas(8) unsigned char first[BUFFER_SIZE];
	struct kx_timing timing = {.version = KX_TIMING_VERSION, .move = 123};
	size_t size;

	fixup(&f);
	size = fdt_totalsize(buffer);
	memcpy(first, buffer, size);
	fdt_fixup_timing(buffer, &timing);

	f = (struct fdt_fixup){
		.machine = memcpy(malloc(size), buffer, size),
		.bootargs = f.bootargs,
		.initrd = f.initrd,
		.entropy = f.entropy,
		.entropy_size = f.entropy_size,
	};
	fixup(&f);
	assert_int_equal(fdt_totalsize(buffer), size);
	assert_memory_equal(buffer, first, size);
	free((void *)f.machine);
}

/* What the next kexpress is given is what this one made. */
static void test_idempotent(void **state)
{
	void *machine = machine_tree();
	struct fdt_fixup f = {
		.machine = machine,
		.bootargs = "quiet",
		.initrd = {0x4a000000, 0x4b000000},
	};

	(void)state;
	assert_idempotent(f);
	f.entropy = entropy;
	f.entropy_size = sizeof(entropy);
	assert_idempotent(f);
	f.initrd = (struct range){0, 0};
	assert_idempotent(f);
	free(machine);

	machine = make_machine(&(struct machine){.no_chosen = true});
	f.machine = machine;
	f.initrd = (struct range){0x4a000000, 0x4b000000};
	assert_idempotent(f);
	free(machine);
}

/* How the payload's tree differs from one with nothing but its model. */
struct payload {
	uint32_t address_cells;
	uint32_t size_cells;
	bool placeholder; /* /memory of size 0, as in Linux's sources */
	bool memory;	  /* with a size */
	bool reserved;	  /* /reserved-memory with children of its own */
	bool similar;	  /* a child called like the machine's, but for a unit address */
	bool chosen;
	bool reservations;
};

static void add_payload_reserved(void *tree, bool similar)
{
	tree_node(tree, "reserved-memory");
	tree_u32(tree, "#address-cells", 2);
	tree_u32(tree, "#size-cells", 1);
	TREE_DO(fdt_property(tree, "ranges", NULL, 0));
	tree_node(tree, similar ? "ramoops@60000000" : "ramoops");
	tree_string(tree, "compatible", "ramoops");
	TREE_CELLS(tree, "reg", 0, 0x60000000, 0x1000);
	tree_u32(tree, "phandle", 1);
	tree_close(tree);
	tree_node(tree, "secure@4e000000-too");
	TREE_CELLS(tree, "reg", 0, 0x61000000, 0x1000);
	tree_close(tree);
	tree_close(tree);
}

static void add_payload_chosen(void *tree)
{
	tree_node(tree, "chosen");
	tree_string(tree, "stdout-path", "/payload-uart");
	tree_bytes(tree, "kaslr-seed", "payload!", 8);
	tree_u64(tree, "linux,initrd-start", 1);
	tree_close(tree);
}

static void *make_payload(const struct payload *p)
{
	void *tree = tree_new();

	if (p->reservations) {
		tree_reserve(tree, 0x100000000, 0x2000);
		tree_reserve(tree, 0x47fff000, 0x800);
		tree_reserve(tree, 0x46000000, 0x1000);
	}
	tree_open(tree, p->address_cells, p->size_cells);
	tree_string(tree, "model", "payload");
	if (p->placeholder) {
		tree_node(tree, "memory@80000000");
		tree_string(tree, "device_type", "memory");
		TREE_CELLS(tree, "reg", 0, 0x80000000, 0, 0);
		tree_close(tree);
	}
	if (p->memory) {
		tree_node(tree, "memory@40000000");
		tree_string(tree, "device_type", "memory");
		TREE_CELLS(tree, "reg", 0, 0x40000000, 0, 0x1000, 0, 0, 0, 0);
		tree_close(tree);
	}
	if (p->reserved)
		add_payload_reserved(tree, p->similar);
	if (p->chosen)
		add_payload_chosen(tree);
	return tree_finish(tree);
}

/* Fixes up p's tree with the usual machine's. */
static void fixup_payload(const struct payload *p)
{
	void *machine = machine_tree();
	void *payload = make_payload(p);
	struct fdt_fixup f = {
		.machine = machine,
		.payload = payload,
		.payload_size = fdt_totalsize(payload),
		.bootargs = "quiet",
		.initrd = {0x4a000000, 0x4a123457},
	};

	fixup(&f);
	assert_string("/", "model", "payload");
	assert_string("/chosen", "bootargs", "quiet");
	assert_u64("/chosen", "linux,initrd-start", 0x4a000000);
	assert_u64("/chosen", "linux,initrd-end", 0x4a123457);
	assert_timing_zero();
	assert_int_equal(fdt_boot_cpuid_phys(buffer), 5);
	assert_true(fdt_path_offset(buffer, "/psci") < 0);
	free(payload);
	free(machine);
}

static void test_adopted(void **state)
{
	static const uint64_t reservations[][2] = {{0x47fff000, 0x1000}, {0x100000000, 0x2000}};

	(void)state;
	fixup_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	assert_reservations(reservations, 2);

	assert_string("/memory@40000000", "device_type", "memory");
	ASSERT_CELLS("/memory@40000000", "reg", 0, 0x40000000, 0, 0x40000000);
	ASSERT_CELLS("/memory@800000000", "reg", 8, 0, 0, 0x40000000);
	ASSERT_CELLS("/memory@800000000", "numa-node-id", 1);

	ASSERT_CELLS("/reserved-memory", "#address-cells", 2);
	ASSERT_CELLS("/reserved-memory", "#size-cells", 2);
	assert_property("/reserved-memory", "ranges", "", 0);
	ASSERT_CELLS("/reserved-memory/secure@4e000000", "reg", 0, 0x4e000000, 0, 0x200000);
	assert_property("/reserved-memory/secure@4e000000", "no-map", "", 0);
	assert_absent("/reserved-memory/secure@4e000000", "phandle");
	assert_true(fdt_path_offset(buffer, "/reserved-memory/pool") < 0);
	assert_true(fdt_path_offset(buffer, "/reserved-memory/unused@1000") < 0);

	assert_string("/chosen", "stdout-path", "/machine-uart");
	assert_property("/chosen", "kaslr-seed", "machine!", 8);
	assert_property("/chosen", "rng-seed", "seed", 4);
	ASSERT_CELLS("/chosen", "linux,elfcorehdr", 0, 0x50000000, 0, 0x1000);
	ASSERT_CELLS("/chosen", "linux,usable-memory-range", 0, 0x40000000, 0, 0x20000000);
	assert_absent("/chosen", "linux,uefi-system-table");
}

static void test_adopted_into_other_cells(void **state)
{
	(void)state;
	fixup_payload(&(struct payload){.address_cells = 2, .size_cells = 1, .reserved = true});
	ASSERT_CELLS("/memory@40000000", "reg", 0, 0x40000000, 0x40000000);
	ASSERT_CELLS("/memory@800000000", "reg", 8, 0, 0x40000000);
	ASSERT_CELLS("/reserved-memory/secure@4e000000", "reg", 0, 0x4e000000, 0x200000);
	ASSERT_CELLS("/chosen", "linux,elfcorehdr", 0, 0x50000000, 0x1000);
}

static void test_adopted_over_its_own(void **state)
{
	static const uint64_t reservations[][2] = {{0x100000000, 0x2000},
						   {0x47fff000, 0x800},
						   {0x46000000, 0x1000},
						   {0x47fff000, 0x1000}};

	(void)state;
	fixup_payload(&(struct payload){.address_cells = 2,
					.size_cells = 2,
					.placeholder = true,
					.reserved = true,
					.chosen = true,
					.reservations = true});
	assert_reservations(reservations, 4);

	assert_true(fdt_path_offset(buffer, "/memory@80000000") < 0);
	ASSERT_CELLS("/memory@800000000", "reg", 8, 0, 0, 0x40000000);

	/* The same name is the same thing, and lies where the machine has it. */
	ASSERT_CELLS("/reserved-memory/ramoops", "reg", 0, 0x4f000000, 0x1000);
	assert_string("/reserved-memory/ramoops", "compatible", "ramoops");
	ASSERT_CELLS("/reserved-memory/ramoops", "phandle", 1);
	ASSERT_CELLS("/reserved-memory/secure@4e000000-too", "reg", 0, 0x61000000, 0x1000);
	ASSERT_CELLS("/reserved-memory/secure@4e000000", "reg", 0, 0x4e000000, 0x200000);

	assert_string("/chosen", "stdout-path", "/payload-uart");
	assert_property("/chosen", "kaslr-seed", "machine!", 8);
}

static void test_own_memory_is_kept(void **state)
{
	(void)state;
	fixup_payload(&(struct payload){.address_cells = 2, .size_cells = 2, .memory = true});
	ASSERT_CELLS("/memory@40000000", "reg", 0, 0x40000000, 0, 0x1000, 0, 0, 0, 0);
	assert_true(fdt_path_offset(buffer, "/memory@800000000") < 0);
}

static void assert_refused(const struct fdt_fixup *f, size_t size, enum kx_error error,
			   const char *what)
{
	const void *base = f->payload ? f->payload : f->machine;
	struct kx_refusal why = {0};

	assert_int_equal(fdt_fixup(f, buffer, size, &why), error);
	assert_int_equal(why.error, error);
	assert_string_equal(why.what, what);
	assert_int_equal(why.start, (uintptr_t)base);
}

static void test_adopted_does_not_fit_cells(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 1, .size_cells = 2});
	struct fdt_fixup f = {
		.machine = machine,
		.payload = payload,
		.payload_size = fdt_totalsize(payload),
		.bootargs = "",
	};

	(void)state;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree cannot be completed");
	free(payload);

	payload = make_payload(&(struct payload){.address_cells = 3, .size_cells = 2});
	f.payload = payload;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree cannot be completed");
	free(payload);
	free(machine);
}

static enum kx_error adopt(const struct machine *m, const void *payload)
{
	void *machine = make_machine(m);
	struct fdt_fixup f = {
		.machine = machine,
		.payload = payload,
		.payload_size = payload ? fdt_totalsize(payload) : 0,
		.bootargs = "",
	};
	struct kx_refusal why;
	enum kx_error error = fdt_fixup(&f, buffer, sizeof(buffer), &why);

	free(machine);
	return error;
}

/* libfdt makes no "ramoops" beside "ramoops@60000000": refused, rather than taken for the same. */
static void test_similar_name(void **state)
{
	void *payload = make_payload(&(struct payload){
		.address_cells = 2, .size_cells = 2, .reserved = true, .similar = true});

	(void)state;
	assert_int_equal(adopt(&(struct machine){0}, payload), KX_E_FDT);
	free(payload);
}

static void test_too_much_to_adopt(void **state)
{
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});

	(void)state;
	assert_int_equal(adopt(&(struct machine){.more_reserved = 254}, payload), KX_OK);
	assert_int_equal(adopt(&(struct machine){.more_memory = 254}, payload), KX_OK);
	assert_int_equal(adopt(&(struct machine){.more_reservations = 253}, payload), KX_OK);

	assert_int_equal(adopt(&(struct machine){.more_reserved = 255}, payload), KX_E_FDT_SPACE);
	assert_int_equal(adopt(&(struct machine){.more_memory = 255}, payload), KX_E_FDT_SPACE);
	assert_int_equal(adopt(&(struct machine){.more_reservations = 254}, payload),
			 KX_E_FDT_SPACE);

	/* Its own are not adopted. */
	assert_int_equal(adopt(&(struct machine){.more_reserved = 255}, NULL), KX_OK);
	free(payload);
}

/* A FIT gives 4-byte alignment; libfdt wants 8. */
static void test_payload_misaligned(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	size_t size = fdt_totalsize(payload);
	struct guarded g = guarded_new(size + 8);

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		struct fdt_fixup f = {
			.machine = machine,
			.payload = memcpy((char *)g.data + shift, payload, size),
			.payload_size = size,
			.bootargs = "",
		};

		fixup(&f);
		assert_string("/", "model", "payload");
	}
	guarded_free(&g);
	free(payload);
	free(machine);
}

static void test_payload_malformed(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	size_t size = fdt_totalsize(payload);
	struct fdt_fixup f = {.machine = machine, .payload = payload, .bootargs = ""};

	(void)state;
	f.payload_size = size + 100; /* mkimage -B pads */
	payload = realloc(payload, size + 100);
	f.payload = payload;
	memset((char *)payload + size, 0xff, 100);
	fixup(&f);

	f.payload_size = size - 1;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree truncated");
	f.payload_size = 0;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree shorter than its header");
	f.payload_size = size;
	fdt_set_magic(payload, 0);
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree header malformed");
	free(payload);
	free(machine);
}

/* Any room that is too small is said to be, and not a byte is written beyond it. */
static void test_every_room(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	struct fdt_fixup f = {
		.machine = machine,
		.payload = payload,
		.payload_size = fdt_totalsize(payload),
		.bootargs = "quiet",
		.initrd = {0x4a000000, 0x4b000000},
		.entropy = entropy,
		.entropy_size = sizeof(entropy),
	};
	bool fits = false;
	size_t size;

	(void)state;
	fixup(&f);
	for (size = 0; !fits; size += 8) {
		struct guarded g = guarded_new(size);
		struct kx_refusal why;
		enum kx_error error = fdt_fixup(&f, g.data, size, &why);

		fits = error == KX_OK;
		if (!fits)
			assert_int_equal(error, KX_E_FDT_SPACE);
		guarded_free(&g);
	}
	assert_true(size >= fdt_totalsize(buffer));
	assert_true(size < fdt_totalsize(buffer) + 256); /* libfdt needs a little room to work */
	free(payload);
	free(machine);
}

/* booting.rst: 2 megabytes, however much room there is. */
static void test_boot_protocol_limit(void **state)
{
	static _Alignas(8) unsigned char big[4 << 20];
	static _Alignas(8) unsigned char machine[2 << 20];
	struct fdt_fixup f = {.machine = machine, .bootargs = ""};
	void *small = machine_tree();
	struct kx_refusal why;
	void *value;
	int root = 0;

	(void)state;
	assert_int_equal(fdt_open_into(small, machine, sizeof(machine)), 0);
	assert_int_equal(
		fdt_setprop_placeholder(machine, root, "ballast", (2 << 20) - 16384, &value), 0);
	assert_int_equal(fdt_fixup(&f, big, sizeof(big), &why), KX_OK);
	assert_true(fdt_totalsize(big) <= 2 << 20);

	assert_int_equal(
		fdt_setprop_placeholder(machine, root, "ballast", (2 << 20) - 1400, &value), 0);
	assert_int_equal(fdt_fixup(&f, big, sizeof(big), &why), KX_E_FDT_SPACE);
	free(small);
}

/* Whatever the payload's bytes: a tree that is sound, or an error. */
static void test_payload_corrupted(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2,
						       .size_cells = 2,
						       .placeholder = true,
						       .reserved = true,
						       .chosen = true,
						       .reservations = true});
	size_t size = fdt_totalsize(payload);
	size_t room = (size + COMPLETION_MAX) / 8 * 8;
	struct guarded from = guarded_new(size);
	struct guarded to = guarded_new(room);
	struct fdt_fixup f = {
		.machine = machine,
		.payload = from.data,
		.payload_size = size,
		.bootargs = "quiet",
		.initrd = {1, 2},
	};
	unsigned char *bytes = from.data;
	uint64_t random = 0x66697875;
	unsigned int completed = 0;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t word = (uint32_t)random_below(&random, 32);
		struct kx_refusal why = {0};

		memcpy(bytes, payload, size);
		if (i % 2)
			bytes[random_below(&random, size)] = (unsigned char)random_next(&random);
		else
			fdt32_st(bytes + random_below(&random, size / 4) * 4,
				 random_below(&random, 2) ? word : -word);
		if (fdt_fixup(&f, to.data, room, &why) != KX_OK) {
			assert_non_null(why.what);
			continue;
		}
		assert_int_equal(fdt_read_check(to.data, fdt_totalsize(to.data), &why), KX_OK);
		completed++;
	}
	assert_true(completed > 1000);
	guarded_free(&to);
	guarded_free(&from);
	free(payload);
	free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_no_initrd),
		cmocka_unit_test(test_initrd_exact),
		cmocka_unit_test(test_no_entropy),
		cmocka_unit_test(test_no_chosen),
		cmocka_unit_test(test_timing),
		cmocka_unit_test(test_idempotent),
		cmocka_unit_test(test_adopted),
		cmocka_unit_test(test_adopted_into_other_cells),
		cmocka_unit_test(test_adopted_over_its_own),
		cmocka_unit_test(test_own_memory_is_kept),
		cmocka_unit_test(test_adopted_does_not_fit_cells),
		cmocka_unit_test(test_similar_name),
		cmocka_unit_test(test_too_much_to_adopt),
		cmocka_unit_test(test_payload_misaligned),
		cmocka_unit_test(test_payload_malformed),
		cmocka_unit_test(test_every_room),
		cmocka_unit_test(test_boot_protocol_limit),
		cmocka_unit_test(test_payload_corrupted),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
