/* SPDX-License-Identifier: MIT */
/* The tree that kexpress is started with by EFI firmware. */
#include "payload/fdt_efi.h"

#include "corrupt.h"
#include "fdt_fixup.h"
#include "fdt_machine.h"
#include "fdt_payload.h"

#define MAP_AT	     0x5e000000
#define SYSTEM_TABLE 0x7ffd0018ull

static struct range ranges[] = {{0x40000000, 0x48000000}, {0x100000000, 0x180000000}};
static const struct range_set ram = {ranges, 2, 2};

static struct fdt_efi usual(const void *machine)
{
	return (struct fdt_efi){
		.machine = machine,
		.bootargs = "console=ttyAMA0",
		.initrd = {0x4a000000, 0x4a123457},
		.ram = &ram,
		.system_table = SYSTEM_TABLE,
		.map = {(void *)MAP_AT, 0x630, 48, 1},
	};
}

static void write_tree(const struct fdt_efi *f)
{
	size_t room = fdt_efi_room(f->machine, f->bootargs, f->ram->count);
	struct kx_refusal why;

	assert_true(room <= sizeof(buffer));
	assert_int_equal(fdt_efi(f, buffer, room, &why), KX_OK);
	assert_int_equal(fdt_check_tree(buffer, fdt_totalsize(buffer), &why), KX_OK);
}

static void test_tree(void **state)
{
	void *machine = machine_tree();
	struct fdt_efi f = usual(machine);

	(void)state;
	write_tree(&f);
	assert_string("/memory@40000000", "device_type", "memory");
	ASSERT_CELLS("/memory@40000000", "reg", 0, 0x40000000, 0, 0x8000000, 1, 0, 0, 0x80000000);
	assert_true(fdt_path_offset(buffer, "/memory@800000000") < 0);
	ASSERT_CELLS("/reserved-memory/secure@4e000000", "reg", 0, 0x4e000000, 0, 0x200000);
	assert_string("/chosen", "bootargs", "console=ttyAMA0");
	assert_string("/chosen", "stdout-path", "/machine-uart");
	assert_u64("/chosen", "linux,initrd-start", 0x4a000000);
	assert_u64("/chosen", "linux,initrd-end", 0x4a123457);
	assert_u64("/chosen", "linux,uefi-system-table", SYSTEM_TABLE);
	assert_u64("/chosen", "linux,uefi-mmap-start", MAP_AT);
	ASSERT_CELLS("/chosen", "linux,uefi-mmap-size", 0x630);
	ASSERT_CELLS("/chosen", "linux,uefi-mmap-desc-size", 48);
	ASSERT_CELLS("/chosen", "linux,uefi-mmap-desc-ver", 1);
	ASSERT_CELLS("/chosen", "linux,uefi-secure-boot", FDT_EFI_SECURE_BOOT_OFF);
	free(machine);
}

/* The kernel's tree tells all this too, whether it is the machine's or the payload's own. */
static void test_handed_on(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	struct fdt_efi f = usual(machine);
	struct fdt_fixup fix = {.bootargs = "", .initrd = {0, 0}};

	(void)state;
	f.secure_boot = true;
	for (int own = 0; own < 2; own++) {
		void *given = malloc(BUFFER_SIZE);

		write_tree(&f);
		memcpy(given, buffer, fdt_totalsize(buffer));
		fix.machine = given;
		fix.payload = own ? payload : NULL;
		fix.payload_size = fdt_totalsize(payload);
		fixup(&fix);
		assert_u64("/chosen", "linux,uefi-system-table", SYSTEM_TABLE);
		assert_u64("/chosen", "linux,uefi-mmap-start", MAP_AT);
		ASSERT_CELLS("/chosen", "linux,uefi-mmap-size", 0x630);
		ASSERT_CELLS("/chosen", "linux,uefi-mmap-desc-size", 48);
		ASSERT_CELLS("/chosen", "linux,uefi-mmap-desc-ver", 1);
		ASSERT_CELLS("/chosen", "linux,uefi-secure-boot", FDT_EFI_SECURE_BOOT_ON);
		free(given);
	}
	free(payload);
	free(machine);
}

static void test_own_bootargs(void **state)
{
	void *machine = machine_tree();
	struct fdt_efi f = usual(machine);

	(void)state;
	f.bootargs = NULL;
	write_tree(&f);
	assert_string("/chosen", "bootargs", "old arguments, and long ones");
	free(machine);
}

/* 32-bit cells name no RAM beyond 4 GiB; and there may be no /chosen. */
static void test_small_cells(void **state)
{
	void *machine = tree_finish(tree_begin(1, 1));
	struct fdt_efi f = usual(machine);

	(void)state;
	write_tree(&f);
	ASSERT_CELLS("/memory@40000000", "reg", 0x40000000, 0x8000000);
	assert_u64("/chosen", "linux,uefi-system-table", SYSTEM_TABLE);
	free(machine);
}

static void test_refused(void **state)
{
	void *machine = machine_tree();
	void *odd = tree_finish(tree_begin(3, 2));
	struct fdt_efi f = usual(machine);
	struct kx_refusal why;

	(void)state;
	for (size_t size = 0; size < fdt_totalsize(machine); size += 8) {
		struct guarded room = guarded_new(size);

		assert_int_equal(fdt_efi(&f, room.data, size, &why), KX_E_FDT_SPACE);
		guarded_free(&room);
	}
	f.machine = odd;
	assert_int_equal(fdt_efi(&f, buffer, sizeof(buffer), &why), KX_E_FDT);
	free(odd);
	free(machine);
}

/* What fdt_check_tree lets through is written to its room, or refused. */
static void test_any_tree(void **state)
{
	void *machine = machine_tree();
	size_t size = fdt_totalsize(machine);
	struct guarded broken = guarded_new(size), room;
	struct fdt_efi f = usual(broken.data);
	uint64_t random = 3;
	struct kx_refusal why;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		memcpy(broken.data, machine, size);
		corrupt(broken.data, size, round, &random);
		if (fdt_check_tree(broken.data, size, &why))
			continue;
		room = guarded_new(fdt_efi_room(broken.data, f.bootargs, ram.count));
		if (!fdt_efi(&f, room.data, fdt_efi_room(broken.data, f.bootargs, ram.count), &why))
			assert_int_equal(fdt_check_tree(room.data, fdt_totalsize(room.data), &why),
					 KX_OK);
		guarded_free(&room);
	}
	guarded_free(&broken);
	free(machine);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	     cmocka_unit_test(test_handed_on),
		cmocka_unit_test(test_own_bootargs), cmocka_unit_test(test_small_cells),
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_any_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
