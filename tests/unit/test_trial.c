/* SPDX-License-Identifier: MIT */
/* The fastest way is found, by samples of the same size, and none that takes no part is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kimage/trial.h"

#define ALL ((1u << TRIAL_WAYS) - 1)

/* Ticks for a byte, by way; a first round that is slower for all. */
static const uint64_t cost[TRIAL_WAYS] = {9, 4, 7, 3, 8, 5, 6, 10};

static uint64_t ticks(unsigned int way, unsigned int sample, uint64_t bytes)
{
	return bytes * (cost[way] + (sample < TRIAL_WAYS ? 20 : 0));
}

/* Runs it to its end in pieces of at most so many bytes. Returns the bytes that it took. */
static uint64_t run(struct trial *t, unsigned int ways, uint64_t piece)
{
	uint64_t done = 0;

	trial_init(t, ways);
	while (t->left) {
		uint64_t bytes = piece < t->left ? piece : t->left;

		assert_true(ways >> t->way & 1);
		trial_ran(t, bytes, ticks(t->way, t->next - 1, bytes));
		done += bytes;
	}
	return done;
}

static void the_fastest_wins(void **unused)
{
	struct trial t;

	(void)unused;
	assert_int_equal(run(&t, ALL, TRIAL_SAMPLE), TRIAL_ROUNDS * TRIAL_WAYS * TRIAL_SAMPLE);
	assert_int_equal(t.way, 3);
	run(&t, ALL & ~(1u << 3), TRIAL_SAMPLE);
	assert_int_equal(t.way, 1);
}

static void one_way_is_used(void **unused)
{
	struct trial t;

	(void)unused;
	for (unsigned int way = 0; way < TRIAL_WAYS; way++) {
		assert_int_equal(run(&t, 1u << way, TRIAL_SAMPLE), TRIAL_ROUNDS * TRIAL_SAMPLE);
		assert_int_equal(t.way, way);
	}
}

static void samples_may_come_in_pieces(void **unused)
{
	static const uint64_t pieces[] = {64, 4096, 4160, 50000};
	struct trial t;

	(void)unused;
	for (unsigned int i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		assert_int_equal(run(&t, ALL, pieces[i]), TRIAL_ROUNDS * TRIAL_WAYS * TRIAL_SAMPLE);
		assert_int_equal(t.way, 3);
	}
}

/* A sample that something has disturbed does not decide. */
static void the_best_round_counts(void **unused)
{
	struct trial t;

	(void)unused;
	trial_init(&t, 0x3);
	trial_ran(&t, TRIAL_SAMPLE, 100); /* way 0 */
	trial_ran(&t, TRIAL_SAMPLE, 900);
	trial_ran(&t, TRIAL_SAMPLE, 800);
	trial_ran(&t, TRIAL_SAMPLE, 200);
	assert_int_equal(t.left, 0);
	assert_int_equal(t.way, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fastest_wins),
		cmocka_unit_test(one_way_is_used),
		cmocka_unit_test(samples_may_come_in_pieces),
		cmocka_unit_test(the_best_round_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
