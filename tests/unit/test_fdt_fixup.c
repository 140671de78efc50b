/* SPDX-License-Identifier: MIT */
/* The machine's own tree, completed. */
#include "fdt_fixup.h"
#include "fdt_machine.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_boot_protocol_limit),
		cmocka_unit_test(test_no_initrd),
		cmocka_unit_test(test_initrd_exact),
		cmocka_unit_test(test_no_entropy),
		cmocka_unit_test(test_no_chosen),
		cmocka_unit_test(test_timing),
		cmocka_unit_test(test_idempotent),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
