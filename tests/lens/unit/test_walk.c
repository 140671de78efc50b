/* SPDX-License-Identifier: MIT */
#include "../walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RAM_BASE 0x40000000ull
#define RAM_SIZE 0x80000ull
#define TABLE(n) (RAM_BASE + (n)*0x10000ull)

#define SCTLR_ON   0x1005ull /* M, C, I */
#define SCTLR_M	   0x0001ull
#define SCTLR_I	   0x1000ull
#define MAIR	   0x00bb44ff04ull /* Device, write-back, non-cacheable, write-through */
#define INDEX(n)   ((uint64_t)(n) << 2)
#define INNER	   (3ull << 8)
#define TABLE_BITS 3ull
#define PAGE_BITS  3ull
#define BLOCK_BITS 1ull
#define WALK_WB	   (1ull << 8 | 1ull << 10) /* IRGN0, ORGN0 */
#define TCR_DS	   (1ull << 59)
#define TG0_64K	   (1ull << 14)
#define TG0_16K	   (2ull << 14)
#define TG1_4K	   (2ull << 30)
#define T1SZ(n)	   ((uint64_t)(n) << 16)

struct scene {
	uint8_t bytes[RAM_SIZE];
	struct walk_ram ram;
	struct walk_tlb tlb;
	struct event_state state;
	struct walk_trace trace;
};

static int scene_new(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	s->ram = (struct walk_ram){s->bytes, RAM_BASE, RAM_SIZE};
	s->state = (struct event_state){
		.el = 1, .sctlr = SCTLR_ON, .mair = MAIR, .ttbr0 = TABLE(0), .ttbr1 = TABLE(4)};
	*state = s;
	return 0;
}

static int scene_free(void **state)
{
	free(*state);
	return 0;
}

static void put(struct scene *s, uint64_t table, uint64_t index, uint64_t descriptor)
{
	memcpy(s->bytes + (table - RAM_BASE) + index * 8, &descriptor, sizeof(descriptor));
}

static struct walk_result look(struct scene *s, uint64_t va)
{
	return walk(&s->state, &s->ram, va, ACCESS_LOAD, &s->trace);
}

static void mmu_off(void **state)
{
	struct scene *s = *state;
	struct walk_result r;

	s->state.sctlr = SCTLR_I;
	r = look(s, 0x12345);
	assert_int_equal(r.pa, 0x12345);
	assert_int_equal(r.type, TYPE_DEVICE);
	r = walk(&s->state, &s->ram, 0, ACCESS_FETCH, &s->trace);
	assert_int_equal(r.type, TYPE_WRITETHROUGH);
	s->state.sctlr = 0;
	r = walk(&s->state, &s->ram, 0, ACCESS_FETCH, &s->trace);
	assert_int_equal(r.type, TYPE_NONCACHEABLE);
	s->state.hcr = 1ull << 12; /* DC */
	assert_int_equal(look(s, 0).type, TYPE_WRITEBACK);
	s->state.el = 2;
	assert_int_equal(look(s, 0).type, TYPE_DEVICE);
}

static void pages_of_4k(void **state)
{
	struct scene *s = *state;
	struct walk_result r;

	s->state.tcr = 16 | WALK_WB; /* four levels */
	put(s, TABLE(0), 1, TABLE(1) | TABLE_BITS);
	put(s, TABLE(1), 2, TABLE(2) | TABLE_BITS);
	put(s, TABLE(2), 3, TABLE(3) | TABLE_BITS);
	put(s, TABLE(3), 4, 0x123456000 | INDEX(1) | INNER | PAGE_BITS);
	r = look(s, 1ull << 39 | 2ull << 30 | 3ull << 21 | 4ull << 12 | 0x789);
	assert_false(r.fault);
	assert_int_equal(r.pa, 0x123456789);
	assert_int_equal(r.type, TYPE_WRITEBACK);
	assert_int_equal(r.page_shift, 12);
	assert_true(r.inner_shareable);
	assert_int_equal(s->trace.count, 4);
	assert_int_equal(s->trace.type, TYPE_WRITEBACK);
	assert_int_equal(s->trace.steps[0].pa, TABLE(0) + 8);
	assert_int_equal(s->trace.steps[0].level, 0);
	assert_int_equal(s->trace.steps[3].pa, TABLE(3) + 32);
	assert_int_equal(s->trace.steps[3].level, 3);
	put(s, TABLE(3), 4, 0x123456000 | BLOCK_BITS); /* reserved at level 3 */
	assert_true(look(s, 1ull << 39 | 2ull << 30 | 3ull << 21 | 4ull << 12).fault);
}

static void blocks_and_types(void **state)
{
	static const enum event_type types[] = {TYPE_DEVICE, TYPE_WRITEBACK, TYPE_NONCACHEABLE,
						TYPE_WRITETHROUGH};
	struct scene *s = *state;

	s->state.tcr = 25; /* three levels */
	for (unsigned int i = 0; i < 4; i++) {
		put(s, TABLE(0), i, (uint64_t)i << 30 | INDEX(i) | BLOCK_BITS);
		assert_int_equal(look(s, ((uint64_t)i << 30) + 5).type, types[i]);
		assert_int_equal(look(s, ((uint64_t)i << 30) + 5).pa, ((uint64_t)i << 30) + 5);
	}
	assert_int_equal(look(s, 0).page_shift, 30);
	s->state.mair = 0xf4; /* of inner and outer, the lesser counts */
	assert_int_equal(look(s, 0).type, TYPE_NONCACHEABLE);
	s->state.mair = 0x4f;
	assert_int_equal(look(s, 0).type, TYPE_NONCACHEABLE);
	s->state.mair = MAIR;
	assert_int_equal(s->trace.type, TYPE_NONCACHEABLE);
	s->state.sctlr = SCTLR_M; /* caches off */
	assert_int_equal(look(s, 1ull << 30).type, TYPE_NONCACHEABLE);
	assert_int_equal(look(s, 0).type, TYPE_DEVICE);
}

static void upper_range(void **state)
{
	struct scene *s = *state;
	uint64_t va = ~0ull << 39 | 5ull << 30 | 0x1234;

	s->state.tcr = 25 | T1SZ(25) | TG1_4K;
	put(s, TABLE(4), 5, 0x80000000 | INDEX(1) | BLOCK_BITS);
	assert_int_equal(look(s, va).pa, 0x80001234);
	assert_true(look(s, va & ~(1ull << 45)).fault); /* neither range */
	s->state.el = 2;				/* without E2H there is no upper range */
	assert_true(look(s, va).fault);
	s->state.e2h = true;
	assert_int_equal(look(s, va).pa, 0x80001234);
}

static void other_granules(void **state)
{
	struct scene *s = *state;
	struct walk_result r;

	s->state.tcr = 22 | TG0_64K; /* 42 bits: levels 2 and 3 */
	put(s, TABLE(0), 1, TABLE(1) | TABLE_BITS);
	put(s, TABLE(1), 2, 0x12340000 | 5ull << 12 | INDEX(1) | PAGE_BITS); /* bits 51:48 */
	r = look(s, 1ull << 29 | 2 << 16 | 0x4321);
	assert_int_equal(r.pa, 5ull << 48 | 0x12344321);
	assert_int_equal(r.page_shift, 16);
	assert_int_equal(s->trace.steps[0].level, 2);

	s->state.tcr = 28 | TG0_16K; /* 36 bits: levels 2 and 3 */
	put(s, TABLE(0), 3, TABLE(2) | TABLE_BITS);
	put(s, TABLE(2), 4, 0x5678c000 | INDEX(1) | PAGE_BITS);
	r = look(s, 3ull << 25 | 4 << 14 | 0x1000);
	assert_int_equal(r.pa, 0x5678d000);
	assert_int_equal(r.page_shift, 14);
}

static void five_levels(void **state)
{
	struct scene *s = *state;
	struct walk_result r;

	s->state.tcr = 12 | TCR_DS | INNER << 4; /* SH0 in TCR */
	put(s, TABLE(0), 1, TABLE(1) | TABLE_BITS);
	put(s, TABLE(1), 0, TABLE(2) | TABLE_BITS);
	put(s, TABLE(2), 0, 0x40000000 | 2ull << 8 | INDEX(1) | BLOCK_BITS); /* bits 51:50 */
	r = look(s, 1ull << 48 | 0x123);
	assert_false(r.fault);
	assert_int_equal(r.pa, 2ull << 50 | 0x40000123);
	assert_true(r.inner_shareable);
}

/* Tables outside RAM, or pointing back to themselves, end in a fault or in a result. */
static void broken_tables(void **state)
{
	struct scene *s = *state;

	s->state.tcr = 16;
	assert_true(look(s, 0).fault);
	put(s, TABLE(0), 0, 0xdead000000 | TABLE_BITS);
	assert_true(look(s, 0).fault);
	put(s, TABLE(0), 0, TABLE(0) | TABLE_BITS);
	assert_int_equal(look(s, 0).pa, TABLE(0));
	s->state.ttbr0 = ~0ull;
	assert_true(look(s, 0).fault);
	s->state.tcr = 63;
	assert_true(look(s, 0).fault);
}

/* A TLB keeps what it knows until it is flushed, by registers' values. */
static void tlb_remembers(void **state)
{
	struct scene *s = *state;
	struct walk_result r;
	uint64_t va = 1ull << 30 | 0x3456;

	s->state.tcr = 25;
	put(s, TABLE(0), 1, 0x40000000 | INDEX(1) | BLOCK_BITS);
	walk_tlb_context(&s->tlb, &s->state);
	r = walk_cached(&s->tlb, &s->state, &s->ram, va, ACCESS_LOAD, &s->trace);
	assert_int_equal(r.pa, 0x40003456);
	assert_int_equal(s->trace.count, 1);
	put(s, TABLE(0), 1, 0x80000000 | INDEX(1) | BLOCK_BITS);
	r = walk_cached(&s->tlb, &s->state, &s->ram, va + 1, ACCESS_LOAD, &s->trace);
	assert_int_equal(r.pa, 0x40003457);
	assert_int_equal(s->trace.count, 0);
	s->state.ttbr0 = TABLE(1);
	walk_tlb_context(&s->tlb, &s->state);
	assert_true(walk_cached(&s->tlb, &s->state, &s->ram, va, ACCESS_LOAD, &s->trace).fault);
	s->state.ttbr0 = TABLE(0);
	walk_tlb_context(&s->tlb, &s->state);
	walk_tlb_flush(&s->tlb);
	r = walk_cached(&s->tlb, &s->state, &s->ram, va, ACCESS_LOAD, &s->trace);
	assert_int_equal(r.pa, 0x80003456);
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, scene_new, scene_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(mmu_off),	   SCENE_TEST(pages_of_4k),    SCENE_TEST(blocks_and_types),
		SCENE_TEST(upper_range),   SCENE_TEST(other_granules), SCENE_TEST(five_levels),
		SCENE_TEST(broken_tables), SCENE_TEST(tlb_remembers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
