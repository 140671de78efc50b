/* SPDX-License-Identifier: MIT */
#include "geometry.h"

#include <arm64/sysreg.h>

#define BITS_USUAL 48
#define BITS_WIDE  52
#define LEVELS_MIN 2

/* What one granule can hold on a CPU, in bits. */
struct reach {
	unsigned int va_bits;
	unsigned int pa_bits;
};

static unsigned int physical_bits(uint64_t mmfr0)
{
	static const uint8_t bits[] = {32, 36, 40, 42, 44, 48, 52};
	unsigned int range = ID_AA64MMFR0_PARANGE(mmfr0);

	return range < sizeof(bits) ? bits[range] : BITS_WIDE;
}

/* Each granule's field has an encoding of its own, and those of 4K and 64K are signed. */
bool geometry_has_granule(uint64_t mmfr0, unsigned int page_shift)
{
	switch (page_shift) {
	case 12:
		return ID_AA64MMFR0_TGRAN4(mmfr0) < ID_FIELD_NEGATIVE;
	case 14:
		return ID_AA64MMFR0_TGRAN16(mmfr0) > 0;
	default:
		return ID_AA64MMFR0_TGRAN64(mmfr0) < ID_FIELD_NEGATIVE;
	}
}

static bool has_lpa2(uint64_t mmfr0, unsigned int page_shift)
{
	if (page_shift == 12)
		return ID_AA64MMFR0_TGRAN4(mmfr0) >= TGRAN4_LPA2;
	return page_shift == 14 && ID_AA64MMFR0_TGRAN16(mmfr0) >= TGRAN16_LPA2;
}

/* FEAT_LPA2 widens both addresses, of one granule; FEAT_LPA and FEAT_LVA one each, of 64K. */
static struct reach granule_reach(uint64_t mmfr0, uint64_t mmfr2, unsigned int page_shift)
{
	bool lpa2 = has_lpa2(mmfr0, page_shift), of_64k = page_shift == 16;
	bool lva = of_64k && ID_AA64MMFR2_VARANGE(mmfr2) > 0;
	struct reach reach = {lpa2 || lva ? BITS_WIDE : BITS_USUAL, physical_bits(mmfr0)};

	if (reach.pa_bits > BITS_USUAL && !lpa2 && !of_64k)
		reach.pa_bits = BITS_USUAL;
	return reach;
}

/* Virtual bits that as few levels as possible give, where at least need are wanted. */
static unsigned int fewest_levels(unsigned int page_shift, unsigned int need)
{
	unsigned int width = page_shift - 3;
	unsigned int bits = page_shift + LEVELS_MIN * width;
	unsigned int most = need > BITS_USUAL ? BITS_WIDE : BITS_USUAL;

	while (bits < need)
		bits += width;
	return bits < most ? bits : most;
}

bool geometry_choose(uint64_t mmfr0, uint64_t mmfr2, uint64_t end, bool one_range,
		     struct xlat_geometry *g)
{
	unsigned int physical = 0;

	while (physical < 64 && (end - 1) >> physical != 0)
		physical++;
	for (unsigned int page_shift = 12; page_shift <= 16; page_shift += 2) {
		unsigned int need = physical + (one_range ? 1 : 0);
		struct reach reach = granule_reach(mmfr0, mmfr2, page_shift);

		if (!geometry_has_granule(mmfr0, page_shift) || physical > reach.pa_bits ||
		    need > reach.va_bits)
			continue;
		g->page_shift = page_shift;
		g->va_bits = fewest_levels(page_shift, need);
		g->lpa2 = page_shift != 16 && need > BITS_USUAL;
		g->pa_bits = reach.pa_bits > BITS_USUAL && !g->lpa2 && page_shift != 16
				     ? BITS_USUAL
				     : reach.pa_bits;
		return true;
	}
	return false;
}
