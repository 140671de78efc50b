// SPDX-License-Identifier: MIT
/* The contract held, and each of its items violated alone. */
#include "../contract.h"

#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB	   0x100000ull
#define RAM_BASE   0x40000000ull
#define RAM_SIZE   (32 * MIB)
#define IMAGE	   (RAM_BASE + 2 * MIB)
#define IMAGE_SIZE MIB
#define FDT	   (RAM_BASE + 16 * MIB)
#define INITRD	   (RAM_BASE + 20 * MIB)
#define CTR_A72	   0x8444c004ull

/* The header's fields, as bytes from the image's start. */
#define TEXT_OFFSET_AT 8
#define IMAGE_SIZE_AT  16
#define FLAGS_AT       24
#define MAGIC_AT       56

#define HELD		 "contract: held kernel=0x40200000\n"
#define MMFR0_NO_16K_64K (0xfull << 24)

static char *ram;
static struct contract_entry entry;
static struct coherency *coherency;
static struct report *report;
static FILE *log_file;
static char *text;
static size_t text_size;

static void put(uint64_t pa, uint64_t value, size_t size)
{
	memcpy(ram + (pa - RAM_BASE), &value, size);
}

static void build_fdt(uint64_t initrd, uint64_t end)
{
	char *fdt = ram + (FDT - RAM_BASE);

	assert_int_equal(fdt_create_empty_tree(fdt, 4096), 0);
	assert_true(fdt_add_subnode(fdt, 0, "chosen") > 0);
	fdt_setprop_u64(fdt, fdt_path_offset(fdt, "/chosen"), "linux,initrd-start", initrd);
	fdt_setprop_u64(fdt, fdt_path_offset(fdt, "/chosen"), "linux,initrd-end", end);
}

static int start(void **unused)
{
	struct coherency_options options = {RAM_BASE, RAM_SIZE, NULL, 1, CTR_A72};

	(void)unused;
	ram = calloc(1, RAM_SIZE);
	options.ram = ram;
	log_file = open_memstream(&text, &text_size);
	report = report_new(log_file);
	coherency = coherency_new(&options, report);
	put(IMAGE + IMAGE_SIZE_AT, IMAGE_SIZE, 8);
	put(IMAGE + FLAGS_AT, 0xa, 8); /* 4 KiB pages, anywhere */
	put(IMAGE + MAGIC_AT, 0x644d5241, 4);
	build_fdt(INITRD, INITRD + MIB);
	entry = (struct contract_entry){.pc = IMAGE,
					.x = {FDT},
					.el = 2,
					.daif = 0x3c0,
					.cntfrq = 62500000,
					.mmfr0 = MMFR0_NO_16K_64K};
	return 0;
}

static int stop(void **unused)
{
	(void)unused;
	coherency_free(coherency);
	report_free(report);
	fclose(log_file);
	free(text);
	free(ram);
	return 0;
}

static void check(unsigned int violations, const char *line)
{
	struct contract_ram memory = {RAM_BASE, RAM_SIZE, ram};

	assert_int_equal(contract_check(&entry, &memory, coherency, report), violations);
	if (strncmp(text, line, strlen(line)))
		fail_msg("expected %s, got %s", line, text);
}

static void violated(const char *item)
{
	char line[128];

	snprintf(line, sizeof(line), "contract: violated: %s (", item);
	check(1, line);
}

static void held(void **unused)
{
	(void)unused;
	check(0, HELD);
}

/* Each a change of one register. */
static void registers(void **unused)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *item;
	} cases[] = {
		{offsetof(struct contract_entry, x[1]), 1, "x1 is 0"},
		{offsetof(struct contract_entry, x[2]), 1, "x2 is 0"},
		{offsetof(struct contract_entry, x[3]), 1, "x3 is 0"},
		{offsetof(struct contract_entry, sctlr), 1, "MMU off"},
		{offsetof(struct contract_entry, sctlr), 4, "data cache off"},
		{offsetof(struct contract_entry, daif), 0x380, "DAIF masked"},
		{offsetof(struct contract_entry, isr), 0x100, "no SError pending"},
		{offsetof(struct contract_entry, cntfrq), 0, "CNTFRQ_EL0 set"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i) {
			stop(unused);
			start(unused);
		}
		memcpy((char *)&entry + cases[i].offset, &cases[i].value, sizeof(uint64_t));
		violated(cases[i].item);
	}
}

static void exception_level(void **unused)
{
	(void)unused;
	entry.el = 3;
	violated("EL1 or EL2");
}

static void no_magic(void **unused)
{
	(void)unused;
	put(IMAGE + MAGIC_AT, 0, 4);
	violated("Image header at the entry");
}

static void misplaced(void **unused)
{
	(void)unused;
	put(IMAGE + TEXT_OFFSET_AT, 0x80000, 8);
	violated("image at text_offset from a 2 MiB boundary");
}

/* Before Linux 3.17 the field was not to be trusted. */
static void old_text_offset(void **unused)
{
	(void)unused;
	put(IMAGE + IMAGE_SIZE_AT, 0, 8);
	build_fdt(RAM_BASE + 30 * MIB, RAM_BASE + 31 * MIB);
	violated("image at text_offset from a 2 MiB boundary");
}

static void image_beyond_ram(void **unused)
{
	(void)unused;
	put(IMAGE + IMAGE_SIZE_AT, UINT64_MAX - IMAGE, 8);
	violated("image inside RAM");
}

static void page_size(void **unused)
{
	(void)unused;
	put(IMAGE + FLAGS_AT, 3 << 1, 8);
	violated("page size that the core has");
}

static void device_tree_misaligned(void **unused)
{
	(void)unused;
	memmove(ram + (FDT - RAM_BASE) + 4, ram + (FDT - RAM_BASE), 4096);
	entry.x[0] += 4;
	check(2, "contract: violated: x0 8-byte aligned (");
}

static void no_device_tree(void **unused)
{
	(void)unused;
	entry.x[0] = 0;
	violated("device tree in RAM at x0");
}

static void device_tree_too_big(void **unused)
{
	(void)unused;
	fdt_set_totalsize(ram + (FDT - RAM_BASE), 2 * MIB + 8);
	violated("device tree of at most 2 MiB");
}

static void device_tree_beyond_ram(void **unused)
{
	uint64_t last = RAM_BASE + RAM_SIZE - 2048;

	(void)unused;
	memmove(ram + (last - RAM_BASE), ram + (FDT - RAM_BASE), 2048);
	entry.x[0] = last;
	violated("whole device tree inside RAM");
}

static void initrd_over_image(void **unused)
{
	(void)unused;
	build_fdt(IMAGE, IMAGE + 1);
	violated("initrd apart from the image");
}

static void initrd_beyond_ram(void **unused)
{
	(void)unused;
	build_fdt(INITRD, RAM_BASE + RAM_SIZE + 1);
	violated("initrd inside RAM");
}

static void initrd_far_away(void **unused)
{
	(void)unused;
	build_fdt(INITRD + (33ull << 30), INITRD + (33ull << 30) + 1);
	check(2, "contract: violated: initrd inside RAM (");
}

static void store(uint64_t pa)
{
	coherency_access(coherency, &(struct event_access){.pa = pa,
							   .size = 8,
							   .kind = ACCESS_STORE,
							   .type = TYPE_WRITEBACK,
							   .mmu_on = true,
							   .ram = true});
}

static void op(enum event_op_kind kind, uint64_t pa)
{
	coherency_op(coherency, &(struct event_op){.kind = kind,
						   .pa = pa,
						   .type = TYPE_WRITEBACK,
						   .ram = true,
						   .domain = DOMAIN_SYSTEM});
}

static void cleaned(uint64_t pa, enum event_op_kind ic)
{
	store(pa);
	op(OP_DC_CVAC, pa);
	op(OP_DSB, pa);
	op(ic, pa);
	op(OP_DSB, pa);
	op(OP_ISB, pa);
}

static void caches_seen_to(void **unused)
{
	(void)unused;
	cleaned(IMAGE, OP_IC_IALLU);
	cleaned(FDT, OP_IC_IALLU);
	cleaned(IMAGE + IMAGE_SIZE - 8, OP_IC_IVAU);
	store(IMAGE + IMAGE_SIZE);
	store(INITRD);
	check(0, HELD);
}

static void image_dirty(void **unused)
{
	(void)unused;
	store(IMAGE + IMAGE_SIZE - 8);
	violated("image clean to PoC");
}

static void image_without_dsb(void **unused)
{
	(void)unused;
	store(IMAGE);
	op(OP_DC_CVAC, IMAGE);
	violated("DSB after the cleaning of the image");
}

static void image_stale(void **unused)
{
	(void)unused;
	store(IMAGE);
	op(OP_DC_CVAC, IMAGE);
	op(OP_DSB, IMAGE);
	violated("no stale instruction lines of the image");
}

static void image_lost(void **unused)
{
	(void)unused;
	store(IMAGE);
	op(OP_DC_IVAC, IMAGE);
	op(OP_DSB, IMAGE);
	op(OP_IC_IALLU, IMAGE);
	op(OP_DSB, IMAGE);
	op(OP_ISB, IMAGE);
	violated("no line of the image lost by DC IVAC");
}

static void device_tree_dirty(void **unused)
{
	(void)unused;
	store(FDT);
	violated("device tree clean to PoC");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(held),
		CASE(registers),
		CASE(exception_level),
		CASE(no_magic),
		CASE(misplaced),
		CASE(old_text_offset),
		CASE(image_beyond_ram),
		CASE(page_size),
		CASE(device_tree_misaligned),
		CASE(no_device_tree),
		CASE(device_tree_too_big),
		CASE(device_tree_beyond_ram),
		CASE(initrd_over_image),
		CASE(initrd_beyond_ram),
		CASE(initrd_far_away),
		CASE(caches_seen_to),
		CASE(image_dirty),
		CASE(image_without_dsb),
		CASE(image_stale),
		CASE(image_lost),
		CASE(device_tree_dirty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
