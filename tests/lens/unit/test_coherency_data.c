// SPDX-License-Identifier: MIT
/*
 * Each finding of the data side, provoked by a short run of events, and its correct twin, which is
 * silent.
 */
#include "coherency_scene.h"

#define HCR_VM (1ull << 0)

static void uncached_read_dirty(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	load(MMU_OFF, DATA);
	finds("uncached-read-dirty");

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	dsb();
	load(MMU_OFF, DATA);
	silent();
}

static void a_clean_to_pou_leaves_it_dirty(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAU, DATA);
	dsb();
	load(MMU_OFF, DATA);
	finds("uncached-read-dirty");
}

static void a_clean_of_the_next_line_is_no_help(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA + 64);
	dsb();
	load(MMU_OFF, DATA);
	finds("uncached-read-dirty");
}

static void neighbours_in_a_line_are_told_apart(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	load(MMU_OFF, DATA + 8);
	silent();

	start(CTR_A72);
	store(MAPPED, DATA + 60); /* and 4 bytes of the next line */
	load(MMU_OFF, DATA + 64);
	finds("uncached-read-dirty");
}

static void the_store_is_named(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	load(MMU_OFF, DATA);
	fflush(log_file);
	assert_non_null(strstr(text, "pc=0x40080040 va=0x40010000 pa=0x40010000 "
				     "cause=0xffff800008001234"));
	stop();
}

static void repetitions_are_counted(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	for (int i = 0; i < 3; i++)
		load(MMU_OFF, DATA);
	assert_int_equal(report_kinds(report), 1);
	assert_int_equal(report_total(report), 3);
	report_finish(report);
	assert_non_null(strstr(text, "uncached-read-dirty pc=0x40080040 3 times"));
	stop();
}

static void zeroing_is_a_store(void **unused)
{
	(void)unused;
	start(CTR_A72);
	op(OP_DC_ZVA, DATA);
	load(MMU_OFF, DATA + 32);
	finds("uncached-read-dirty");

	start(CTR_A72);
	op(OP_DC_ZVA, DATA);
	load(MMU_OFF, DATA + 64);
	silent();
}

static void cached_read_stale(void **unused)
{
	(void)unused;
	start(CTR_A72);
	load(MAPPED, DATA);
	store(MMU_OFF, DATA);
	load(MAPPED, DATA);
	finds("cached-read-stale");

	start(CTR_A72);
	load(MAPPED, DATA);
	store(MMU_OFF, DATA);
	op_as(OP_DC_IVAC, MMU_OFF, DATA);
	dsb();
	load(MAPPED, DATA);
	silent();
}

/* The mapping that the invalidation goes through lets the line come back. */
static void invalidating_before_is_enough_with_the_mmu_off_only(void **unused)
{
	(void)unused;
	start(CTR_A72);
	load(MAPPED, DATA);
	op(OP_DC_CIVAC, DATA);
	dsb();
	store(MMU_OFF, DATA);
	load(MAPPED, DATA);
	finds("cached-read-stale");

	start(CTR_A72);
	load(MAPPED, DATA);
	op_as(OP_DC_CIVAC, MMU_OFF, DATA);
	dsb();
	store(MMU_OFF, DATA);
	load(MAPPED, DATA);
	silent();
}

static void a_prefetch_caches(void **unused)
{
	(void)unused;
	start(CTR_A72);
	op(OP_PRFM, DATA);
	store(MMU_OFF, DATA);
	load(MAPPED, DATA);
	finds("cached-read-stale");

	start(CTR_A72);
	op_as(OP_PRFM, MMU_OFF, DATA);
	store(MMU_OFF, DATA);
	load(MAPPED, DATA);
	silent();
}

static void ivac_loses_data(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_IVAC, DATA);
	dsb();
	load(MAPPED, DATA);
	finds("ivac-loses-data");

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CIVAC, DATA);
	dsb();
	load(MAPPED, DATA);
	silent();
}

/* As Linux before 5.16 does for the pages it copies to. */
static void ivac_before_overwriting_loses_nothing(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op_as(OP_DC_IVAC, MMU_OFF, DATA);
	dsb();
	store(MMU_OFF, DATA);
	load(MMU_OFF, DATA);
	load(MAPPED, DATA);
	silent();

	start(CTR_A72);
	store(MAPPED, DATA);
	store(MAPPED, DATA + 8);
	op_as(OP_DC_IVAC, MMU_OFF, DATA);
	dsb();
	store(MMU_OFF, DATA);
	load(MMU_OFF, DATA + 8);
	finds("ivac-loses-data");
}

static void a_hypervisor_makes_ivac_clean(void **unused)
{
	struct event_state state = {.el = 1, .sctlr = SCTLR_C | SCTLR_M, .hcr = HCR_VM};

	(void)unused;
	start(CTR_A72);
	coherency_state(judge, 0, &state);
	store(MAPPED, DATA);
	op(OP_DC_IVAC, DATA);
	dsb();
	load(MMU_OFF, DATA);
	silent();
}

static void mismatched_attributes(void **unused)
{
	(void)unused;
	start(CTR_A72);
	load(MAPPED, DATA);
	load(UNCACHED, DATA);
	finds("mismatched-attributes");

	start(CTR_A72);
	load(MAPPED, DATA);
	op(OP_DC_CIVAC, DATA);
	dsb();
	load(UNCACHED, DATA);
	silent();
}

static void caches_off_are_no_second_mapping(void **unused)
{
	struct event_state state = {.el = 1, .sctlr = SCTLR_M};

	(void)unused;
	start(CTR_A72);
	load(MAPPED, DATA);
	coherency_state(judge, 0, &state);
	load(UNCACHED, DATA);
	silent();

	start(CTR_A72);
	load(MAPPED, DATA);
	load(MMU_OFF, DATA);
	silent();
}

static void exclusive(int how, uint64_t pa)
{
	coherency_access(
		judge, &(struct event_access){.cpu = 0,
					      .pc = OTHER_PC,
					      .va = pa,
					      .pa = pa,
					      .size = 8,
					      .kind = ACCESS_LOAD,
					      .type = how == MAPPED ? TYPE_WRITEBACK : TYPE_DEVICE,
					      .mmu_on = how != MMU_OFF,
					      .exclusive = true,
					      .ram = true});
}

static void exclusive_on_device(void **unused)
{
	(void)unused;
	start(CTR_A72);
	exclusive(MMU_OFF, DATA);
	finds("exclusive-on-device");

	start(CTR_A72);
	exclusive(MAPPED, DATA);
	silent();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncached_read_dirty),
		cmocka_unit_test(a_clean_to_pou_leaves_it_dirty),
		cmocka_unit_test(a_clean_of_the_next_line_is_no_help),
		cmocka_unit_test(neighbours_in_a_line_are_told_apart),
		cmocka_unit_test(the_store_is_named),
		cmocka_unit_test(repetitions_are_counted),
		cmocka_unit_test(zeroing_is_a_store),
		cmocka_unit_test(cached_read_stale),
		cmocka_unit_test(invalidating_before_is_enough_with_the_mmu_off_only),
		cmocka_unit_test(a_prefetch_caches),
		cmocka_unit_test(ivac_loses_data),
		cmocka_unit_test(ivac_before_overwriting_loses_nothing),
		cmocka_unit_test(a_hypervisor_makes_ivac_clean),
		cmocka_unit_test(mismatched_attributes),
		cmocka_unit_test(caches_off_are_no_second_mapping),
		cmocka_unit_test(exclusive_on_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
