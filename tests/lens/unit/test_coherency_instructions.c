// SPDX-License-Identifier: MIT
/*
 * Each finding of the instruction side, provoked by a short run of events, and its correct twin,
 * which is silent.
 */
#include "coherency_scene.h"

#define CODE (RAM_BASE + 0x20000)

#define CTR_IDC (CTR_A72 | 1ull << 28)
#define CTR_DIC (CTR_A72 | 3ull << 28)

static void make_visible(enum event_op_kind clean)
{
	store(MAPPED, CODE);
	op(clean, CODE);
	dsb();
	op(OP_IC_IVAU, CODE);
	dsb();
	isb();
}

static void fetch_dirty(void **unused)
{
	(void)unused;
	start(CTR_A72);
	make_visible(OP_DC_CVAU);
	fetch(MMU_OFF, CODE);
	finds("fetch-dirty");

	start(CTR_A72);
	make_visible(OP_DC_CVAC);
	fetch(MMU_OFF, CODE);
	silent();
}

static void fetch_stale(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");

	start(CTR_A72);
	make_visible(OP_DC_CVAU);
	fetch(MAPPED, CODE);
	silent();
}

static void stale_too_with_the_mmu_off(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MMU_OFF, CODE);
	dsb();
	isb();
	fetch(MMU_OFF, CODE);
	finds("fetch-stale");

	start(CTR_A72);
	store(MMU_OFF, CODE);
	dsb();
	op(OP_IC_IALLU, RAM_BASE);
	dsb();
	isb();
	fetch(MMU_OFF, CODE);
	silent();
}

static void cleaned_after_the_invalidation(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	dsb();
	op(OP_IC_IVAU, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");

	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	op(OP_IC_IVAU, CODE); /* no DSB between them */
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");

	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	op(OP_IC_IALLU, RAM_BASE); /* no DSB between them */
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");
}

static void not_cleaned_at_all(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	dsb();
	op(OP_IC_IALLU, RAM_BASE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");
}

static void an_ic_needs_dsb_and_isb(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IVAU, CODE);
	isb();
	fetch(MAPPED, CODE);
	finds("maintenance-incomplete");

	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IVAU, CODE);
	dsb();
	fetch(MAPPED, CODE);
	finds("isb-missing");

	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IALLU, RAM_BASE);
	isb();
	dsb();
	fetch(MAPPED, CODE);
	finds("isb-missing");
}

/* Code that was visible before it does not depend on a later invalidation. */
static void a_later_ic_takes_nothing_away(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IALLU, RAM_BASE);
	dsb();
	isb();
	op(OP_IC_IALLU, RAM_BASE);
	fetch(MAPPED, CODE);
	op(OP_DC_CVAC, CODE);
	op(OP_IC_IVAU, CODE);
	fetch(MAPPED, CODE);
	silent();

	start(CTR_A72);
	make_visible(OP_DC_CVAU);
	op(OP_IC_IVAU, CODE);
	fetch(MAPPED, CODE);
	silent();
}

static void idc_spares_the_clean(void **unused)
{
	(void)unused;
	start(CTR_IDC);
	store(MAPPED, CODE);
	barrier(OP_DSB, DOMAIN_INNER, ORDER_STORES);
	op(OP_IC_IVAU, CODE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	silent();

	start(CTR_IDC);
	store(MAPPED, CODE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");
}

static void dic_spares_the_invalidation(void **unused)
{
	(void)unused;
	start(CTR_DIC);
	store(MAPPED, CODE);
	barrier(OP_DSB, DOMAIN_INNER, ORDER_STORES);
	isb();
	fetch(MAPPED, CODE);
	silent();

	start(CTR_DIC);
	store(MAPPED, CODE);
	dsb();
	fetch(MAPPED, CODE);
	finds("isb-missing");

	start(CTR_DIC);
	store(MAPPED, CODE);
	dsb();
	isb();
	fetch(MMU_OFF, CODE);
	finds("fetch-dirty");
}

static void another_cpus_instruction_cache(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IALLU, RAM_BASE);
	dsb();
	isb();
	cpu = 1;
	fetch(MAPPED, CODE);
	finds("fetch-stale");

	start(CTR_A72);
	store(MAPPED, CODE);
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IALLUIS, RAM_BASE);
	dsb();
	cpu = 1;
	fetch(MAPPED, CODE);
	silent();
}

static void patch(void)
{
	start(CTR_A72);
	fetch(MAPPED, CODE);
	access_as(ACCESS_STORE, MAPPED, CODE, 4, STORE_PC);
}

/* Arm ARM B2.2.5: others may run a single instruction while it is replaced. */
static void patching_live_code(void **unused)
{
	(void)unused;
	patch();
	fetch(MAPPED, CODE);
	cpu = 1;
	fetch(MAPPED, CODE);
	silent();

	patch();
	isb();
	cpu = 1;
	fetch(MAPPED, CODE);
	silent();

	patch();
	isb();
	fetch(MAPPED, CODE);
	finds("fetch-stale");

	patch();
	op(OP_DC_CVAU, CODE);
	dsb();
	op(OP_IC_IVAU, CODE);
	dsb();
	isb();
	fetch(MAPPED, CODE);
	silent();
}

/* CODE's second instruction. */
static void patch_with(uint32_t instruction)
{
	patch();
	((uint32_t *)ram)[(CODE - RAM_BASE) / sizeof(instruction) + 1] = instruction;
	access_as(ACCESS_STORE, MAPPED, CODE + 4, 4, STORE_PC);
	isb();
	fetch(MAPPED, CODE);
}

static void run_alone_with(uint32_t instruction)
{
	start(CTR_A72);
	fetch(MAPPED, CODE);
	((uint32_t *)ram)[(CODE - RAM_BASE) / sizeof(instruction)] = instruction;
	access_as(ACCESS_STORE, MAPPED, CODE, 4, STORE_PC);
	isb();
	fetch(MAPPED, CODE);
}

/* The same CPU too, even synchronised, if it is one of B2.2.5's: Linux's jump labels in code that
 * patching runs. */
static void instructions_that_may_be_replaced_while_run(void **unused)
{
	static const uint32_t replaceable[] = {
		0x14000009 /* b */,   0x97fffb35 /* bl */,  0xd503201f /* nop */,
		0xd5033fdf /* isb */, 0xd4000001 /* svc */, 0xd4000002 /* hvc */,
		0xd4000003 /* smc */, 0xd4200000 /* brk */,
	};
	static const uint32_t others[] = {
		0xaa1e03e9 /* mov x9, x30 */, 0xd503203f /* yield */, 0xd5033f9f /* dsb */,
		0x54000280 /* b.eq */,	      0xd4400000 /* hlt */,   0x34000000 /* cbz */,
		0xd4a00001 /* dcps1 */,	      0xd65f03c0 /* ret */,
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(replaceable) / sizeof(replaceable[0]); i++) {
		run_alone_with(replaceable[i]);
		silent();
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		run_alone_with(others[i]);
		finds("fetch-stale");
	}
	patch_with(0xd503201f); /* beside another that was */
	finds("fetch-stale");
}

static void a_step_forgotten_is_found_once(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, CODE);
	store(MAPPED, CODE + 64);
	fetch(MAPPED, CODE);
	fetch(MAPPED, CODE + 64);
	assert_int_equal(report_total(report), 2);
	assert_int_equal(report_kinds(report), 1);
	access_as(ACCESS_STORE, MAPPED, CODE, 8, OTHER_PC);
	fetch(MAPPED, CODE);
	assert_int_equal(report_kinds(report), 2);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetch_dirty),
		cmocka_unit_test(fetch_stale),
		cmocka_unit_test(stale_too_with_the_mmu_off),
		cmocka_unit_test(cleaned_after_the_invalidation),
		cmocka_unit_test(not_cleaned_at_all),
		cmocka_unit_test(an_ic_needs_dsb_and_isb),
		cmocka_unit_test(a_later_ic_takes_nothing_away),
		cmocka_unit_test(idc_spares_the_clean),
		cmocka_unit_test(dic_spares_the_invalidation),
		cmocka_unit_test(another_cpus_instruction_cache),
		cmocka_unit_test(patching_live_code),
		cmocka_unit_test(instructions_that_may_be_replaced_while_run),
		cmocka_unit_test(a_step_forgotten_is_found_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
