/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <kexpress/handoff.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../payload/fdt_check.h"
#include "../payload/fdt_read.h"
#include "hugepages.h"
#include "input.h"
#include "say.h"

#define TREE	   "/sys/firmware/fdt"
#define IOMEM	   "/proc/iomem"
#define FADT	   "/sys/firmware/acpi/tables/FACP"
#define TREE_MAX   4096 /* ranges of memory in a device tree */
#define RANGE_ROOM 16	/* that an intersection can have more than either */

/* ACPI specification 6.5, 5.2.9: ARM_BOOT_ARCH, 16 bits little-endian. */
#define FADT_ARM_BOOT_ARCH	129
#define FADT_ARM_PSCI_COMPLIANT 0x1
#define FADT_ARM_PSCI_USE_HVC	0x2

static struct range_set room(size_t max)
{
	struct range *ranges = calloc(max, sizeof(*ranges));

	if (!ranges)
		fail(NO_MEMORY, "no memory for ranges of RAM");
	return (struct range_set){ranges, 0, max};
}

const void *machine_tree(void)
{
	struct kx_refusal why;
	size_t size;
	char *tree = input_read_text(TREE, &size);

	if (!tree)
		fail_errno(errno == EACCES ? NOT_PERMITTED : FAILED, "cannot read " TREE);
	if (fdt_check_tree(tree, size, &why))
		fail(FAILED, TREE ": %s", why.what);
	return tree;
}

static size_t count_lines(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void read_iomem(struct machine *m)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t size, lines;
	char *text = input_read_text(IOMEM, &size);
	struct iomem iomem;

	if (!text)
		fail_errno(FAILED, "cannot read " IOMEM);
	lines = count_lines(text);
	iomem = (struct iomem){room(lines), room(lines)};
	if (!iomem_read(text, page_size, &iomem))
		fail(NOT_PERMITTED, IOMEM " tells of no RAM: CAP_SYS_ADMIN is needed");
	free(text);
	m->ram = iomem.ram;
	m->avoid = iomem.avoid;
}

/* In both, as sorted ranges that do not touch. */
static struct range_set intersection(const struct range_set *a, const struct range_set *b)
{
	struct range_set both = room(a->count + b->count + RANGE_ROOM);

	for (size_t i = 0; i < a->count; i++) {
		struct range r = a->ranges[i];

		for (size_t j = range_set_first(b, r.start); j < b->count; j++) {
			struct range s = b->ranges[j];
			uint64_t start = r.start > s.start ? r.start : s.start;
			uint64_t end = r.end < s.end ? r.end : s.end;

			if (start >= end)
				break;
			range_set_add(&both, start, end);
		}
	}
	return both;
}

/*
 * Memory that was plugged in later is not in the tree, and the next kernel does not get it from
 * there. With EFI the tree tells of no memory, and the kernel asks the firmware's own map.
 */
static void limit_to_tree(struct machine *m)
{
	struct range_set known = room(TREE_MAX);
	struct kx_refusal why;
	enum kx_error error = fdt_read_ram(m->tree, &known, &why);

	if (error == KX_E_NO_MEMORY)
		return;
	if (error)
		fail(FAILED, TREE ": %s", why.what);
	m->ram = intersection(&m->ram, &known);
	if (!m->ram.count)
		fail(FAILED, IOMEM " and " TREE " have no RAM in common");
}

static uint32_t read_psci(void)
{
	size_t size;
	char *fadt = input_read_text(FADT, &size);
	unsigned int flags = 0;

	if (fadt && size > FADT_ARM_BOOT_ARCH)
		flags = (unsigned char)fadt[FADT_ARM_BOOT_ARCH];
	free(fadt);
	if (!(flags & FADT_ARM_PSCI_COMPLIANT))
		return 0;
	return flags & FADT_ARM_PSCI_USE_HVC ? KX_HANDOFF_PSCI_HVC : KX_HANDOFF_PSCI_SMC;
}

struct machine machine_read(void)
{
	struct machine m = {.tree = machine_tree(), .psci = read_psci()};

	read_iomem(&m);
	limit_to_tree(&m);
	return m;
}

static void avoid_reserved(struct machine *m)
{
	struct range_set reserved = room(TREE_MAX);
	struct kx_refusal why;

	if (fdt_read_reserved(m->tree, &reserved, &why))
		fail(FAILED, TREE ": %s", why.what);
	for (size_t i = 0; i < reserved.count; i++)
		range_set_add(&m->avoid, reserved.ranges[i].start, reserved.ranges[i].end);
	free(reserved.ranges);
}

void machine_own(struct machine *m, const struct chunk *chunks, size_t count)
{
	struct range_set avoid = room(m->avoid.count + count + TREE_MAX);

	for (size_t i = 0; i < m->avoid.count; i++)
		range_set_add(&avoid, m->avoid.ranges[i].start, m->avoid.ranges[i].end);
	for (size_t i = 0; i < count; i++)
		if (chunks[i].size >= HUGEPAGES_USUAL)
			range_set_remove(&avoid, chunks[i].physical,
					 chunks[i].physical + chunks[i].size);
	free(m->avoid.ranges);
	m->avoid = avoid;
	avoid_reserved(m);
	if (m->ram.count + m->avoid.count > KX_HANDOFF_RANGES)
		fail(FAILED, "memory is in more than %d ranges", KX_HANDOFF_RANGES);
}
