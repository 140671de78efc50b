/* SPDX-License-Identifier: MIT */
/* How many cores a move is worth, on machines of known speed. */
#include "kimage/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHUNK_KIB 256
#define GHZ	  1000000000ull

/* Rates in MiB/s; the counter counts nanoseconds. */
struct machine {
	uint64_t core;	 /* what one core moves */
	uint64_t memory; /* what all move together at most */
	unsigned int cores;
	uint64_t cost;
};

static uint64_t rate(const struct machine *m, unsigned int cores)
{
	return m->core * cores < m->memory ? m->core * cores : m->memory;
}

/* How many cores are at work in the end, for so many MiB. */
static unsigned int grow(const struct machine *m, uint64_t mib)
{
	struct team t = {.cores = 1, .max = m->cores, .cost = m->cost};
	size_t left = mib * 1024 / CHUNK_KIB;

	while (left >= team_window(&t)) {
		t.window_chunks = team_window(&t);
		t.window_ticks = t.window_chunks * CHUNK_KIB * GHZ / 1024 / rate(m, t.cores);
		left -= t.window_chunks;
		t.chunks_left = left;
		if (!team_grows(&t))
			break;
		t.before_chunks = t.window_chunks;
		t.before_ticks = t.window_ticks;
		t.cores = t.cores * 2 < m->cores ? t.cores * 2 : m->cores;
	}
	return t.cores;
}

static void test_machines(void **state)
{
	const struct machine server = {11000, 80000, 80, 100000};
	const struct machine four = {2500, 10000, 4, 100000};
	const struct machine two_saturate = {6000, 11000, 4, 50000};
	const struct machine saturated = {2600, 2600, 4, 50000};

	(void)state;
	assert_int_equal(grow(&server, 10), 1);
	assert_int_equal(grow(&server, 64), 8);
	assert_int_equal(grow(&server, 1024), 16); /* the last doubling brings nothing: no more */
	assert_int_equal(grow(&four, 64), 4);
	assert_int_equal(grow(&four, 1), 1);
	assert_int_equal(grow(&two_saturate, 64), 4);
	/* Where one core has all the bandwidth, one other is started to find that out. */
	assert_int_equal(grow(&saturated, 73), 2);
}

static void test_limits(void **state)
{
	struct team t = {.cores = 1,
			 .max = 2,
			 .chunks_left = 100,
			 .cost = 100,
			 .window_ticks = 40,
			 .window_chunks = 4};

	(void)state;
	assert_int_equal(team_window(&t), 4);
	assert_false(team_grows(&t)); /* 1000 ticks left: not more than ten times the cost */
	t.chunks_left = 101;
	assert_true(team_grows(&t));
	t.max = 1;
	assert_false(team_grows(&t));
	t.max = 4;
	t.cores = 2;
	t.before_chunks = 4;
	t.before_ticks = 50;
	assert_true(team_grows(&t)); /* exactly 5/4 */
	t.before_ticks = 49;
	assert_false(team_grows(&t));
	t.window_chunks = 0;
	assert_false(team_grows(&t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
