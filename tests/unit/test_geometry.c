/* SPDX-License-Identifier: MIT */
/* Which geometry is chosen, by ID registers as CPUs have them and as the Arm ARM allows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "xlat/geometry.h"

#define GIB   (1ull << 30)
#define TIB   (1ull << 40)
#define BIT48 (1ull << 48)

/* ID_AA64MMFR0_EL1, fields that matter: TGran4 31:28, TGran64 27:24, TGran16 23:20, PARange 3:0. */
#define MMFR0(tgran4, tgran64, tgran16, parange) \
	((uint64_t)(tgran4) << 28 | (tgran64) << 24 | (tgran16) << 20 | (parange))
#define NONE 0xf
#define LVA  (1ull << 16)

#define A53		 0x1122ull	   /* 4K and 64K, 40 bits */
#define A72		 0x1124ull	   /* 44 bits */
#define N1		 0x101125ull	   /* all, 48 bits */
#define MAX_LPA2	 MMFR0(1, 0, 2, 6) /* QEMU's max, lpa2=on */
#define MAX_LPA		 MMFR0(0, 0, 1, 6) /* lpa2=off */
#define ONLY_16K	 MMFR0(NONE, NONE, 1, 5)
#define ONLY_64K	 MMFR0(NONE, 0, 0, 5)
#define ONLY_64K_LPA	 MMFR0(NONE, 0, 0, 6)
#define LPA2_OF_16K_ONLY MMFR0(0, NONE, 2, 6)

static const struct {
	uint64_t mmfr0, mmfr2, end;
	bool one_range;
	struct xlat_geometry wanted; /* page_shift 0: refused */
} cases[] = {
	/* The fewest levels of 4K. */
	{A53, 0, GIB, false, {12, 30, 40, false}},
	{A53, 0, GIB, true, {12, 39, 40, false}},
	{A53, 0, GIB + 4096, false, {12, 39, 40, false}},
	{A72, 0, 512 * GIB, false, {12, 39, 44, false}},
	{A72, 0, 512 * GIB, true, {12, 48, 44, false}},
	{A72, 0, 256 * GIB, true, {12, 39, 44, false}},
	{A72, 0, 512 * GIB + 1, false, {12, 48, 44, false}},
	{A53, 0, TIB, false, {12, 48, 40, false}},
	{A53, 0, TIB + 1, false, {0}},
	{A72, 0, 16 * TIB + 1, false, {0}},
	{N1, 0, BIT48, false, {12, 48, 48, false}},
	{N1, 0, BIT48 + 1, false, {0}},
	{N1, 0, BIT48 / 2, true, {12, 48, 48, false}},
	{N1, 0, BIT48 / 2 + 1, true, {0}}, /* its half of 48 bits is too small */
	/* FEAT_LPA2 where it is needed, and only there: its absence clamps. */
	{MAX_LPA2, LVA, BIT48, false, {12, 48, 48, false}},
	{MAX_LPA2, LVA, BIT48 + 1, false, {12, 52, 52, true}},
	{MAX_LPA2, LVA, BIT48, true, {12, 52, 52, true}},
	{MAX_LPA2, LVA, 16 * BIT48, false, {12, 52, 52, true}},
	{MAX_LPA2, LVA, 16 * BIT48 + 1, false, {0}},
	{MAX_LPA2, LVA, 16 * BIT48, true, {0}},
	{MMFR0(1, 0, 2, 5), 0, BIT48, true, {12, 52, 48, true}},
	{MMFR0(1, 0, 2, 5), 0, BIT48 + 1, false, {0}},
	{MMFR0(1, 0, 2, 7), 0, BIT48 + 1, false, {12, 52, 52, true}}, /* 56 bits */
	{MAX_LPA, 0, 512 * GIB, false, {12, 39, 48, false}},
	/* FEAT_LPA is another thing: it needs the 64K granule, and FEAT_LVA beside it. */
	{MAX_LPA, LVA, BIT48 + 1, false, {16, 52, 52, false}},
	{MAX_LPA, 0, BIT48 + 1, false, {0}},
	{MAX_LPA, LVA, BIT48, true, {16, 52, 52, false}},
	{LPA2_OF_16K_ONLY, 0, BIT48 + 1, false, {14, 52, 52, true}},
	{LPA2_OF_16K_ONLY, 0, BIT48, false, {12, 48, 48, false}},
	/* No 4K. */
	{ONLY_16K, 0, 64 * GIB, false, {14, 36, 48, false}},
	{ONLY_16K, 0, 64 * GIB, true, {14, 47, 48, false}},
	{ONLY_16K, 0, BIT48 / 2 + 1, false, {14, 48, 48, false}},
	{ONLY_64K, 0, 4 * TIB, false, {16, 42, 48, false}},
	{ONLY_64K, 0, 4 * TIB, true, {16, 48, 48, false}},
	{ONLY_64K, 0, BIT48, false, {16, 48, 48, false}},
	{ONLY_64K_LPA, 0, BIT48, false, {16, 48, 52, false}},
	{ONLY_64K_LPA, LVA, BIT48 + 1, false, {16, 52, 52, false}},
	/* Fields are signed, or not: what is reserved is not taken for "there". */
	{MMFR0(8, NONE, 0, 5), 0, GIB, false, {0}},
	{MMFR0(NONE, 8, 0, 5), 0, GIB, false, {0}},
	{MMFR0(7, NONE, 0, 6), 0, BIT48 + 1, false, {12, 52, 52, true}},
	{MMFR0(NONE, NONE, 8, 5), 0, GIB, false, {14, 36, 48, false}},
	{MMFR0(NONE, NONE, 0, 5), 0, GIB, false, {0}},
	{N1, 0, 0, false, {0}}, /* the end wrapped */
};

static void chosen_by_need_and_cpu(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct xlat_geometry *wanted = &cases[i].wanted;
		struct xlat_geometry g = {0};

		if (geometry_choose(cases[i].mmfr0, cases[i].mmfr2, cases[i].end,
				    cases[i].one_range, &g) != (wanted->page_shift != 0) ||
		    g.page_shift != wanted->page_shift || g.va_bits != wanted->va_bits ||
		    g.pa_bits != wanted->pa_bits || g.lpa2 != wanted->lpa2)
			fail_msg("case %zu: granule %u, va %u, pa %u, lpa2 %d", i, g.page_shift,
				 g.va_bits, g.pa_bits, g.lpa2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_by_need_and_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
