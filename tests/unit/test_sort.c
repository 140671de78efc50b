/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "place/sort.h"
#include "random.h"

#define ITEMS_MAX 300

struct item {
	uint64_t key;
	uint64_t check; /* derived from key: shows an item that was torn or duplicated */
};

static size_t comparisons;

static uint64_t key_of(const void *item)
{
	comparisons++;
	return ((const struct item *)item)->key;
}

static uint64_t check_of(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ull;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct item *)a)->key, y = ((const struct item *)b)->key;

	return (x > y) - (x < y);
}

static void assert_sorts(const struct item *items, size_t count)
{
	struct item ours[ITEMS_MAX + 1], theirs[ITEMS_MAX + 1];

	for (size_t i = 0; i < count; i++)
		ours[i] = theirs[i] = items[i];
	ours[count] = (struct item){42, 42};
	qsort(theirs, count, sizeof(*theirs), by_key);
	sort_by_key(ours, count, sizeof(*ours), key_of);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ours[i].key, theirs[i].key);
		assert_int_equal(ours[i].check, check_of(ours[i].key));
	}
	assert_int_equal(ours[count].key, 42);
}

static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		struct item items[ITEMS_MAX];
		size_t count = random_below(&seed, ITEMS_MAX);
		uint64_t range = 1 + random_below(&seed, round % 2 ? 10 : UINT64_MAX - 1);

		for (size_t i = 0; i < count; i++) {
			items[i].key = random_below(&seed, range);
			items[i].check = check_of(items[i].key);
		}
		assert_sorts(items, count);
	}
}

static void test_shapes(void **state)
{
	struct item up[ITEMS_MAX], down[ITEMS_MAX], equal[ITEMS_MAX];

	(void)state;
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		up[i] = (struct item){i, check_of(i)};
		down[i] = (struct item){ITEMS_MAX - i, check_of(ITEMS_MAX - i)};
		equal[i] = (struct item){7, check_of(7)};
	}
	for (size_t count = 0; count <= ITEMS_MAX; count += 1 + count / 8) {
		assert_sorts(up, count);
		assert_sorts(down, count);
		assert_sorts(equal, count);
	}
}

/* The order of the input must not decide about the time. */
static void test_worst_case(void **state)
{
	static struct item items[1 << 16];
	const size_t count = sizeof(items) / sizeof(items[0]);
	uint64_t seed = 7;

	(void)state;
	for (unsigned int shape = 0; shape < 4; shape++) {
		for (size_t i = 0; i < count; i++) {
			uint64_t keys[] = {count - i, i ^ 1, i % 2 ? i : count - i,
					   random_next(&seed)};

			items[i].key = keys[shape];
		}
		comparisons = 0;
		sort_by_key(items, count, sizeof(*items), key_of);
		assert_true(comparisons < count * 16 * 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_worst_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
