/* SPDX-License-Identifier: MIT */
/* Entry lists as runs, or what they are refused for. */
#include "list_arena.h"

static enum kx_error read_runs(uint64_t head, size_t *count, struct kx_refusal *why)
{
	return list_runs(head, arena_bias(), &ram, runs, MAX_RUNS, count, why);
}

#define VECTOR_ENTRIES 10

/* Lists whose pages are 0, 1 and 2 of the arena. */
static const struct vector {
	const char *name;
	uint64_t head;
	uint64_t pages[3][VECTOR_ENTRIES];
	size_t count;
	struct run runs[4];
	enum kx_error error;
	uint64_t start; /* of the refusal */
} vectors[] = {
	{.name = "done alone", .head = DONE},
	{.name = "done with an address", .head = P(50) | KX_LIST_DONE},
	{.name = "indirection to done", .head = I(0), .pages = {{DONE}}},
	{.name = "one page",
	 .head = I(0),
	 .pages = {{D(9), S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "neighbours merge",
	 .head = I(0),
	 .pages = {{D(9), S(5), S(6), S(7), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 3)}},
	{.name = "a repeated destination entry does not split",
	 .head = I(0),
	 .pages = {{D(9), S(5), D(10), S(6), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 2)}},
	{.name = "sources descend",
	 .head = I(0),
	 .pages = {{D(9), S(6), S(5), DONE}},
	 .count = 2,
	 .runs = {COPY(6, 9, 1), COPY(5, 10, 1)}},
	{.name = "same source twice",
	 .head = I(0),
	 .pages = {{D(9), S(6), S(6), DONE}},
	 .count = 2,
	 .runs = {COPY(6, 9, 1), COPY(6, 10, 1)}},
	{.name = "destinations jump, sources go on",
	 .head = I(0),
	 .pages = {{D(9), S(5), D(12), S(6), DONE}},
	 .count = 2,
	 .runs = {COPY(5, 9, 1), COPY(6, 12, 1)}},
	{.name = "in place",
	 .head = I(0),
	 .pages = {{D(9), S(9), S(10), DONE}},
	 .count = 1,
	 .runs = {STAY(9, 2)}},
	{.name = "in place between copies",
	 .head = I(0),
	 .pages = {{D(8), S(20), S(9), S(22), DONE}},
	 .count = 3,
	 .runs = {COPY(20, 8, 1), STAY(9, 1), COPY(22, 10, 1)}},
	{.name = "in the middle of a page on to the next",
	 .head = I(0),
	 .pages = {{D(9), S(5), I(1), 0xdead}, {S(6), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 2)}},
	{.name = "chain of indirections",
	 .head = I(2),
	 .pages = {{I(1)}, {D(9), S(5), DONE}, {I(0)}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "indirection to done after sources",
	 .head = I(0),
	 .pages = {{D(9), S(5), I(1)}, {DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "destination and its source in different pages",
	 .head = I(0),
	 .pages = {{D(9), I(1)}, {S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "idle destination out of RAM",
	 .head = I(0),
	 .pages = {{D(70), D(9), S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "up to the edges of RAM",
	 .head = I(0),
	 .pages = {{D(38), S(62), S(63), DONE}},
	 .count = 1,
	 .runs = {COPY(62, 38, 2)}},
	{.name = "top of the address space",
	 .head = I(0),
	 .pages = {{(TOP - 2 * PAGE) | KX_LIST_DESTINATION, S(5), S(6), DONE}},
	 .count = 1,
	 .runs = {{P(5), TOP - 2 * PAGE, 2 * PAGE, RUN_COPY}}},

	{.name = "no flag", .head = P(0), .error = KX_E_LIST_FLAG, .start = P(0)},
	{.name = "zero", .head = 0, .error = KX_E_LIST_FLAG, .start = 0},
	{.name = "two flags",
	 .head = I(0),
	 .pages = {{D(9) | KX_LIST_SOURCE}},
	 .error = KX_E_LIST_FLAG,
	 .start = D(9) | KX_LIST_SOURCE},
	{.name = "done and another",
	 .head = I(0),
	 .pages = {{DONE | KX_LIST_INDIRECTION}},
	 .error = KX_E_LIST_FLAG,
	 .start = DONE | KX_LIST_INDIRECTION},
	{.name = "unknown bit alone",
	 .head = I(0),
	 .pages = {{P(9) | 0x10}},
	 .error = KX_E_LIST_FLAG,
	 .start = P(9) | 0x10},
	{.name = "unknown bit beside a flag",
	 .head = I(0),
	 .pages = {{D(9), S(5) | 0x800}},
	 .error = KX_E_LIST_FLAG,
	 .start = S(5) | 0x800},
	{.name = "end of list forgotten",
	 .head = I(0),
	 .pages = {{D(9), S(5), 0}},
	 .error = KX_E_LIST_FLAG,
	 .start = 0},
	{.name = "list page in the hole",
	 .head = I(HOLE_START),
	 .error = KX_E_LIST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "list page beyond RAM",
	 .head = I(0),
	 .pages = {{I(ARENA_PAGES)}},
	 .error = KX_E_LIST_RANGE,
	 .start = P(ARENA_PAGES)},
	{.name = "list page at address 0",
	 .head = KX_LIST_INDIRECTION,
	 .error = KX_E_LIST_RANGE,
	 .start = 0},
	{.name = "list page last of all",
	 .head = TOP | KX_LIST_INDIRECTION,
	 .error = KX_E_LIST_RANGE,
	 .start = TOP},
	{.name = "head is a source", .head = S(5), .error = KX_E_LIST_ORDER, .start = P(5)},
	{.name = "source before destination",
	 .head = I(0),
	 .pages = {{S(5)}},
	 .error = KX_E_LIST_ORDER,
	 .start = P(5)},
	{.name = "head is a destination", .head = D(5), .error = KX_E_LIST_END},
	{.name = "source in the hole",
	 .head = I(0),
	 .pages = {{D(9), S(HOLE_END - 1)}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = P(HOLE_END - 1)},
	{.name = "sources run into the hole",
	 .head = I(0),
	 .pages = {{D(9), S(HOLE_START - 1), S(HOLE_START)}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = P(HOLE_START)},
	{.name = "sources run below RAM",
	 .head = I(0),
	 .pages = {{D(9), S(0), (P(0) - PAGE) | KX_LIST_SOURCE}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = P(0) - PAGE},
	{.name = "source last of all",
	 .head = I(0),
	 .pages = {{D(9), TOP | KX_LIST_SOURCE}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = TOP},
	{.name = "destination in the hole",
	 .head = I(0),
	 .pages = {{D(HOLE_START), S(5)}},
	 .error = KX_E_DEST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "destination runs into the hole",
	 .head = I(0),
	 .pages = {{D(HOLE_START - 1), S(5), S(6)}},
	 .error = KX_E_DEST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "destination runs off the address space",
	 .head = I(0),
	 .pages = {{(TOP - PAGE) | KX_LIST_DESTINATION, S(5), S(6)}},
	 .error = KX_E_DEST_RANGE,
	 .start = TOP},
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
		const struct vector *vector = &vectors[v];
		struct kx_refusal why = {0};
		size_t count = 0;

		print_message("%s\n", vector->name);
		for (size_t page = 0; page < 3; page++)
			for (size_t i = 0; i < VECTOR_ENTRIES; i++)
				arena_put(page, i, vector->pages[page][i]);
		assert_int_equal(read_runs(vector->head, &count, &why), vector->error);
		assert_int_equal(why.error, vector->error);
		if (vector->error) {
			assert_int_equal(why.start, vector->start);
			assert_non_null(why.what);
		} else {
			assert_runs(runs, count, vector->runs, vector->count);
		}
	}
}

/* RAM at address 0, and the list there. */
static void test_page_zero(void **state)
{
	static struct range at_zero[] = {{0, ARENA_PAGES * PAGE}};
	const struct range_set low = {at_zero, 1, 1};
	const struct run want = {0, 3 * PAGE, PAGE, RUN_COPY};
	struct kx_refusal why;
	size_t count;

	(void)state;
	arena_put(0, 0, 3 * PAGE | KX_LIST_DESTINATION);
	arena_put(0, 1, KX_LIST_SOURCE);
	arena_put(0, 2, DONE);
	assert_int_equal(
		list_runs(KX_LIST_INDIRECTION, (uintptr_t)arena, &low, runs, 1, &count, &why),
		KX_OK);
	assert_runs(runs, count, &want, 1);
}

static void test_room(void **state)
{
	struct kx_refusal why;
	size_t count;

	(void)state;
	arena_put(0, 0, D(9));
	arena_put(0, 1, S(5));
	arena_put(0, 2, S(7));
	arena_put(0, 3, S(8));
	arena_put(0, 4, DONE);
	assert_int_equal(list_runs(I(0), arena_bias(), &ram, runs, 2, &count, &why), KX_OK);
	assert_int_equal(count, 2);
	assert_int_equal(list_runs(I(0), arena_bias(), &ram, runs, 1, &count, &why), KX_E_NO_ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_page_zero),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, arena_make, arena_free);
}
