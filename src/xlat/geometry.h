/* SPDX-License-Identifier: MIT */
/*
 * Translation geometry: granule, width of addresses and form of descriptors (Arm ARM DDI 0487,
 * D8.1 and D8.2), chosen from what is to be mapped and what the CPU has. Runs with the MMU off too.
 */
#ifndef XLAT_GEOMETRY_H
#define XLAT_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEOMETRY_PAGE_MAX 65536ull /* the largest granule */

/* Aligned to be one access: with the MMU off each counts. */
struct xlat_geometry {
	uint8_t page_shift; /* log2 of the granule: 12, 14 or 16 */
	uint8_t va_bits;
	uint8_t pa_bits; /* the CPU's, as far as descriptors hold them; a size of TCR.IPS */
	bool lpa2;	 /* TCR.DS: addresses' bits 51:50 in the place of shareability */
} __attribute__((aligned(4)));

static inline uint64_t geometry_page_size(struct xlat_geometry g)
{
	return 1ull << g.page_shift;
}

/* Descriptors of a whole table; a root may use fewer. */
static inline size_t geometry_table_length(struct xlat_geometry g)
{
	return geometry_page_size(g) / sizeof(uint64_t);
}

/* Whether the CPU that ID_AA64MMFR0_EL1 tells of has this granule. */
bool geometry_has_granule(uint64_t mmfr0, unsigned int page_shift);

/*
 * The geometry for mapping physical addresses below end, on the CPU that ID_AA64MMFR0_EL1 and
 * ID_AA64MMFR2_EL1 tell of: the smallest granule that can, then the fewest levels. one_range: one
 * range of virtual addresses holds both the identity map and the linear map, each in its half.
 * Returns false if this CPU cannot map that.
 */
bool geometry_choose(uint64_t mmfr0, uint64_t mmfr2, uint64_t end, bool one_range,
		     struct xlat_geometry *g);

#endif /* XLAT_GEOMETRY_H */
