/* SPDX-License-Identifier: MIT */
/* Whose turn it is, and what cores that take turns get of memory's bandwidth. */
#include "../schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../time.h"

enum { CPUS = 8 };

#define QUANTUM SCHEDULE_QUANTUM_PS

static void the_slowest_goes_first(void **state)
{
	struct schedule *s = schedule_new(3);

	(void)state;
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_arrive(s, 2, 5);
	schedule_arrive(s, 1, 7);
	schedule_arrive(s, 0, 7);
	assert_int_equal(schedule_next(s), 2);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_arrive(s, 2, 7 + QUANTUM);
	assert_int_equal(schedule_state(s, 2), SCHEDULE_RUNNING);
	schedule_arrive(s, 2, 8 + QUANTUM);
	assert_int_equal(schedule_next(s), 0); /* of two alike the first */
	schedule_leave(s, 0);
	assert_int_equal(schedule_next(s), 1);
	schedule_free(s);
}

static void nobody_waits_for_who_is_out(void **state)
{
	struct schedule *s = schedule_new(2);

	(void)state;
	schedule_arrive(s, 0, 0);
	assert_int_equal(schedule_next(s), 0);
	schedule_arrive(s, 0, 100 * QUANTUM);
	assert_int_equal(schedule_state(s, 0), SCHEDULE_RUNNING);
	schedule_arrive(s, 1, 0);
	schedule_arrive(s, 0, 100 * QUANTUM);
	assert_int_equal(schedule_next(s), 1);
	schedule_free(s);
}

/* CPU 0 broadcasts a TLBI; the others leave their blocks for it, then all come back. */
static void a_blocked_one_lets_each_run_a_block(void **state)
{
	struct schedule *s = schedule_new(3);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		schedule_arrive(s, i, 3 - i);
	assert_int_equal(schedule_next(s), 2);
	schedule_block(s, 2);
	assert_int_equal(schedule_next(s), 1);
	schedule_block(s, 1);
	assert_int_equal(schedule_next(s), 0);
	schedule_arrive(s, 0, 4); /* was not taken out: its one block is over all the same */
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_unblock(s, 1);
	schedule_arrive(s, 1, 3);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_unblock(s, 2);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_arrive(s, 2, 2);
	assert_int_equal(schedule_next(s), 2);
	schedule_free(s);
}

/* Who leaves last may find that nobody is blocked any more: it has no turn for it. */
static void owed_blocks_give_no_turn(void **state)
{
	struct schedule *s = schedule_new(2);

	(void)state;
	schedule_arrive(s, 0, 0);
	schedule_arrive(s, 1, 1);
	assert_int_equal(schedule_next(s), 0);
	schedule_block(s, 0);
	assert_int_equal(schedule_next(s), 1);
	schedule_unblock(s, 0);
	schedule_arrive(s, 0, 0);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_arrive(s, 1, 2);
	assert_int_equal(schedule_next(s), 0);
	schedule_free(s);
}

/* CPU 1 had something to run alone as well: CPU 0, back already or on its way, leaves again. */
static void one_after_the_other_is_blocked(void **state)
{
	(void)state;
	for (int back = 0; back < 2; back++) {
		struct schedule *s = schedule_new(2);

		schedule_arrive(s, 0, 0);
		schedule_arrive(s, 1, 0);
		assert_int_equal(schedule_next(s), 0);
		schedule_block(s, 0);
		assert_int_equal(schedule_next(s), 1);
		schedule_block(s, 1);
		schedule_unblock(s, 0);
		schedule_unblock(s, 1);
		if (back)
			schedule_arrive(s, 0, 0);
		schedule_block(s, 1);
		if (!back)
			schedule_arrive(s, 0, 0);
		assert_int_equal(schedule_next(s), 0);
		schedule_free(s);
	}
}

/* CPU 0 runs alone only when CPU 1, whose owed block claims the same, is known to be blocked; CPU 1
 * then only when the others have arrived, whichever of them the host lets arrive first. */
static void who_runs_alone_finds_all_blocked(void **state)
{
	struct schedule *s = schedule_new(3);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		schedule_arrive(s, i, i);
	assert_int_equal(schedule_next(s), 0);
	schedule_claim(s, 0);
	schedule_block(s, 0);
	assert_int_equal(schedule_next(s), 1);
	schedule_claim(s, 1);
	assert_false(schedule_may_return(s, 0));
	schedule_block(s, 1);
	assert_int_equal(schedule_next(s), 2);
	assert_false(schedule_may_return(s, 0));
	schedule_block(s, 2);
	assert_true(schedule_may_return(s, 0));
	assert_true(schedule_may_return(s, 2));
	schedule_unblock(s, 2);
	schedule_unblock(s, 0);
	assert_false(schedule_may_return(s, 1));
	schedule_arrive(s, 2, 2);
	assert_false(schedule_may_return(s, 1));
	schedule_arrive(s, 0, 3);
	assert_true(schedule_may_return(s, 1));
	schedule_unblock(s, 1);
	schedule_block(s, 1);
	assert_false(schedule_may_return(s, 1));
	assert_int_equal(schedule_next(s), 2);
	schedule_free(s);
}

/* Of two that claimed in owed blocks the one with the smaller clock is first. */
static void claims_have_an_order(void **state)
{
	struct schedule *s = schedule_new(3);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		schedule_arrive(s, i, 3 - i);
	for (unsigned int i = 3; i-- > 0;) {
		assert_int_equal(schedule_next(s), i);
		schedule_claim(s, i);
		schedule_block(s, i);
	}
	assert_true(schedule_may_return(s, 2));
	schedule_unblock(s, 2);
	assert_false(schedule_may_return(s, 0));
	assert_false(schedule_may_return(s, 1));
	schedule_arrive(s, 2, 4);
	assert_false(schedule_may_return(s, 0));
	assert_true(schedule_may_return(s, 1));
	schedule_free(s);
}

/* A CPU that wakes up just then is waited for as well. */
static void who_arrives_owes_too(void **state)
{
	struct schedule *s = schedule_new(2);

	(void)state;
	schedule_arrive(s, 0, 0);
	assert_int_equal(schedule_next(s), 0);
	schedule_block(s, 0);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_arrive(s, 1, 0);
	assert_int_equal(schedule_next(s), 1);
	schedule_block(s, 1);
	schedule_unblock(s, 0);
	schedule_leave(s, 1);
	schedule_arrive(s, 1, 0);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_free(s);
}

static void out_of_turn(void **state)
{
	struct schedule *s = schedule_new(2);

	(void)state;
	schedule_arrive(s, 0, 0);
	schedule_arrive(s, 1, 0);
	assert_int_equal(schedule_next(s), 0);
	schedule_force(s, 1);
	assert_int_equal(schedule_state(s, 1), SCHEDULE_RUNNING);
	schedule_leave(s, 0);
	assert_int_equal(schedule_next(s), SCHEDULE_NOBODY);
	schedule_free(s);
}

/* --- Bandwidth ------------------------------------------------------------------------------ */

#define BASE	   0x40000000ull
#define LINES	   20000 /* that each core loads */
#define CORE_GBS   6.4	 /* 10 lines in 100 ns */
#define MEMORY_GBS 25.6	 /* four cores */

static const struct profile machine = {
	.clock_ghz = 2,
	.ipc = 2,
	.l1d = {16, 4, 1},
	.l2 = {64, 8, 10},
	.dram_ns = 100,
	.dram_gbs = MEMORY_GBS,
	.lines = 10,
	.stream_lines = 10,
	.write_gbs = 10,
	.tlb_entries = 64,
};

static void load_line(struct time_model *m, unsigned int cpu, unsigned int line)
{
	struct event_access a = {
		.cpu = cpu,
		.pa = BASE + ((uint64_t)cpu * LINES + line) * TIME_LINE,
		.size = TIME_LINE,
		.kind = ACCESS_LOAD,
		.type = TYPE_WRITEBACK,
		.base = EVENT_NO_REGISTER,
		.data = {EVENT_NO_REGISTER, EVENT_NO_REGISTER},
	};

	time_access(m, &a);
}

/* GB/s that so many cores have together, each at its own addresses. */
static double together(unsigned int cores)
{
	struct time_model *m = time_new(&machine, cores);
	struct schedule *s = schedule_new(cores);
	unsigned int done[CPUS] = {0}, cpu;
	uint64_t end = 0;

	for (unsigned int i = 0; i < cores; i++)
		schedule_arrive(s, i, 0);
	while ((cpu = schedule_next(s)) != SCHEDULE_NOBODY) {
		while (schedule_state(s, cpu) == SCHEDULE_RUNNING && done[cpu] < LINES) {
			load_line(m, cpu, done[cpu]++);
			schedule_arrive(s, cpu, time_now_ps(m, cpu));
		}
		if (done[cpu] == LINES)
			schedule_leave(s, cpu);
	}
	for (unsigned int i = 0; i < cores; i++)
		end = time_now_ps(m, i) > end ? time_now_ps(m, i) : end;
	schedule_free(s);
	time_free(m);
	return cores * LINES * TIME_LINE * 1000.0 / end;
}

static void cores_add_up_until_memory_is_busy(void **state)
{
	(void)state;
	for (unsigned int cores = 1; cores <= CPUS; cores++) {
		double wanted = cores * CORE_GBS < MEMORY_GBS ? cores * CORE_GBS : MEMORY_GBS;
		double have = together(cores);

		print_message("%u cores: %.2f GB/s, wanted %.2f\n", cores, have, wanted);
		assert_true(have > wanted * 0.95 && have < wanted * 1.02);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_goes_first),
		cmocka_unit_test(nobody_waits_for_who_is_out),
		cmocka_unit_test(a_blocked_one_lets_each_run_a_block),
		cmocka_unit_test(owed_blocks_give_no_turn),
		cmocka_unit_test(one_after_the_other_is_blocked),
		cmocka_unit_test(who_runs_alone_finds_all_blocked),
		cmocka_unit_test(claims_have_an_order),
		cmocka_unit_test(who_arrives_owes_too),
		cmocka_unit_test(out_of_turn),
		cmocka_unit_test(cores_add_up_until_memory_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
