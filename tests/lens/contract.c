// SPDX-License-Identifier: MIT
#include "contract.h"

#include <inttypes.h>
#include <libfdt.h>
#include <stdbool.h>
#include <string.h>

#define MIB		      (1ull << 20)
#define GIB		      (1ull << 30)
#define IMAGE_ALIGN	      (2 * MIB)
#define FDT_ALIGN	      8u
#define FDT_MAX_SIZE	      (2 * MIB)
#define INITRD_WINDOW	      (32 * GIB)
#define IMAGE_OLD_TEXT_OFFSET 0x80000u	 /* where image_size is 0: before Linux 3.17 */
#define IMAGE_OLD_SIZE	      (16 * MIB) /* as kexec-tools assumes */

#define SCTLR_M			(1ull << 0)
#define SCTLR_C			(1ull << 2)
#define DAIF_ALL		(0xfull << 6)
#define ISR_A			(1ull << 8)
#define MMFR0_FIELD(mmfr0, lsb) ((unsigned int)((mmfr0) >> (lsb)) & 0xf)

enum page_size { PAGE_ANY, PAGE_4K, PAGE_16K, PAGE_64K };

struct image_header {
	uint32_t code[2];
	uint64_t text_offset;
	uint64_t image_size;
	uint64_t flags;
	uint64_t reserved[3];
	uint32_t magic;
	uint32_t pe_offset;
};

#define IMAGE_MAGIC	       0x644d5241u /* "ARM\x64" */
#define IMAGE_PAGE_SIZE(flags) ((enum page_size)((flags) >> 1 & 3))

struct judge {
	const struct contract_entry *entry;
	const struct contract_ram *ram;
	struct coherency *coherency;
	struct report *report;
	unsigned int violations;
};

/* The bytes of a range of RAM; NULL where it is not wholly inside. */
static const void *in_ram(const struct contract_ram *ram, uint64_t pa, uint64_t size)
{
	uint64_t offset = pa - ram->base;

	if (pa < ram->base || offset > ram->size || size > ram->size - offset)
		return NULL;
	return (const char *)ram->bytes + offset;
}

static void require(struct judge *judge, bool held, const char *item, uint64_t value)
{
	if (held)
		return;
	judge->violations++;
	report_line(judge->report, "contract: violated: %s (0x%" PRIx64 ") kernel=0x%" PRIx64, item,
		    value, judge->entry->pc);
}

/* --- Registers ----------------------------------------------------------------------------------
 */

static void check_registers(struct judge *judge)
{
	const struct contract_entry *entry = judge->entry;

	require(judge, !entry->x[1], "x1 is 0", entry->x[1]);
	require(judge, !entry->x[2], "x2 is 0", entry->x[2]);
	require(judge, !entry->x[3], "x3 is 0", entry->x[3]);
	require(judge, entry->el == 1 || entry->el == 2, "EL1 or EL2", entry->el);
	require(judge, !(entry->sctlr & SCTLR_M), "MMU off", entry->sctlr);
	require(judge, !(entry->sctlr & SCTLR_C), "data cache off", entry->sctlr);
	require(judge, (entry->daif & DAIF_ALL) == DAIF_ALL, "DAIF masked", entry->daif);
	require(judge, !(entry->isr & ISR_A), "no SError pending", entry->isr);
	require(judge, entry->cntfrq, "CNTFRQ_EL0 set", entry->cntfrq);
}

/* --- The image ----------------------------------------------------------------------------------
 */

/* ID_AA64MMFR0_EL1: TGran4 and TGran64 say 0xf where there is none, TGran16 says 0. */
static bool has_page_size(uint64_t mmfr0, enum page_size size)
{
	switch (size) {
	case PAGE_4K:
		return MMFR0_FIELD(mmfr0, 28) != 0xf;
	case PAGE_16K:
		return MMFR0_FIELD(mmfr0, 20);
	case PAGE_64K:
		return MMFR0_FIELD(mmfr0, 24) != 0xf;
	default:
		return true;
	}
}

static void check_caches(struct judge *judge, uint64_t size)
{
	const struct contract_entry *entry = judge->entry;
	struct coherency_range range;

	if (!judge->coherency)
		return;
	coherency_range(judge->coherency, entry->cpu, entry->pc, size, &range);
	require(judge, !range.dirty.lines, "image clean to PoC", range.dirty.pa);
	require(judge, !range.incomplete.lines, "DSB after the cleaning of the image",
		range.incomplete.pa);
	require(judge, !range.lost.lines, "no line of the image lost by DC IVAC", range.lost.pa);
	require(judge, !range.stale.lines, "no stale instruction lines of the image",
		range.stale.pa);
}

bool contract_is_image(const struct contract_ram *ram, uint64_t pa)
{
	const struct image_header *header = in_ram(ram, pa, sizeof(*header));

	return header && header->magic == IMAGE_MAGIC;
}

/* Bytes from its start that the image needs; 0 where that can't be told. */
static uint64_t check_image(struct judge *judge)
{
	const struct contract_entry *entry = judge->entry;
	const struct image_header *header = in_ram(judge->ram, entry->pc, sizeof(*header));
	uint64_t text_offset, size;

	require(judge, contract_is_image(judge->ram, entry->pc), "Image header at the entry",
		entry->pc);
	if (!contract_is_image(judge->ram, entry->pc))
		return 0;
	text_offset = header->image_size ? header->text_offset : IMAGE_OLD_TEXT_OFFSET;
	size = header->image_size ? header->image_size : IMAGE_OLD_SIZE;
	require(judge, (entry->pc - text_offset) % IMAGE_ALIGN == 0,
		"image at text_offset from a 2 MiB boundary", entry->pc);
	require(judge, in_ram(judge->ram, entry->pc, size), "image inside RAM", size);
	require(judge, has_page_size(entry->mmfr0, IMAGE_PAGE_SIZE(header->flags)),
		"page size that the core has", header->flags);
	return in_ram(judge->ram, entry->pc, size) ? size : 0;
}

/* --- The device tree
 * ------------------------------------------------------------------------------ */

/* A property of 4 or 8 bytes; false where there is none. */
static bool read_cells(const void *fdt, int node, const char *name, uint64_t *value)
{
	int size;
	const void *property = fdt_getprop(fdt, node, name, &size);

	if (!property || (size != sizeof(fdt32_t) && size != sizeof(fdt64_t)))
		return false;
	*value = size == sizeof(fdt32_t) ? fdt32_ld(property) : fdt64_ld(property);
	return true;
}

static void check_initrd(struct judge *judge, const void *fdt, uint64_t image_size)
{
	uint64_t start, end, window;
	uint64_t image = judge->entry->pc;
	int chosen = fdt_path_offset(fdt, "/chosen");

	if (chosen < 0 || !read_cells(fdt, chosen, "linux,initrd-start", &start) ||
	    !read_cells(fdt, chosen, "linux,initrd-end", &end))
		return;
	require(judge, start < end && in_ram(judge->ram, start, end - start), "initrd inside RAM",
		start);
	require(judge, end <= image || start >= image + image_size, "initrd apart from the image",
		start);
	window = (start < image ? start : image) & ~(GIB - 1);
	require(judge,
		end <= window + INITRD_WINDOW && image + image_size <= window + INITRD_WINDOW,
		"initrd and image in one window of 32 GiB", start);
}

/* The tree, or NULL where it can't be used. */
static const void *check_fdt_header(struct judge *judge)
{
	uint64_t pa = judge->entry->x[0];
	const void *fdt = in_ram(judge->ram, pa, sizeof(struct fdt_header));
	bool good;

	require(judge, pa % FDT_ALIGN == 0, "x0 8-byte aligned", pa);
	good = fdt && pa % FDT_ALIGN == 0 && !fdt_check_header(fdt);
	require(judge, good, "device tree in RAM at x0", pa);
	if (!good)
		return NULL;
	require(judge, fdt_totalsize(fdt) <= FDT_MAX_SIZE, "device tree of at most 2 MiB",
		fdt_totalsize(fdt));
	good = in_ram(judge->ram, pa, fdt_totalsize(fdt));
	require(judge, good, "whole device tree inside RAM", pa);
	return good ? fdt : NULL;
}

static void check_fdt(struct judge *judge, uint64_t image_size)
{
	const void *fdt = check_fdt_header(judge);
	struct coherency_range range;

	if (!fdt)
		return;
	check_initrd(judge, fdt, image_size);
	if (!judge->coherency)
		return;
	coherency_range(judge->coherency, judge->entry->cpu, judge->entry->x[0], fdt_totalsize(fdt),
			&range);
	require(judge, !range.dirty.lines, "device tree clean to PoC", range.dirty.pa);
	require(judge, !range.incomplete.lines, "DSB after the cleaning of the device tree",
		range.incomplete.pa);
	require(judge, !range.lost.lines, "no line of the device tree lost by DC IVAC",
		range.lost.pa);
}

unsigned int contract_check(const struct contract_entry *entry, const struct contract_ram *ram,
			    struct coherency *coherency, struct report *report)
{
	struct judge judge = {entry, ram, coherency, report, 0};
	uint64_t image_size;

	check_registers(&judge);
	image_size = check_image(&judge);
	if (image_size)
		check_caches(&judge, image_size);
	check_fdt(&judge, image_size);
	if (!judge.violations)
		report_line(report, "contract: held kernel=0x%" PRIx64, entry->pc);
	return judge.violations;
}
