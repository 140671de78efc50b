/* SPDX-License-Identifier: MIT */
/* Range sets against a model that keeps one flag a cell of a small address space. */
#include "place/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define CELLS 96
#define MAX   (CELLS / 2)

/* Cell i is [base + i * size, base + (i + 1) * size). */
struct model {
	uint64_t base;
	uint64_t size;
	bool in[CELLS];
};

static uint64_t edge(const struct model *m, size_t cell)
{
	return m->base + cell * m->size;
}

static size_t model_count(const struct model *m)
{
	size_t count = 0;

	for (size_t i = 0; i < CELLS; i++)
		count += m->in[i] && (i == 0 || !m->in[i - 1]);
	return count;
}

static void model_set(struct model *m, size_t from, size_t to, bool in)
{
	for (size_t i = from; i < to; i++)
		m->in[i] = in;
}

/* The set holds the model's stretches, in order, each as one range. */
static void check_same(const struct range_set *set, const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < CELLS; i++) {
		size_t start = i;

		while (i < CELLS && m->in[i])
			i++;
		if (i == start)
			continue;
		assert_true(n < set->count);
		assert_int_equal(set->ranges[n].start, edge(m, start));
		assert_int_equal(set->ranges[n].end, edge(m, i));
		n++;
	}
	assert_int_equal(set->count, n);
}

static void check_queries(const struct range_set *set, const struct model *m, size_t from,
			  size_t to)
{
	bool all = from < to;
	bool any = false;
	size_t first = 0;

	for (size_t i = from; i < to; i++) {
		all &= m->in[i];
		any |= m->in[i];
	}
	assert_int_equal(range_set_contains(set, edge(m, from), edge(m, to)), all);
	assert_int_equal(range_set_overlaps(set, edge(m, from), edge(m, to)), any);

	while (first < set->count && set->ranges[first].end <= edge(m, from))
		first++;
	assert_int_equal(range_set_first(set, edge(m, from)), first);
}

static void random_step(struct range_set *set, struct model *m, uint64_t *seed)
{
	size_t from = random_below(seed, CELLS + 1);
	size_t length = random_below(seed, random_below(seed, 4) ? 6 : CELLS);
	size_t to = from + length < CELLS ? from + length : CELLS;
	bool add = random_below(seed, 2);
	struct model after = *m;
	bool done;

	model_set(&after, from, to, add);
	if (add)
		done = range_set_add(set, edge(m, from), edge(m, to));
	else
		done = range_set_remove(set, edge(m, from), edge(m, to));

	assert_int_equal(done, model_count(&after) <= set->max);
	if (done)
		*m = after;
	check_same(set, m);
	check_queries(set, m, random_below(seed, CELLS + 1), random_below(seed, CELLS + 1));
	check_queries(set, m, from, to);
}

static void random_sets(struct model start, uint64_t seed)
{
	struct range ranges[MAX];

	print_message("seed %llu\n", (unsigned long long)seed);
	for (int round = 0; round < 1000; round++) {
		struct range_set set = {ranges, 0, 1 + random_below(&seed, MAX)};
		struct model m = start;

		for (int step = 0; step < 100; step++)
			random_step(&set, &m, &seed);
	}
}

static void test_random(void **state)
{
	(void)state;
	random_sets((struct model){.base = 0, .size = 1}, 1);
	random_sets((struct model){.base = 0x40000000, .size = 4096}, 2);
	random_sets((struct model){.base = UINT64_MAX - CELLS * 4096, .size = 4096}, 3);
	random_sets((struct model){.base = 0, .size = UINT64_MAX / CELLS}, 4);
}

static void test_backwards_and_empty(void **state)
{
	struct range ranges[4] = {{10, 20}};
	struct range_set set = {ranges, 1, 4};

	(void)state;
	assert_false(range_set_add(&set, 30, 29));
	assert_false(range_set_remove(&set, 15, 14));
	assert_false(range_set_add(&set, UINT64_MAX - 4095, 0)); /* an end of 2^64, wrapped */
	assert_true(range_set_add(&set, 30, 30));
	assert_true(range_set_remove(&set, 15, 15));
	assert_int_equal(set.count, 1);
	assert_int_equal(ranges[0].start, 10);
	assert_int_equal(ranges[0].end, 20);

	assert_false(range_set_contains(&set, 15, 15));
	assert_false(range_set_contains(&set, 16, 15));
	assert_false(range_set_overlaps(&set, 15, 15));
	assert_false(range_set_overlaps(&set, 16, 15));
	assert_false(range_set_overlaps(&set, 15, 2));
}

static void test_full(void **state)
{
	struct range ranges[3] = {{10, 20}, {30, 40}, {UINT64_MAX, UINT64_MAX}};
	struct range before[3];
	struct range_set set = {ranges, 2, 2};

	(void)state;
	memcpy(before, ranges, sizeof(ranges));
	assert_false(range_set_add(&set, 50, 60));
	assert_false(range_set_add(&set, 0, 9));
	assert_false(range_set_remove(&set, 12, 13));
	assert_int_equal(set.count, 2);
	assert_memory_equal(ranges, before, sizeof(ranges));

	/* What needs no more ranges still works. */
	assert_true(range_set_add(&set, 20, 25));
	assert_true(range_set_remove(&set, 35, 45));
	assert_true(range_set_add(&set, 25, 30));
	assert_int_equal(set.count, 1);
	assert_int_equal(ranges[0].start, 10);
	assert_int_equal(ranges[0].end, 35);
	assert_int_equal(ranges[2].start, UINT64_MAX);
}

static void test_no_array(void **state)
{
	struct range_set set = {NULL, 0, 0};

	(void)state;
	assert_false(range_set_add(&set, 1, 2));
	assert_true(range_set_remove(&set, 1, 2));
	assert_false(range_set_contains(&set, 1, 2));
	assert_false(range_set_overlaps(&set, 1, 2));
	assert_int_equal(range_set_first(&set, 0), 0);
}

static void test_trim(void **state)
{
	struct range ranges[] = {{0, 0x3fff},	     {0x4000, 0xc000},
				 {0x10001, 0x18000}, {0x1c001, 0x23fff},
				 {0x27fff, 0x30001}, {UINT64_MAX - 0x100, UINT64_MAX}};
	struct range_set set = {ranges, 6, 6};

	(void)state;
	range_set_trim(&set, 0x4000);
	assert_int_equal(set.count, 3);
	assert_int_equal(ranges[0].start, 0x4000);
	assert_int_equal(ranges[0].end, 0xc000);
	assert_int_equal(ranges[1].start, 0x14000);
	assert_int_equal(ranges[1].end, 0x18000);
	assert_int_equal(ranges[2].start, 0x28000);
	assert_int_equal(ranges[2].end, 0x30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_backwards_and_empty),
		cmocka_unit_test(test_full),   cmocka_unit_test(test_no_array),
		cmocka_unit_test(test_trim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
