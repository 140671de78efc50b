/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "place/cover.h"
#include "random.h"

#define SPACE	   200 /* addresses */
#define RANGES_MAX 30

static size_t random_ranges(uint64_t *seed, struct range *ranges, bool *model)
{
	size_t count = random_below(seed, RANGES_MAX);

	memset(model, 0, SPACE);
	for (size_t i = 0; i < count; i++) {
		ranges[i].start = random_below(seed, SPACE - 1);
		ranges[i].end = ranges[i].start + 1 +
				random_below(seed, i % 3 ? 5 : SPACE - ranges[i].start - 1);
		if (ranges[i].end > SPACE)
			ranges[i].end = SPACE;
		for (uint64_t a = ranges[i].start; a < ranges[i].end; a++)
			model[a] = true;
	}
	return count;
}

/* ranges are sorted, neither empty nor touching, and hold exactly what the model does. */
static void assert_is(const struct range *ranges, size_t count, const bool *model, bool merged)
{
	bool seen[SPACE] = {false};

	for (size_t i = 0; i < count; i++) {
		assert_true(ranges[i].start < ranges[i].end);
		if (i && merged)
			assert_true(ranges[i - 1].end < ranges[i].start);
		if (i)
			assert_true(ranges[i - 1].end <= ranges[i].start);
		for (uint64_t a = ranges[i].start; a < ranges[i].end; a++)
			seen[a] = true;
	}
	assert_memory_equal(seen, model, SPACE);
}

static void test_random(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		struct range a[RANGES_MAX], b[RANGES_MAX], out[2 * RANGES_MAX], scratch[RANGES_MAX];
		bool in_a[SPACE], in_b[SPACE], only_a[SPACE];
		size_t a_count = random_ranges(&seed, a, in_a);
		size_t b_count = random_ranges(&seed, b, in_b);
		size_t count;

		a_count = cover_normalise(a, a_count, scratch);
		b_count = cover_normalise(b, b_count, scratch);
		assert_is(a, a_count, in_a, true);
		assert_is(b, b_count, in_b, true);

		for (size_t i = 0; i < SPACE; i++)
			only_a[i] = in_a[i] && !in_b[i];
		count = cover_subtract(a, a_count, b, b_count, out);
		assert_true(count <= a_count + b_count);
		assert_is(out, count, only_a, false);
	}
}

static void test_edges(void **state)
{
	struct range touching[] = {{10, 20}, {0, 10}, {20, 30}, {5, 6}};
	struct range top[] = {{UINT64_MAX - 10, UINT64_MAX}, {0, 1}};
	struct range out[2], scratch[4];

	(void)state;
	assert_int_equal(cover_normalise(touching, 4, scratch), 1);
	assert_int_equal(touching[0].start, 0);
	assert_int_equal(touching[0].end, 30);
	assert_int_equal(cover_normalise(top, 2, scratch), 2);
	assert_int_equal(cover_normalise(top, 0, scratch), 0);
	assert_int_equal(cover_subtract(touching, 1, touching, 1, out), 0);
	assert_int_equal(cover_subtract(touching, 1, top, 0, out), 1);
	assert_int_equal(cover_subtract(top, 0, touching, 1, out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
