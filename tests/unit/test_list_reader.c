/* SPDX-License-Identifier: MIT */
/* Entry lists read entry by entry, to their end, which there always is. */
#include "list_arena.h"

static void test_entries(void **state)
{
	static const struct list_entry want[] = {
		{P(0), 0, KX_LIST_INDIRECTION}, {P(9), 0, KX_LIST_DESTINATION},
		{P(5), P(9), KX_LIST_SOURCE},	{P(7), P(10), KX_LIST_SOURCE},
		{0, 0, KX_LIST_DONE},
	};
	static const uint64_t list[] = {D(9), S(5), S(7), DONE, S(8)};
	struct list_reader reader;
	struct list_entry entry;
	struct kx_refusal why;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		arena_put(0, i, list[i]);
	list_open(&reader, I(0), arena_bias(), &ram);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(list_next(&reader, &entry, &why), KX_OK);
		assert_int_equal(entry.flag, want[i].flag);
		assert_int_equal(entry.address, want[i].address);
		if (entry.flag == KX_LIST_SOURCE)
			assert_int_equal(entry.destination, want[i].destination);
	}
	assert_int_equal(list_next(&reader, &entry, &why), KX_E_LIST_END);
}

/* Fills page with entries that are valid and never merge, up to its last entry, which is last. */
static void fill_page(uint64_t page, uint64_t last)
{
	for (size_t i = 0; i < PAGE_ENTRIES - 1; i += 2) {
		arena_put(page, i, D(9));
		arena_put(page, i + 1, S(5));
	}
	arena_put(page, PAGE_ENTRIES - 1, last);
}

static void test_last_entry_of_page(void **state)
{
	size_t pairs = (PAGE_ENTRIES - 1) / 2;
	struct kx_refusal why;
	size_t count;

	(void)state;
	fill_page(0, I(1));
	fill_page(1, DONE);
	assert_int_equal(list_runs(I(0), arena_bias(), &wide, runs, MAX_RUNS, &count, &why), KX_OK);
	assert_int_equal(count, 2 * pairs);
	fill_page(1, S(5));
	assert_int_equal(list_runs(I(0), arena_bias(), &wide, runs, MAX_RUNS, &count, &why),
			 KX_E_LIST_END);
	assert_int_equal(why.start, P(1));
}

/* Reads until the list is refused, and checks that this is soon and for not ending. */
static void check_endless(uint64_t head)
{
	struct list_reader reader;
	struct list_entry entry;
	struct kx_refusal why;
	enum kx_error error;
	size_t entries = 0;

	list_open(&reader, head, arena_bias(), &ram);
	while (!(error = list_next(&reader, &entry, &why)))
		assert_true(++entries <= 3 * RAM_PAGES + 8);
	assert_int_equal(error, KX_E_LIST_END);
	assert_true(entries >= 3 * RAM_PAGES);
}

static void test_endless(void **state)
{
	(void)state;
	arena_put(0, 0, I(0));
	check_endless(I(0));

	arena_put(0, 0, I(1));
	arena_put(1, 0, I(0));
	check_endless(I(0));

	fill_page(0, I(0));
	check_endless(I(0));

	for (size_t i = 0; i < PAGE_ENTRIES; i++)
		arena_put(0, i, D(i % ARENA_PAGES));
	arena_put(0, PAGE_ENTRIES - 1, I(0));
	check_endless(I(0));
}

/* The longest list that writes each RAM page once is not taken for an endless one. */
static void test_longest_honest_list(void **state)
{
	static struct range range[] = {{P(0), P(4)}};
	const struct range_set small = {range, 1, 1};
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (uint64_t page = 0; page < 4; page++) {
		arena_put(page, 0, D(3 - page));
		arena_put(page, 1, S(page));
		arena_put(page, 2, page < 3 ? I(page + 1) : DONE);
	}
	assert_int_equal(list_runs(I(0), arena_bias(), &small, runs, 4, &count, &why), KX_OK);
	assert_int_equal(count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_last_entry_of_page),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_longest_honest_list),
	};

	return cmocka_run_group_tests(tests, arena_make, arena_free);
}
