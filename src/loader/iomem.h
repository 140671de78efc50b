/* SPDX-License-Identifier: MIT */
/*
 * /proc/iomem: what memory there is, and what of it has to be left alone (Linux
 * arch/arm64/kernel/setup.c, request_standard_resources() and reserve_memblock_reserved_regions()).
 */
#ifndef LOADER_IOMEM_H
#define LOADER_IOMEM_H

#include "../place/range.h"

/* Both with room for as many ranges as the text has lines. */
struct iomem {
	struct range_set ram; /* "System RAM"; not what a driver has added, which may go again */
	struct range_set avoid;
};

/*
 * Reads the text, lines of "START-END : NAME", indented below what they lie in. avoid is all that
 * lies in RAM and is not the running kernel itself: what was reserved at boot (tables of the
 * firmware, of ACPI, of GICv3 LPIs, ...), and a crash kernel's memory, which the running kernel may
 * have taken out of its map. Whole pages of page_size. False: the text is no such thing, or the
 * addresses are hidden from who has no CAP_SYS_ADMIN.
 */
bool iomem_read(const char *text, uint64_t page_size, struct iomem *iomem);

#endif /* LOADER_IOMEM_H */
