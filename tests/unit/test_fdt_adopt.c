/* SPDX-License-Identifier: MIT */
/* What a payload's tree takes over from the machine's. */
#include "fdt_fixup.h"
#include "fdt_machine.h"
#include "fdt_payload.h"

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
	assert_u64("/chosen", "linux,uefi-system-table", 0x5f000000);
	ASSERT_CELLS("/chosen", "linux,kho-fdt", 0, 0x58000000, 0, 0x1000);
	ASSERT_CELLS("/chosen", "linux,kho-scratch", 0, 0x58001000, 0, 0x20);
}

static void test_adopted_into_other_cells(void **state)
{
	(void)state;
	fixup_payload(&(struct payload){.address_cells = 2, .size_cells = 1, .reserved = true});
	ASSERT_CELLS("/memory@40000000", "reg", 0, 0x40000000, 0x40000000);
	ASSERT_CELLS("/memory@800000000", "reg", 8, 0, 0x40000000);
	ASSERT_CELLS("/reserved-memory/secure@4e000000", "reg", 0, 0x4e000000, 0x200000);
	ASSERT_CELLS("/chosen", "linux,elfcorehdr", 0, 0x50000000, 0x1000);
	ASSERT_CELLS("/chosen", "linux,kho-fdt", 0, 0x58000000, 0x1000);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adopted),
		cmocka_unit_test(test_adopted_into_other_cells),
		cmocka_unit_test(test_adopted_over_its_own),
		cmocka_unit_test(test_own_memory_is_kept),
		cmocka_unit_test(test_adopted_does_not_fit_cells),
		cmocka_unit_test(test_similar_name),
		cmocka_unit_test(test_too_much_to_adopt),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
