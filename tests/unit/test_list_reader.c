/* SPDX-License-Identifier: MIT */
/* Entry lists read entry by entry, to their end, which there always is. */
#include "list_arena.h"

/* Reads a list that lies in page 0 and looks whether it comes out as wanted. */
static void check_entries(const uint64_t *list, size_t length, const struct list_entry *want,
			  size_t count)
{
	struct list_reader reader;
	struct kx_refusal why;

	for (size_t i = 0; i < length; i++)
		arena_put(0, i, list[i]);
	list_open(&reader, I(0), arena_bias(), &ram);
	for (size_t i = 0; i < count; i++) {
		struct list_entry entry = list_next(&reader, &why);

		assert_int_equal(entry.flag, want[i].flag);
		if (!entry.flag)
			return;
		assert_int_equal(entry.address, want[i].address);
		assert_int_equal(entry.length, want[i].length);
		if (entry.flag == KX_LIST_SOURCE)
			assert_int_equal(entry.destination, want[i].destination);
	}
	assert_int_equal(list_next(&reader, &why).flag, 0);
	assert_int_equal(why.error, KX_E_LIST_END);
}

static void test_entries(void **state)
{
	static const struct list_entry want[] = {
		{P(0), PAGE, 0, KX_LIST_INDIRECTION}, {P(9), PAGE, 0, KX_LIST_DESTINATION},
		{P(5), PAGE, P(9), KX_LIST_SOURCE},   {P(7), PAGE, P(10), KX_LIST_SOURCE},
		{0, PAGE, 0, KX_LIST_DONE},
	};
	static const uint64_t list[] = {D(9), S(5), S(7), DONE, S(8)};

	(void)state;
	check_entries(list, 5, want, 5);
}

/* Sources that follow each other come together, but for the first in another range of RAM than the
 * last one, or the first that goes to another: there the range is looked for. */
static void test_sources_together(void **state)
{
	static const struct list_entry want[] = {
		{P(0), PAGE, 0, KX_LIST_INDIRECTION},
		{P(9), PAGE, 0, KX_LIST_DESTINATION},
		{P(5), PAGE, P(9), KX_LIST_SOURCE},
		{P(6), 2 * PAGE, P(10), KX_LIST_SOURCE},
		{P(1), PAGE, P(12), KX_LIST_SOURCE},
		{P(46), PAGE, 0, KX_LIST_DESTINATION},
		{P(38), PAGE, P(46), KX_LIST_SOURCE},
		{P(39), PAGE, P(47), KX_LIST_SOURCE},
		{P(HOLE_START), 0, 0, 0},
	};
	static const uint64_t list[] = {D(9),  S(5),  S(6),  S(7),	   S(1),
					D(46), S(38), S(39), S(HOLE_START)};

	(void)state;
	check_entries(list, 9, want, 9);
}

/* Also where it is the destinations that come to the end of RAM. */
static void test_destination_leaves_ram(void **state)
{
	static const struct list_entry want[] = {
		{P(0), PAGE, 0, KX_LIST_INDIRECTION},
		{P(HOLE_START - 2), PAGE, 0, KX_LIST_DESTINATION},
		{P(5), PAGE, P(HOLE_START - 2), KX_LIST_SOURCE},
		{P(6), PAGE, P(HOLE_START - 1), KX_LIST_SOURCE},
		{P(7), 0, 0, 0},
	};
	static const uint64_t list[] = {D(HOLE_START - 2), S(5), S(6), S(7)};

	(void)state;
	check_entries(list, 4, want, 5);
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
	struct kx_refusal why;
	size_t entries = 0;

	list_open(&reader, head, arena_bias(), &ram);
	while (list_next(&reader, &why).flag)
		assert_true(++entries <= 3 * RAM_PAGES + 8);
	assert_int_equal(why.error, KX_E_LIST_END);
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
		cmocka_unit_test(test_sources_together),
		cmocka_unit_test(test_destination_leaves_ram),
		cmocka_unit_test(test_last_entry_of_page),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_longest_honest_list),
	};

	return cmocka_run_group_tests(tests, arena_make, arena_free);
}
