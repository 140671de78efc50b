/* SPDX-License-Identifier: MIT */
/* Mappings, and memory for tables, that are refused. */
#include <string.h>

#include "xlat_pool.h"

#define UPPER(va) ((va) | ~0ull << 48)

static const struct xlat_geometry bits_39 = GEOMETRY_4K_39, bits_48 = GEOMETRY_4K_48,
				  bits_52 = GEOMETRY_4K_52, of_16k = GEOMETRY_16K_47,
				  of_64k = GEOMETRY_64K_48;

static void malformed_is_refused(void **state)
{
	(void)state;
	static const struct {
		enum kx_error error;
		const struct xlat_geometry *geometry;
		uint64_t va, pa, size;
	} cases[] = {
		{KX_E_MAPPING, &bits_48, GIB, GIB, 0}, /* empty */
		{KX_E_MAPPING, &bits_48, 0, 0, 0},
		{KX_E_MAPPING, &bits_48, GIB + 1, GIB, PAGE}, /* misaligned */
		{KX_E_MAPPING, &bits_48, GIB, GIB + 2048, PAGE},
		{KX_E_MAPPING, &bits_48, GIB, GIB, PAGE + 8},
		{KX_E_MAPPING, &bits_48, GIB, GIB, 1},
		{KX_E_MAPPING, &bits_48, 256 * TIB, GIB, PAGE}, /* beyond, or in the hole */
		{KX_E_MAPPING, &bits_48, 256 * TIB - PAGE, GIB, 2 * PAGE},
		{KX_E_MAPPING, &bits_48, -256 * TIB - PAGE, GIB, PAGE},
		{KX_E_MAPPING, &bits_48, -256 * TIB - PAGE, GIB, 2 * PAGE},
		{KX_E_MAPPING, &bits_48, 1ull << 63, GIB, PAGE},
		{KX_E_MAPPING, &bits_39, 512 * GIB, GIB, PAGE},
		{KX_E_MAPPING, &bits_39, PAGE, GIB, 512 * GIB},
		{KX_E_MAPPING, &bits_39, -1024 * GIB, GIB, PAGE},
		{KX_E_MAPPING, &bits_48, -PAGE, GIB, 2 * PAGE}, /* wraps */
		{KX_E_MAPPING, &bits_48, GIB, GIB, -GIB},
		{KX_E_MAPPING, &bits_48, GIB, GIB, -PAGE},
		{KX_E_MAPPING, &bits_48, 0, 0, 256 * TIB + PAGE},
		{KX_E_ADDRESS, &bits_48, GIB, 256 * TIB, PAGE},
		{KX_E_ADDRESS, &bits_48, GIB, 256 * TIB - PAGE, 2 * PAGE},
		{KX_E_ADDRESS, &bits_48, 0, PAGE, 256 * TIB},
		{KX_E_ADDRESS, &bits_39, GIB, -PAGE, PAGE},
		{KX_E_ADDRESS, &bits_39, GIB, -PAGE, 2 * PAGE}, /* wraps */
		{KX_E_MAPPING, &bits_52, 4096 * TIB, GIB, PAGE},
		{KX_E_MAPPING, &bits_52, 1ull << 63, GIB, PAGE},
		{KX_E_ADDRESS, &bits_52, GIB, 4096 * TIB, PAGE},
		{KX_E_MAPPING, &of_16k, GIB, GIB + PAGE, 16 * KIB}, /* of no whole granule */
		{KX_E_MAPPING, &of_16k, GIB, GIB, PAGE},
		{KX_E_MAPPING, &of_64k, GIB + 16 * KIB, GIB, 64 * KIB},
		{KX_E_ADDRESS, &of_64k, GIB, 256 * TIB, 64 * KIB},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xlat_mapping m = {cases[i].va, cases[i].pa, cases[i].size, XLAT_WRITE};
		uint64_t start = cases[i].error == KX_E_MAPPING ? m.va : m.pa;
		struct xlat_pool pool = pool_new(4, *cases[i].geometry, POOL_PA);
		struct kx_refusal why = {0};
		struct xlat x;

		assert_int_equal(xlat_init(&x, &pool, *cases[i].geometry, XLAT_EL1, &why), KX_OK);
		if (xlat_map(&x, &m, &why) != cases[i].error)
			fail_msg("case %zu", i);
		assert_int_equal(why.error, cases[i].error);
		assert_non_null(why.what);
		assert_int_equal(why.start, start);
		assert_int_equal(why.end, start + m.size);
		assert_int_equal(pool.used, 1);
		free(pool.tables);
	}
}

static void overlap_is_refused(void **state)
{
	(void)state;
	static const struct xlat_mapping pairs[][2] = {
		{{GIB, 0, PAGE, XLAT_READ}, {GIB, 0, PAGE, XLAT_READ}}, /* the same twice */
		{{GIB, 0, 2 * MIB, XLAT_READ}, {GIB, 0, 2 * MIB, XLAT_WRITE}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB, 0, GIB, XLAT_READ}},
		{{GIB, 0, 2 * PAGE, XLAT_READ}, {GIB + PAGE, PAGE, 2 * PAGE, XLAT_READ}},
		{{GIB, 0, 2 * MIB, XLAT_READ}, {GIB + 5 * PAGE, 0, PAGE, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB + 4 * MIB, 0, 2 * MIB, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB + 4 * MIB, 0, PAGE, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB - PAGE, GIB - PAGE, 2 * PAGE, XLAT_READ}},
		{{0, 0, 4 * GIB, XLAT_READ}, {4 * GIB - PAGE, 0, 2 * PAGE, XLAT_READ}},
		/* The same addresses, but for the half. */
		{{GIB, 0, PAGE, XLAT_READ}, {UPPER(GIB), 0, PAGE, XLAT_READ}},
	};

	for (size_t i = 0; i < 2 * sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct xlat_mapping *first = &pairs[i / 2][i % 2];
		const struct xlat_mapping *second = &pairs[i / 2][1 - i % 2];
		struct xlat_pool pool = pool_new(8, bits_48, POOL_PA);
		struct kx_refusal why = {0};
		struct xlat x;

		assert_int_equal(xlat_init(&x, &pool, bits_48, XLAT_EL1, &why), KX_OK);
		assert_int_equal(xlat_map(&x, first, &why), KX_OK);
		if (xlat_map(&x, second, &why) != KX_E_MAPPING)
			fail_msg("pair %zu, %zu", i / 2, i % 2);
		assert_int_equal(why.error, KX_E_MAPPING);
		assert_in_range(why.start, second->va, second->va + second->size - 1);
		free(pool.tables);
	}
}

/* A block whose output address is the pool's own: taken for a table, it would be written. */
static void block_is_never_walked(void **state)
{
	(void)state;
	const struct xlat_mapping block = {GIB, 2 * MIB, 2 * MIB, XLAT_WRITE};
	const struct xlat_mapping page = {GIB + PAGE, GIB, PAGE, XLAT_WRITE};
	struct xlat_pool pool = pool_new(4, bits_39, 2 * MIB);
	uint64_t before[4 * 512];
	struct kx_refusal why;
	struct xlat x;

	assert_int_equal(xlat_init(&x, &pool, bits_39, XLAT_EL2, &why), KX_OK);
	assert_int_equal(xlat_map(&x, &block, &why), KX_OK);
	memcpy(before, pool.tables, sizeof(before));
	assert_int_equal(xlat_map(&x, &page, &why), KX_E_MAPPING);
	assert_memory_equal(before, pool.tables, sizeof(before));
	free(pool.tables);
}

static void unusable_pool_is_refused(void **state)
{
	(void)state;
	const struct xlat_mapping page = {GIB, GIB, PAGE, XLAT_WRITE};
	struct xlat_pool none = {.pa = POOL_PA};
	struct xlat_pool far = pool_new(2, bits_39, 256 * TIB - PAGE);
	struct kx_refusal why = {0};
	struct xlat x;

	assert_int_equal(xlat_init(&x, &none, bits_39, XLAT_EL1, &why), KX_E_TABLES);
	assert_int_equal(why.error, KX_E_TABLES);
	assert_int_equal(why.start, POOL_PA);
	assert_int_equal(none.used, 0);

	assert_int_equal(xlat_init(&x, &far, bits_39, XLAT_EL1, &why), KX_OK);
	assert_int_equal(xlat_map(&x, &page, &why), KX_E_ADDRESS);
	assert_int_equal(why.start, 256 * TIB);
	free(far.tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_is_refused),
		cmocka_unit_test(overlap_is_refused),
		cmocka_unit_test(block_is_never_walked),
		cmocka_unit_test(unusable_pool_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
