/* SPDX-License-Identifier: MIT */
/*
 * Runs with the MMU off: built without SIMD registers and unaligned accesses, and calls only what
 * is built the same way (tests/lint).
 */
#include "boot_map.h"

#include <arm64/sysreg.h>
#include <kexpress/handoff.h>

#include "console.h"
#include "image_layout.h"
#include "regime.h"

#include "../place/page.h"

/* Root; image and console, which may cross a boundary at each level; two arguments, likewise. */
#define BOOT_TABLES 20

#define FDT_MAGIC_BE	0xedfe0dd0u /* d00dfeed, read by a little-endian load */
#define FDT_MAX		0x200000u   /* boot protocol: 2 MiB */
#define ARGUMENT_HEADER 64
#define HANDOFF_MIN	KX_HANDOFF_OFF_SEGMENTS
#define HANDOFF_MAX	(HANDOFF_MIN + KX_HANDOFF_SEGMENTS * KX_SEGMENT_SIZE)
#define EARLY_DATA	__attribute__((section(".early")))
#define EARLY_TABLES	__attribute__((section(".early.tables"), aligned(4096)))

EARLY_DATA struct entry_state entry_state;
EARLY_DATA struct boot_argument boot_argument;
EARLY_TABLES static uint64_t boot_tables[BOOT_TABLES][XLAT_TABLE_LENGTH];

void boot_map_stage(struct xlat_mapping maps[STAGE_MAPPINGS], enum xlat_prot relro)
{
	uint64_t text_end = image_address(_text_end);
	uint64_t rodata_end = image_address(_rodata_end);
	uint64_t file_end = image_address(_image_file_end);

	maps[0] = xlat_identity(image_address(_head), text_end, XLAT_CODE);
	maps[1] = xlat_identity(text_end, rodata_end, XLAT_READ);
	maps[2] = xlat_identity(rodata_end, file_end, relro);
	maps[3] = xlat_identity(file_end, image_address(_stack_guard), XLAT_WRITE);
	maps[4] = xlat_identity(image_address(_early_start), image_address(_early_end), XLAT_WRITE);
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
	struct range block = {page_down(argument->handoff.start), page_up(argument->handoff.end)};
	struct range fdt = {page_down(argument->fdt.start), page_up(argument->fdt.end)};

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
	enum kx_error error;
	struct kx_refusal why;

	boot_map_stage(stage, XLAT_WRITE);
	error = map_pages(x, BOARD_EARLY_CONSOLE, BOARD_EARLY_CONSOLE + CONSOLE_SIZE, XLAT_DEVICE);
	for (unsigned int i = 0; i < STAGE_MAPPINGS && !error; i++)
		error = xlat_map(x, &stage[i], &why);
	return error;
}

struct boot_translation boot_map(const struct entry_state *entry)
{
	struct xlat_pool pool = {boot_tables[0], image_address(boot_tables), BOOT_TABLES, 0};
	struct kx_refusal why;
	struct xlat x;

	argument_look(entry->argument, &boot_argument);
	if (xlat_init(&x, &pool, XLAT_48BIT, regime_xlat(), &why) || map_own(&x))
		return (struct boot_translation){0, 0};
	map_argument(&x, &boot_argument);
	return (struct boot_translation){x.root_pa, regime_tcr(XLAT_48BIT, false)};
}
