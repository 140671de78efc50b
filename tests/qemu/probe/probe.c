/* SPDX-License-Identifier: MIT */
/*
 * Tells on the console what a kernel would have found: registers, device tree, and the SHA-256 of
 * what lies in memory. machine.py reads it.
 */
#include <arm64/sysreg.h>
#include <bearssl.h>
#include <libfdt.h>

#include "../guest/guest.h"
#include "cpus.h"
#include "state.h"

/* Registers whose names an Armv8.0 assembler lacks. */
#define APIAKEYLO_EL1 s3_0_c2_c1_0
#define GCR_EL1	      s3_0_c1_c0_6
#define ICC_SRE_EL1   s3_0_c12_c12_5
#define PIR_EL1	      s3_0_c10_c2_3
#define SMPRI_EL1     s3_0_c1_c2_4
#define TPIDR2_EL0    s3_3_c13_c0_5

#define DATA_MAX 1024

#define BALLAST 0x200000 /* .bss that a stage must count: what lies there is lost */

extern uint64_t state[STATE_WORDS] __attribute__((visibility("hidden")));

void mmu_on(const struct map *map);
void probe_main(void) __attribute__((noreturn));
void probe_exception(uint64_t esr, uint64_t far, uint64_t elr) __attribute__((noreturn));

static char ballast[BALLAST] __attribute__((used, section(".bss.ballast")));

/* What lay where relocation writes, as it was loaded. */
static char loaded_data[DATA_MAX];

static uint64_t psci_way(const void *fdt)
{
	int length, psci = fdt_path_offset(fdt, "/psci");
	const char *method = psci < 0 ? NULL : fdt_getprop(fdt, psci, "method", &length);

	if (!method)
		return WAY_NONE;
	return method[0] == 'h' ? WAY_HVC : WAY_SMC;
}

static void end(const void *fdt) __attribute__((noreturn));
static void end(const void *fdt)
{
	uint64_t way = psci_way(fdt);

	if (way == WAY_NONE)
		park();
	power_off(way == WAY_HVC);
}

static void print_state(void)
{
	const uint64_t *next = state + STATE_SYSTEM;

	for (unsigned int i = 0; i < STATE_SYSTEM - 1; i++) {
		char name[] = "probe: x??";

		name[8] = (char)('0' + i / 10);
		name[9] = (char)('0' + i % 10);
		print_line(name, state[i]);
	}
	print_line("probe: sp", state[STATE_SYSTEM - 1]);
#define PRINT_SYSTEM(name, register) print_line("probe: " #name, *next++);
	STATE_COMMON(PRINT_SYSTEM)
	if (current_el() == 1) {
		STATE_EL1(PRINT_SYSTEM)
	} else {
		STATE_EL2(PRINT_SYSTEM)
	}
#undef PRINT_SYSTEM
}

/* Field of an ID register, where its value counts as present. */
static bool has(uint64_t id, unsigned int shift, unsigned int minimum)
{
	unsigned int field = id >> shift & 0xf;

	return field >= minimum && field != 0xf;
}

static void use_sve(void)
{
	sysreg_write(cpacr_el1, CPACR_FPEN | CPACR_ZEN);
	barrier_isb();
	__asm__ volatile(".arch_extension sve\n"
			 "rdvl x0, #1\n"
			 :
			 :
			 : "x0");
}

/*
 * Uses what a hypervisor's leftovers could trap (booting.rst, entry at EL1). A trap goes to EL2,
 * where nobody is any more: the last line on the console then tells what it was.
 */
static void use_features(void)
{
	uint64_t pfr0 = sysreg_read(id_aa64pfr0_el1), pfr1 = sysreg_read(id_aa64pfr1_el1);
	uint64_t mmfr3 = sysreg_read(ID_AA64MMFR3_EL1), dfr0 = sysreg_read(id_aa64dfr0_el1);
	uint64_t isar1 = sysreg_read(id_aa64isar1_el1);

#define USE(present, name, register)                \
	if (present) {                              \
		print("probe: using " name "\r\n"); \
		sysreg_read(register);              \
	}
	USE(true, "counter", cntpct_el0)
	USE(true, "timer", cntp_ctl_el0)
	USE(true, "fp", fpsr)
	USE(has(isar1, 4, 1) || has(isar1, 8, 1), "pauth", APIAKEYLO_EL1)
	USE(has(pfr0, 24, 1), "gic", ICC_SRE_EL1)
	USE(has(pfr1, 8, 2), "mte", GCR_EL1)
	USE(has(pfr1, 24, 1), "sme", TPIDR2_EL0)
	USE(has(pfr1, 24, 1), "sme priority", SMPRI_EL1)
	USE(has(mmfr3, 0, 1), "tcr2", TCR2_EL1)
	USE(has(mmfr3, 4, 1), "sctlr2", SCTLR2_EL1)
	USE(has(mmfr3, 8, 1), "s1pie", PIR_EL1)
	USE(has(dfr0, 8, 1), "pmu", pmcr_el0)
#undef USE
	if (has(pfr0, 32, 1)) {
		print("probe: using sve\r\n");
		use_sve();
	}
	print("probe: used\r\n");
}

/* Before anything is written to the file's own bytes. */
static bool keep_data(void)
{
	size_t size = (size_t)(_data_end - _data_start);

	for (size_t i = 0; i < size && size <= DATA_MAX; i++)
		loaded_data[i] = _data_start[i];
	return size <= DATA_MAX;
}

static void print_sha256(const char *name, const br_sha256_context *context)
{
	unsigned char digest[br_sha256_SIZE];

	br_sha256_out(context, digest);
	print(name);
	print("=");
	for (size_t i = 0; i < sizeof(digest); i++) {
		char hex[3] = {"0123456789abcdef"[digest[i] >> 4],
			       "0123456789abcdef"[digest[i] & 0xf]};

		print(hex);
	}
	print(" ");
}

static void hash_kernel(void)
{
	br_sha256_context context;

	br_sha256_init(&context);
	br_sha256_update(&context, _head, (size_t)(_data_start - _head));
	br_sha256_update(&context, loaded_data, (size_t)(_data_end - _data_start));
	br_sha256_update(&context, _data_end, (size_t)(_file_end - _data_end));
	print_sha256("kernel", &context);
}

static void hash_initrd(uint64_t start, uint64_t end)
{
	br_sha256_context context;

	br_sha256_init(&context);
	br_sha256_update(&context, (const void *)start, end - start);
	print_sha256("initrd", &context);
}

static uint64_t number(const void *fdt, int node, const char *name)
{
	int length;
	const void *value = fdt_getprop(fdt, node, name, &length);

	if (!value)
		return 0;
	return length == sizeof(uint32_t) ? fdt32_ld(value) : fdt64_ld(value);
}

static void print_timing(const void *fdt)
{
	int offset, length, node = fdt_path_offset(fdt, "/chosen/kexpress");

	if (node < 0)
		return;
	fdt_for_each_property_offset (offset, fdt, node) {
		const char *name;
		const void *value = fdt_getprop_by_offset(fdt, offset, &name, &length);

		print("probe: chosen/kexpress/");
		if (length == sizeof(uint64_t)) {
			print_line(name, fdt64_ld(value));
		} else {
			print(name);
			print("=");
			print(value);
			print("\r\n");
		}
	}
}

static void print_chosen(const void *fdt)
{
	int chosen = fdt_path_offset(fdt, "/chosen");
	const char *bootargs = fdt_getprop(fdt, chosen, "bootargs", NULL);
	uint64_t start = number(fdt, chosen, "linux,initrd-start");
	uint64_t end = number(fdt, chosen, "linux,initrd-end");

	print_line("probe: initrd_start", start);
	print_line("probe: initrd_end", end);
	print_line("probe: kaslr_seed", number(fdt, chosen, "kaslr-seed"));
	print("probe: bootargs=");
	print(bootargs ? bootargs : "");
	print("\r\n");
	print_timing(fdt);
	print("probe: sha256 ");
	hash_kernel();
	hash_initrd(start, end);
	print("\r\n");
}

void probe_main(void)
{
	const void *fdt = (const void *)state[0];
	bool e2h = current_el() == 2 && sysreg_read(hcr_el2) >> HCR_E2H_BIT & 1;
	struct map map = map_build(current_el(), e2h);

	if (!keep_data())
		print("probe: DATA_MAX is too small\r\n");
	relocate();
	print_state();
	print_line("probe: base", (uint64_t)_head);
	mmu_on(&map);
	if (current_el() == 1)
		use_features();
	if (fdt_check_header(fdt) || fdt_check_full(fdt, fdt_totalsize(fdt))) {
		print("probe: no valid device tree\r\n");
		power_off(true);
	}
	print_line("probe: fdt_size", fdt_totalsize(fdt));
	print_chosen(fdt);
	cpus_call(fdt, psci_way(fdt));
	print("probe: done\r\n");
	end(fdt);
}

void probe_exception(uint64_t esr, uint64_t far, uint64_t elr)
{
	print("probe: exception ");
	print_value("esr", esr);
	print_value("far", far);
	print_line("elr", elr - (uint64_t)_head);
	end((const void *)state[0]);
}
