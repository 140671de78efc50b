/* SPDX-License-Identifier: MIT */
/* Properties that any profile's clock must have, on one that is easy to reckon with. */
#include "../time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../profile.h"

#define BASE	 0x40000000ull
#define MANY	 4096 /* lines; larger than the caches below */
#define NS	 1000ull
#define CHASE	 3 /* register */
#define DRAM_NS	 100
#define READ_GBS 6.4 /* 10 lines in 100 ns */

static const struct profile machine = {
	.clock_ghz = 2,
	.ipc = 2,
	.l1d = {16, 4, 1},
	.l2 = {64, 8, 10},
	.dram_ns = DRAM_NS,
	.dram_gbs = 20,
	.lines = 15,
	.stream_lines = 10,
	.write_gbs = 10,
	.write_stream_after = 3,
	.device_ns = 150,
	.noncacheable_lines = 4,
	.tlb_entries = 64,
	.walk_ns = 20,
	.clean_ns = 5,
	.clean_lines = 4,
	.icache_line_ns = 5,
	.icache_all_ns = 100,
	.tlbi_ns = 50,
	.dsb_ns = 10,
	.dmb_ns = 2,
	.isb_ns = 8,
};

static struct event_access access_of(enum event_kind kind, uint64_t pa, uint32_t size)
{
	return (struct event_access){
		.va = pa,
		.pa = pa,
		.size = size,
		.kind = kind,
		.type = TYPE_WRITEBACK,
		.ram = true,
		.mmu_on = true,
		.page_shift = 30,
		.base = EVENT_NO_REGISTER,
		.data = {EVENT_NO_REGISTER, EVENT_NO_REGISTER},
	};
}

static void op_on(struct time_model *m, enum event_op_kind kind, uint64_t pa, enum event_type type)
{
	struct event_op event = {
		.kind = kind, .pa = pa, .va = pa, .ram = true, .type = type, .size = 64};

	time_op(m, &event);
}

static void op(struct time_model *m, enum event_op_kind kind, uint64_t pa)
{
	op_on(m, kind, pa, TYPE_WRITEBACK);
}

/* ns that count lines took, all of each line in pairs of registers, and what they left. */
static uint64_t stream(struct time_model *m, enum event_kind kind, uint64_t from,
		       unsigned int lines, enum event_type type, unsigned int cpu)
{
	uint64_t start = time_now_ps(m, cpu);

	for (uint64_t at = from; at < from + lines * 64ull; at += 16) {
		struct event_access a = access_of(kind, at, 16);

		a.type = type;
		a.cpu = cpu;
		a.data[0] = 4;
		time_access(m, &a);
	}
	return (time_now_ps(m, cpu) - start) / NS;
}

/* ns a step of loads that each need the one before; the order is no sequence. */
static uint64_t chase(struct time_model *m, unsigned int lines, unsigned int steps)
{
	uint64_t start = time_now_ps(m, 0);

	for (unsigned int i = 0, at = 0; i < steps; i++) {
		struct event_access a = access_of(ACCESS_LOAD, BASE + at * 64ull, 8);

		a.base = CHASE;
		a.data[0] = CHASE;
		time_access(m, &a);
		at = (at * 1664525u + 1013904223u) % lines;
	}
	return (time_now_ps(m, 0) - start) / steps / NS;
}

static bool near(uint64_t value, double wanted)
{
	return value > wanted * 0.95 && value < wanted * 1.05;
}

static struct time_model *model_of(struct profile profile)
{
	struct time_model *m = time_new(&profile, 2);

	assert_non_null(m);
	return m;
}

static void instructions_cost_issue_time(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	time_instructions(m, 0, 4000);
	assert_int_equal(time_now_ps(m, 0), 1000 * NS);
	for (int i = 0; i < 4000; i++)
		time_instructions(m, 0, 1);
	assert_int_equal(time_now_ps(m, 0), 2000 * NS);
	time_free(m);
}

static void chases_see_latency(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	chase(m, 128, 4096);
	assert_int_equal(chase(m, 128, 4096), 1); /* 8 KiB */
	chase(m, 512, 4096);
	assert_in_range(chase(m, 512, 4096), 7, 10); /* 32 KiB, some of it in L1 */
	assert_true(near(chase(m, 1 << 20, 4096), DRAM_NS));
	time_free(m);
}

static void streams_see_lines_in_flight(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t ns = stream(m, ACCESS_LOAD, BASE, MANY, TYPE_WRITEBACK, 0);

	(void)state;
	assert_true(near(ns, MANY * 64 / READ_GBS));
	time_free(m);
}

static void in_order_cores_need_the_prefetcher(void **state)
{
	struct profile p = machine;
	struct time_model *m;
	uint64_t with, without;

	(void)state;
	p.in_order = 1;
	for (int i = 0; i < 2; i++) {
		p.stream_lines = i ? 1 : 10;
		m = model_of(p);
		for (uint64_t at = BASE; at < BASE + MANY * 64; at += 16) {
			struct event_access load = access_of(ACCESS_LOAD, at, 16);
			struct event_access store = access_of(ACCESS_STORE, BASE, 16);

			load.data[0] = 4;
			store.data[0] = 4;
			time_access(m, &load);
			time_access(m, &store);
		}
		*(i ? &without : &with) = time_now_ps(m, 0) / NS;
		time_free(m);
	}
	assert_true(near(with, MANY * 64 / READ_GBS));
	assert_true(without > 5 * with);
}

static void prfm_uses_all_line_buffers(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t start = time_now_ps(m, 0);

	(void)state;
	for (uint64_t at = BASE; at < BASE + MANY * 64; at += 64)
		op(m, OP_PRFM, at);
	assert_true(near((time_now_ps(m, 0) - start) / NS, MANY * 64 / READ_GBS * 10 / 15));
	time_free(m);
}

static void second_pass_hits(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	stream(m, ACCESS_LOAD, BASE, 128, TYPE_WRITEBACK, 0);
	op(m, OP_DSB, 0);
	assert_int_equal(stream(m, ACCESS_LOAD, BASE, 128, TYPE_WRITEBACK, 0), 0);
	assert_int_equal(time_counts(m, 0)->dram_reads, 128 + 10); /* and what was read ahead */
	time_free(m);
}

static void whole_lines_are_not_read(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t ns = stream(m, ACCESS_STORE, BASE, MANY, TYPE_WRITEBACK, 0);

	(void)state;
	assert_true(near(ns, MANY * 64 / 10.0));
	assert_true(time_counts(m, 0)->dram_reads <= 3);
	assert_true(time_counts(m, 0)->streamed >= MANY - 3);
	time_free(m);
}

static void parts_of_lines_are(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	for (uint64_t at = BASE; at < BASE + MANY * 64; at += 64) {
		struct event_access a = access_of(ACCESS_STORE, at, 16);

		time_access(m, &a);
	}
	assert_true(time_counts(m, 0)->dram_reads >= MANY - 1);
	assert_int_equal(time_counts(m, 0)->streamed, 0);
	time_free(m);
}

/* Stores to a line wait in the gathering buffer while a prefetch brings it into L1. */
static void gathered_lines_meet_prefetched_ones(void **state)
{
	struct time_model *m = model_of(machine);
	struct event_access a = access_of(ACCESS_STORE, BASE, 16);

	(void)state;
	time_access(m, &a);
	op(m, OP_PRFM, BASE);
	op(m, OP_DSB, 0);
	assert_int_equal(time_counts(m, 0)->l1_misses, 1);
	op(m, OP_DC_CIVAC, BASE);
	assert_int_equal(time_counts(m, 0)->dram_writes, 1);
	op(m, OP_DC_CIVAC, BASE);
	assert_int_equal(time_counts(m, 0)->dram_writes, 1);
	time_free(m);
}

/* DC ZVA on memory that is not cached leaves the caches as they are, and what is replaced next. */
static void uncached_zeroes_pass_caches(void **state)
{
	struct time_model *m = model_of(machine);
	const uint64_t way = 4096; /* of L1: 16 KiB in 4 */

	(void)state;
	for (enum event_type type = TYPE_DEVICE; type <= TYPE_NONCACHEABLE; type++) {
		uint64_t first = BASE + (type + 1) * 16 * way, misses;

		for (unsigned int i = 0; i < 4; i++)
			op(m, OP_PRFM, first + i * way);
		op_on(m, OP_DC_ZVA, first, type);
		op(m, OP_PRFM, first + 4 * way);
		misses = time_counts(m, 0)->l1_misses;
		op(m, OP_PRFM, first + way);
		assert_int_equal(time_counts(m, 0)->l1_misses, misses);
		op(m, OP_PRFM, first);
		assert_int_equal(time_counts(m, 0)->l1_misses, misses + 1);
	}
	time_free(m);
}

static void device_is_one_round_trip_each(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	assert_int_equal(stream(m, ACCESS_LOAD, BASE, 16, TYPE_DEVICE, 0),
			 20 + 64 * 150); /* a walk */
	assert_int_equal(stream(m, ACCESS_STORE, BASE, 16, TYPE_DEVICE, 0), 64 * 150);
	time_free(m);
}

static void noncacheable_lies_between(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t cached = stream(m, ACCESS_LOAD, BASE, 256, TYPE_WRITEBACK, 0);
	uint64_t noncacheable = stream(m, ACCESS_LOAD, BASE, 256, TYPE_NONCACHEABLE, 0);
	uint64_t device = stream(m, ACCESS_LOAD, BASE, 256, TYPE_DEVICE, 0);

	(void)state;
	assert_true(cached < noncacheable && noncacheable < device);
	assert_true(near(noncacheable, 1024 * DRAM_NS / 4));
	time_free(m);
}

/* A few are under way while the core goes on; more come one by one; a DSB waits for the last. */
static void cleaning_goes_along(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		op(m, OP_DC_CVAC, BASE + i * 64);
		assert_int_equal(time_now_ps(m, 0), i < 4 ? 0 : (4 * 5 + (i - 4) * 5) * NS);
	}
	op(m, OP_DSB, BASE);
	assert_int_equal(time_now_ps(m, 0), (4 * 5 + 99 * 5 + 10) * NS);
	time_free(m);
}

/* Dirty lines cost a write when they are cleaned, once. */
static void cleaning(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t writes;

	(void)state;
	for (uint64_t at = BASE; at < BASE + 64 * 64; at += 64) {
		struct event_access a = access_of(ACCESS_STORE, at, 8);

		time_access(m, &a);
	}
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t at = BASE; at < BASE + 64 * 64; at += 64)
			op(m, OP_DC_CVAC, at);
		op(m, OP_DSB, 0);
		if (!pass)
			writes = time_counts(m, 0)->dram_writes;
	}
	assert_int_equal(writes, 64);
	assert_int_equal(time_counts(m, 0)->dram_writes, 64);
	op(m, OP_DC_CIVAC, BASE);
	writes = time_counts(m, 0)->dram_reads;
	stream(m, ACCESS_LOAD, BASE, 1, TYPE_WRITEBACK, 0);
	assert_int_equal(time_counts(m, 0)->dram_reads, writes + 1);
	time_free(m);
}

static void dsb_waits(void **state)
{
	struct time_model *m = model_of(machine);
	uint64_t start;

	(void)state;
	stream(m, ACCESS_LOAD, BASE, 1, TYPE_WRITEBACK, 0);
	start = time_now_ps(m, 0);
	op(m, OP_DSB, 0);
	assert_in_range((time_now_ps(m, 0) - start) / NS, DRAM_NS, DRAM_NS + 20);
	start = time_now_ps(m, 0);
	op(m, OP_DSB, 0);
	assert_int_equal(time_now_ps(m, 0) - start, 10 * NS);
	stream(m, ACCESS_STORE, BASE, MANY, TYPE_WRITEBACK, 0);
	start = time_now_ps(m, 0);
	op(m, OP_DSB, 0); /* for as much as write buffers hold */
	assert_true(time_now_ps(m, 0) - start > 80 * NS);
	time_free(m);
}

/* Two cores that stream get no more than there is; one of them alone is not held up. */
static void bandwidth_is_shared(void **state)
{
	struct profile p = machine;
	struct time_model *m;
	uint64_t ns;

	(void)state;
	p.dram_gbs = READ_GBS;
	m = model_of(p);
	ns = stream(m, ACCESS_LOAD, BASE, MANY, TYPE_WRITEBACK, 0);
	assert_true(near(ns, MANY * 64 / READ_GBS));
	time_free(m);
	m = model_of(p);
	for (unsigned int i = 0; i < MANY; i += 16) {
		stream(m, ACCESS_LOAD, BASE + i * 64ull, 16, TYPE_WRITEBACK, 0);
		stream(m, ACCESS_LOAD, BASE + (MANY + i) * 64ull, 16, TYPE_WRITEBACK, 1);
	}
	assert_true(near(time_now_ps(m, 0) / NS, 2 * MANY * 64 / READ_GBS));
	assert_true(near(time_now_ps(m, 1) / NS, 2 * MANY * 64 / READ_GBS));
	time_free(m);
}

static void walks_once_a_page(void **state)
{
	struct time_model *m = model_of(machine);

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t at = BASE; at < BASE + 32 * 4096; at += 512) {
			struct event_access a = access_of(ACCESS_LOAD, at, 8);

			a.page_shift = 12;
			time_access(m, &a);
		}
		assert_int_equal(time_counts(m, 0)->walks, 32);
	}
	op(m, OP_TLBI, 0);
	for (int pass = 0; pass < 2; pass++) {
		struct event_access a = access_of(ACCESS_LOAD, BASE + 31 * 4096, 8);

		a.page_shift = 12;
		time_access(m, &a);
		assert_int_equal(time_counts(m, 0)->walks, 33);
	}
	time_free(m);
}

/* Whatever happens, clocks do not go back, and the same events give the same time. */
static void random_events(void **state)
{
	uint64_t ends[2];

	(void)state;
	for (int run = 0; run < 2; run++) {
		struct time_model *m = model_of(machine);
		uint64_t seed = 1, last = 0;

		for (int i = 0; i < 100000; i++) {
			struct event_access a;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			a = access_of(seed >> 60 & 1, BASE + (seed >> 33) % 0x400000,
				      1 + (seed >> 20) % 64);
			a.type = (enum event_type)(seed >> 58 & 3);
			a.base = seed >> 50 & 31;
			a.data[0] = seed >> 40 & 63;
			if (seed >> 62)
				time_access(m, &a);
			else
				op(m, (enum event_op_kind)(seed % (OP_PRFM + 1)), a.pa);
			assert_true(time_now_ps(m, 0) >= last);
			last = time_now_ps(m, 0);
		}
		ends[run] = last;
		time_free(m);
	}
	assert_int_equal(ends[0], ends[1]);
}

/* --- Profiles ------------------------------------------------------------------------------- */

static int read_text(char *text, struct profile *profile, char *error, size_t size)
{
	FILE *file = fmemopen(text, strlen(text), "r");
	int result = profile_read(profile, file, error, size);

	fclose(file);
	return result;
}

static void profiles_say_their_sources(void **state)
{
	struct profile p;
	char error[64];
	char sourceless[] = "ipc 2\n", unknown[] = "speed 2 # assumed\n",
	     one[] = "ipc 2 # assumed\n";
	char twice[] = "ipc 2 # assumed\nipc 3 # assumed\n";

	(void)state;
	assert_int_equal(read_text(sourceless, &p, error, sizeof(error)), -1);
	assert_non_null(strstr(error, "ipc: not"));
	assert_int_equal(read_text(unknown, &p, error, sizeof(error)), -1);
	assert_non_null(strstr(error, "speed: no such"));
	assert_int_equal(read_text(twice, &p, error, sizeof(error)), -1);
	assert_non_null(strstr(error, "ipc: given twice"));
	assert_int_equal(read_text(one, &p, error, sizeof(error)), -1);
	assert_non_null(strstr(error, "clock_ghz: missing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_cost_issue_time),
		cmocka_unit_test(chases_see_latency),
		cmocka_unit_test(streams_see_lines_in_flight),
		cmocka_unit_test(in_order_cores_need_the_prefetcher),
		cmocka_unit_test(prfm_uses_all_line_buffers),
		cmocka_unit_test(second_pass_hits),
		cmocka_unit_test(whole_lines_are_not_read),
		cmocka_unit_test(parts_of_lines_are),
		cmocka_unit_test(gathered_lines_meet_prefetched_ones),
		cmocka_unit_test(uncached_zeroes_pass_caches),
		cmocka_unit_test(device_is_one_round_trip_each),
		cmocka_unit_test(noncacheable_lies_between),
		cmocka_unit_test(cleaning),
		cmocka_unit_test(cleaning_goes_along),
		cmocka_unit_test(dsb_waits),
		cmocka_unit_test(bandwidth_is_shared),
		cmocka_unit_test(walks_once_a_page),
		cmocka_unit_test(random_events),
		cmocka_unit_test(profiles_say_their_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
