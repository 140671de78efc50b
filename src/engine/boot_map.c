/* SPDX-License-Identifier: MIT */
/*
 * Runs with the MMU off, but for boot_map_complete: built without SIMD registers and unaligned
 * accesses, and calls only what is built the same way (tests/lint).
 */
#include "boot_map.h"

#include <arm64/sysreg.h>
#include <kexpress/handoff.h>

#include "board_data.h"
#include "console.h"
#include "image_layout.h"
#include "lowlevel.h"
#include "regime.h"
#include "relocate.h"

/* Root; image and console, which may cross a boundary at each level; two arguments, likewise. */
#define BOOT_TABLES	   20
#define FIRST_TABLES	   9   /* root; image, which may cross a boundary at each level */
#define BOOT_TABLE_LENGTH  512 /* of the 4 KiB granule */
#define BOOT_TABLES_COARSE 16  /* the same with at most three levels */

#define FDT_MAGIC_BE	0xedfe0dd0u /* d00dfeed, read by a little-endian load */
#define FDT_MAX		0x200000u   /* boot protocol: 2 MiB */
#define ARGUMENT_HEADER 64
#define ARGUMENT_MIN	KX_PAGE_SIZE /* what is less names nothing: U-Boot's `go` passes a count */
#define HANDOFF_MIN	KX_HANDOFF_OFF_SEGMENTS
#define HANDOFF_MAX \
	(HANDOFF_MIN + KX_HANDOFF_SEGMENTS * KX_SEGMENT_SIZE + KX_HANDOFF_RANGES * KX_RANGE_SIZE)
#define EARLY_DATA   __attribute__((section(".early")))
#define EARLY_TABLES __attribute__((section(".early.tables"), aligned(4096)))

EARLY_DATA struct entry_state entry_state;
EARLY_DATA struct boot_argument boot_argument;
EARLY_DATA bool boot_map_relocated;
EARLY_DATA static uint64_t coarse_size; /* of the tables at the end of work_tables, or 0 */
EARLY_DATA static struct xlat_geometry geometry;
EARLY_TABLES static uint64_t first_tables[FIRST_TABLES][BOOT_TABLE_LENGTH];
static uint64_t boot_tables[BOOT_TABLES][BOOT_TABLE_LENGTH]
	__attribute__((section(".noinit.first"), aligned(4096)));
NOINIT uint64_t work_tables[WORK_TABLES_SIZE / sizeof(uint64_t)]
	__attribute__((aligned(GEOMETRY_PAGE_MAX)));

static bool is_coarse(struct xlat_geometry g)
{
	return geometry_page_size(g) > KX_PAGE_SIZE;
}

static uint64_t granule_down(uint64_t address, struct xlat_geometry g)
{
	return address & ~(geometry_page_size(g) - 1);
}

static uint64_t granule_up(uint64_t address, struct xlat_geometry g)
{
	return granule_down(address + geometry_page_size(g) - 1, g);
}

size_t boot_map_stage(struct xlat_mapping maps[STAGE_MAPPINGS], struct xlat_geometry g,
		      enum xlat_prot relro)
{
	uint64_t head = image_address(_head), text_end = image_address(_text_end);
	uint64_t rodata_end = image_address(_rodata_end);
	uint64_t file_end = image_address(_image_file_end);
	size_t n = 0;

	if (is_coarse(g)) {
		maps[n++] = xlat_identity(head, granule_up(file_end, g), XLAT_CODE);
	} else {
		maps[n++] = xlat_identity(head, text_end, XLAT_CODE);
		maps[n++] = xlat_identity(text_end, rodata_end, XLAT_READ);
		maps[n++] = xlat_identity(rodata_end, file_end, relro);
	}
	maps[n++] =
		xlat_identity(image_address(_bss_start), image_address(_stack_guard), XLAT_WRITE);
	maps[n++] = xlat_identity(image_address(_stack_start), image_address(_end), XLAT_WRITE);
	return n;
}

uint64_t boot_map_work_size(void)
{
	return WORK_TABLES_SIZE - coarse_size;
}

/*
 * The first bytes of what a pointer names, as its writer left them: they may be in its caches only,
 * and we read past those.
 */
static const volatile uint32_t *header_read(uint64_t address)
{
	for (unsigned int i = 0; i < ARGUMENT_HEADER; i += CTR_LINE_MIN)
		__asm__ volatile("dc cvac, %0" : : "r"(address + i) : "memory");
	barrier_dsb_sy();
	return (const volatile uint32_t *)address;
}

static bool fdt_look(uint64_t address, struct range *fdt)
{
	const volatile uint32_t *header;
	uint32_t size;

	if (!address || address % 8)
		return false;
	header = header_read(address);
	if (header[0] != FDT_MAGIC_BE)
		return false;
	size = __builtin_bswap32(header[1]);
	*fdt = (struct range){address, address + (size < FDT_MAX ? size : FDT_MAX)};
	return true;
}

static bool handoff_look(uint64_t address, struct boot_argument *argument)
{
	const volatile uint32_t *header;
	uint32_t size;

	if (!address || address % 8)
		return false;
	header = header_read(address);
	if (header[0] != (uint32_t)KX_HANDOFF_MAGIC || header[1] != KX_HANDOFF_MAGIC >> 32)
		return false;
	size = header[KX_HANDOFF_OFF_SIZE / 4];
	size = size < HANDOFF_MAX ? size : HANDOFF_MAX;
	size = size > HANDOFF_MIN ? size : HANDOFF_MIN; /* for a refusal its return_to is read */
	argument->handoff = (struct range){address, address + size};
	fdt_look(header[KX_HANDOFF_OFF_FDT / 4] | (uint64_t)header[KX_HANDOFF_OFF_FDT / 4 + 1]
							  << 32,
		 &argument->fdt);
	return true;
}

static void argument_look(uint64_t address, struct boot_argument *argument)
{
	argument->handoff = (struct range){0, 0};
	argument->fdt = (struct range){0, 0};
	argument->kind = ARGUMENT_NONE;
	if (handoff_look(address, argument))
		argument->kind = ARGUMENT_HANDOFF;
	else if (fdt_look(address, &argument->fdt))
		argument->kind = ARGUMENT_FDT;
}

static enum kx_error map_pages(struct xlat *x, uint64_t start, uint64_t end, enum xlat_prot prot)
{
	struct xlat_mapping m = xlat_identity(start, end, prot);
	struct kx_refusal why;

	return xlat_map(x, &m, &why);
}

/*
 * Hand-off block and device tree, which may share a page. What cannot be mapped (an argument inside
 * our own image, say) is forgotten; discover then misses it, with the MMU and a console.
 */
static void map_argument(struct xlat *x, struct boot_argument *argument)
{
	struct xlat_geometry g = x->geometry;
	struct range block = {granule_down(argument->handoff.start, g),
			      granule_up(argument->handoff.end, g)};
	struct range fdt = {granule_down(argument->fdt.start, g), granule_up(argument->fdt.end, g)};

	if (block.start < fdt.end && fdt.start < block.end) {
		fdt.start = fdt.start < block.start ? fdt.start : block.start;
		fdt.end = fdt.end > block.end ? fdt.end : block.end;
		block.end = block.start;
	}
	if (block.start < block.end && map_pages(x, block.start, block.end, XLAT_READ))
		argument->kind = ARGUMENT_NONE;
	if (fdt.start < fdt.end && map_pages(x, fdt.start, fdt.end, XLAT_READ))
		argument->kind = ARGUMENT_NONE;
}

static enum kx_error map_own(struct xlat *x)
{
	struct xlat_mapping stage[STAGE_MAPPINGS];
	size_t count = boot_map_stage(stage, x->geometry, XLAT_WRITE);
	struct console console = console_now();
	struct range registers = console_registers(&console, geometry_page_size(x->geometry));
	enum kx_error error = KX_OK;
	struct kx_refusal why;

	if (registers.end)
		error = map_pages(x, registers.start, registers.end, XLAT_DEVICE);
	for (size_t i = 0; i < count && !error; i++)
		error = xlat_map(x, &stage[i], &why);
	return error;
}

/* Where all that is mapped ends. */
static uint64_t mapped_end(const struct boot_argument *argument)
{
	uint64_t ends[] = {image_address(_end), argument->fdt.end, argument->handoff.end};
	struct console console = console_now();
	uint64_t end = console_registers(&console, KX_PAGE_SIZE).end;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		end = ends[i] > end ? ends[i] : end;
	return end;
}

/* As asm/head.S does it for the stack and what is noted. */
static void drop_lines(uint64_t start, uint64_t end)
{
	uint64_t size = 4ull << (sysreg_read(ctr_el0) >> CTR_DMINLINE_SHIFT & CTR_DMINLINE_MASK);

	for (uint64_t line = start; line < end; line += size)
		__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
	barrier_dsb_sy();
}

static struct xlat_pool choose_pool(struct xlat_geometry g)
{
	struct xlat_pool pool = {first_tables[0], image_address(first_tables), FIRST_TABLES, 0};

	coarse_size = 0;
	if (is_coarse(g)) {
		coarse_size = BOOT_TABLES_COARSE * geometry_page_size(g);
		pool.pa = image_address(work_tables) + WORK_TABLES_SIZE - coarse_size;
		pool.tables = (uint64_t *)pool.pa;
		pool.max = BOOT_TABLES_COARSE;
	}
	drop_lines(pool.pa, pool.pa + pool.max * geometry_page_size(g));
	return pool;
}

/* With as few bits as our image needs: the root is then short, and quickly cleared. */
static struct xlat_geometry narrow(struct xlat_geometry g)
{
	while (g.va_bits > TCR_BITS_MIN && (image_address(_end) - 1) >> (g.va_bits - 1) == 0)
		g.va_bits--;
	return g;
}

/* What relocation writes cannot be mapped writable where text shares its pages. */
static void relocate_coarse(struct xlat_geometry g)
{
	boot_map_relocated = is_coarse(g);
	if (!boot_map_relocated)
		return;
	relocate();
	drop_lines(image_address(_rodata_end), image_address(_image_file_end));
}

/* What start.c needs until boot_map_complete: each page takes two accesses with the MMU off. */
static enum kx_error map_first(struct xlat *x)
{
	struct xlat_mapping stage[STAGE_MAPPINGS];
	size_t count = boot_map_stage(stage, x->geometry, XLAT_WRITE);
	uint64_t stack = image_address(_stack_start);
	uint64_t early_end = granule_up(image_address(_early_end), x->geometry);
	enum kx_error error = KX_OK;
	struct kx_refusal why;

	for (size_t i = 0; i < count && !error; i++) {
		if (stage[i].va == stack)
			stage[i] = xlat_identity(stack, early_end, XLAT_WRITE);
		error = xlat_map(x, &stage[i], &why);
	}
	return error;
}

static enum kx_error map_all(struct xlat *x)
{
	enum kx_error error = map_own(x);

	if (!error)
		map_argument(x, &boot_argument);
	return error;
}

struct boot_translation boot_map(const struct entry_state *entry)
{
	struct boot_translation none = {0, 0};
	struct xlat_geometry first;
	struct xlat_pool pool;
	struct kx_refusal why;
	struct xlat x;

	argument_look(entry->argument < ARGUMENT_MIN ? BOARD_FDT : entry->argument, &boot_argument);
	if (!regime_geometry(mapped_end(&boot_argument), false, &geometry))
		return none;
	relocate_coarse(geometry);
	pool = choose_pool(geometry);
	first = is_coarse(geometry) ? geometry : narrow(geometry);
	if (xlat_init(&x, &pool, first, regime_xlat(), &why) ||
	    (is_coarse(geometry) ? map_all(&x) : map_first(&x)))
		return none;
	drop_lines(pool.pa, pool.pa + pool.used * geometry_page_size(geometry));
	return (struct boot_translation){TTBR_BADDR(x.root_pa), regime_tcr(first, false)};
}

void boot_map_complete(void)
{
	struct xlat_pool pool = {boot_tables[0], image_address(boot_tables), BOOT_TABLES, 0};
	struct kx_refusal why;
	struct xlat x;

	if (is_coarse(geometry))
		return;
	if (xlat_init(&x, &pool, geometry, regime_xlat(), &why) || map_all(&x))
		refuse_boot_map();
	mmu_switch(TTBR_BADDR(x.root_pa), 0, regime_tcr(geometry, false));
}
