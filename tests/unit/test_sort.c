/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "place/sort.h"
#include "random.h"

#define ITEMS_MAX 300

struct item {
	uint64_t check; /* derived from key: shows an item that was torn or duplicated */
	uint64_t key;
	uint64_t order; /* number among the unsorted */
};

static uint64_t check_of(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ull;
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key == y->key)
		return (x->order > y->order) - (x->order < y->order);
	return x->key < y->key ? -1 : 1;
}

static void sort(struct item *items, size_t count, struct item *scratch)
{
	sort_by_key(items, count, sizeof(*items), offsetof(struct item, key), scratch);
}

static void assert_sorts(const uint64_t *keys, size_t count)
{
	struct item ours[ITEMS_MAX + 1], theirs[ITEMS_MAX + 1], scratch[ITEMS_MAX + 1];

	for (size_t i = 0; i < count; i++)
		ours[i] = theirs[i] = (struct item){check_of(keys[i]), keys[i], i};
	ours[count] = scratch[count] = (struct item){42, 42, 42};
	qsort(theirs, count, sizeof(*theirs), by_key);
	sort(ours, count, scratch);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ours[i].key, theirs[i].key);
		assert_int_equal(ours[i].order, theirs[i].order);
		assert_int_equal(ours[i].check, check_of(ours[i].key));
	}
	assert_int_equal(ours[count].key, 42);
	assert_int_equal(scratch[count].key, 42);
}

static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		uint64_t keys[ITEMS_MAX];
		size_t count = random_below(&seed, ITEMS_MAX);
		uint64_t range = 1 + random_below(&seed, round % 2 ? 10 : UINT64_MAX - 1);

		for (size_t i = 0; i < count; i++)
			keys[i] = random_below(&seed, range);
		assert_sorts(keys, count);
	}
}

static void test_shapes(void **state)
{
	uint64_t up[ITEMS_MAX], down[ITEMS_MAX], equal[ITEMS_MAX], far[ITEMS_MAX];

	(void)state;
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		up[i] = i;
		down[i] = ITEMS_MAX - i;
		equal[i] = 7;
		far[i] = i % 2 ? UINT64_MAX : i;
	}
	for (size_t count = 0; count <= ITEMS_MAX; count += 1 + count / 8) {
		assert_sorts(up, count);
		assert_sorts(down, count);
		assert_sorts(equal, count);
		assert_sorts(far, count);
	}
}

/* The input must not decide about the time. The bound is loose. */
static void test_worst_case(void **state)
{
	static struct item items[1 << 20], scratch[1 << 20];
	const size_t count = sizeof(items) / sizeof(items[0]);
	uint64_t seed = 7;

	(void)state;
	for (unsigned int shape = 0; shape < 4; shape++) {
		clock_t start;

		for (size_t i = 0; i < count; i++) {
			uint64_t keys[] = {count - i, i ^ 1, i % 2 ? i : count - i,
					   random_next(&seed)};

			items[i].key = keys[shape];
		}
		start = clock();
		sort(items, count, scratch);
		assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
		for (size_t i = 1; i < count; i++)
			assert_true(items[i - 1].key <= items[i].key);
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
