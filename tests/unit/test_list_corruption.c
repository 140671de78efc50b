/* SPDX-License-Identifier: MIT */
/* Entry lists of any bytes: an error, or runs inside RAM. */
#include "list_arena.h"

/* A valid list in pages 0 to 7, all of whose pages are in the arena. */
static uint64_t arena_list(uint64_t *seed)
{
	struct list_page pages[8];
	struct list_writer writer;

	for (size_t i = 0; i < 8; i++)
		pages[i] = arena_page(i);
	list_writer_begin(&writer, pages, 8);
	for (size_t i = 0; i < 20; i++)
		list_write(&writer, P(random_below(seed, 20)), P(8 + random_below(seed, 20)),
			   1 + random_below(seed, 12));
	return list_writer_end(&writer);
}

static void check_in_ram(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i];

		assert_true(run->length && !(run->length % PAGE));
		assert_true(range_set_contains(&arena_ram, run->source, run->source + run->length));
		assert_true(range_set_contains(&arena_ram, run->destination,
					       run->destination + run->length));
	}
}

/* Whatever the list says: an error, or runs inside RAM. */
static void test_corruption(void **state)
{
	uint64_t seed = 3;
	size_t refused = 0;
	size_t rounds = 50000;

	(void)state;
	for (size_t round = 0; round < rounds; round++) {
		uint64_t head = arena_list(&seed);
		struct kx_refusal why = {0};
		size_t count;

		for (size_t n = 1 + random_below(&seed, 4); n > 0; n--)
			arena[random_below(&seed, 200 * sizeof(uint64_t))] ^=
				1u << random_below(&seed, 8);
		if (list_runs(head, arena_bias(), &arena_ram, runs, MAX_RUNS, &count, &why)) {
			assert_int_not_equal(why.error, KX_OK);
			refused++;
		} else {
			check_in_ram(count);
		}
	}
	assert_true(refused > rounds / 4 && refused < rounds);
}

static void test_noise(void **state)
{
	uint64_t seed = 4;
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (size_t round = 0; round < 20000; round++) {
		for (size_t i = 0; i < 64; i++)
			arena_put(0, i, P(random_below(&seed, 48)) | 1u << random_below(&seed, 4));
		if (!list_runs(I(0), arena_bias(), &arena_ram, runs, MAX_RUNS, &count, &why))
			check_in_ram(count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corruption),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, arena_make, arena_free);
}
