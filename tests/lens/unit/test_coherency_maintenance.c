// SPDX-License-Identifier: MIT
/*
 * Each finding about the upkeep of caches and tables, and about the barriers that complete it,
 * provoked by a short run of events, and its correct twin, which is silent.
 */
#include "coherency_scene.h"

#define ROOT	 (RAM_BASE + 0x30000)
#define TABLE	 (RAM_BASE + 0x31000)
#define OLD_PAGE (RAM_BASE + 0x40000)
#define NEW_PAGE (RAM_BASE + 0x41000)
#define UART	 0x09000000ull

#define DESC_PAGE  3ull
#define DESC_TABLE 3ull
#define DESC_BLOCK 1ull
#define DESC_AF	   (1ull << 10)
#define DESC_RO	   (2ull << 6)
#define DESC_UC	   (1ull << 2) /* another MAIR index */

/* --- Barriers --- */

static void maintenance_incomplete(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	barrier(OP_DMB, DOMAIN_SYSTEM, ORDER_ALL);
	load(MMU_OFF, DATA);
	finds("maintenance-incomplete");
}

/* What DC IVAC has not thrown away yet may be written back over the store. */
static void store_past_an_incomplete_invalidation(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_IVAC, DATA);
	store(MMU_OFF, DATA);
	finds("maintenance-incomplete");

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_IVAC, DATA);
	dsb();
	store(MMU_OFF, DATA);
	load(MMU_OFF, DATA);
	silent();
}

static void a_dsb_of_stores_or_loads_completes_no_maintenance(void **unused)
{
	(void)unused;
	for (enum event_order order = ORDER_STORES; order <= ORDER_LOADS; order++) {
		start(CTR_A72);
		store(MAPPED, DATA);
		op(OP_DC_CVAC, DATA);
		barrier(OP_DSB, DOMAIN_SYSTEM, order);
		load(MMU_OFF, DATA);
		finds("maintenance-incomplete");
	}
}

static void other_cpus_need_a_shareable_dsb(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	barrier(OP_DSB, DOMAIN_NONSHAREABLE, ORDER_ALL);
	cpu = 1;
	load(MMU_OFF, DATA);
	finds("maintenance-incomplete");

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	barrier(OP_DSB, DOMAIN_NONSHAREABLE, ORDER_ALL);
	load(MMU_OFF, DATA);
	silent();

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	barrier(OP_DSB, DOMAIN_INNER, ORDER_ALL);
	cpu = 1;
	load(MMU_OFF, DATA);
	silent();

	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CVAC, DATA);
	cpu = 1;
	dsb(); /* not theirs to complete */
	load(MMU_OFF, DATA);
	finds("maintenance-incomplete");
}

static void a_store_must_not_overtake_a_clean(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_CIVAC, DATA);
	store(MMU_OFF, DATA);
	finds("maintenance-incomplete");
}

static void an_invalidation_must_be_complete(void **unused)
{
	(void)unused;
	start(CTR_A72);
	load(MAPPED, DATA);
	store(MMU_OFF, DATA);
	op(OP_DC_IVAC, DATA);
	load(MAPPED, DATA);
	finds("maintenance-incomplete");
}

/* --- Caches --- */

static void cmo_outside_ram(void **unused)
{
	(void)unused;
	start(CTR_A72);
	op(OP_DC_CIVAC, UART);
	finds("cmo-outside-ram");
}

static void set_way(void **unused)
{
	(void)unused;
	start(CTR_A72);
	store(MAPPED, DATA);
	op(OP_DC_SETWAY, RAM_BASE);
	dsb();
	load(MMU_OFF, DATA);
	finds("set-way");
}

static void zva_on_device(void **unused)
{
	(void)unused;
	start(CTR_A72);
	op_as(OP_DC_ZVA, MMU_OFF, DATA);
	finds("zva-on-device");

	start(CTR_A72);
	op(OP_DC_ZVA, DATA);
	silent();
}

/* --- Tables --- */

static void walk_as(uint64_t pa, unsigned int level, enum event_type type)
{
	coherency_walk(judge, &(struct event_walk){.cpu = cpu,
						   .pc = OTHER_PC,
						   .pa = pa,
						   .descriptor = ram[(pa - RAM_BASE) / 8],
						   .level = level,
						   .type = type,
						   .ram = true});
}

static void walk(uint64_t pa, unsigned int level)
{
	walk_as(pa, level, TYPE_WRITEBACK);
}

static void set_as(int how, uint64_t pa, uint64_t descriptor)
{
	ram[(pa - RAM_BASE) / 8] = descriptor;
	store(how, pa);
}

static void set(uint64_t pa, uint64_t descriptor)
{
	set_as(MAPPED, pa, descriptor);
}

static void table_linked_too_early(void **unused)
{
	(void)unused;
	start(CTR_A72);
	walk(ROOT, 2);
	set(TABLE, 0);
	set(ROOT + 8, TABLE | DESC_TABLE);
	finds("table-not-visible");

	start(CTR_A72);
	walk(ROOT, 2);
	set(TABLE, 0);
	barrier(OP_DSB, DOMAIN_INNER, ORDER_LOADS);
	set(ROOT + 8, TABLE | DESC_TABLE);
	finds("table-not-visible");

	for (enum event_order order = ORDER_ALL; order <= ORDER_STORES; order++) {
		start(CTR_A72);
		walk(ROOT, 2);
		set(TABLE, 0);
		barrier(OP_DMB, DOMAIN_INNER, order);
		set(ROOT + 8, TABLE | DESC_TABLE);
		silent();
	}
}

static void tables_not_in_use_may_be_filled_in_any_order(void **unused)
{
	(void)unused;
	start(CTR_A72);
	set(TABLE, 0);
	set(ROOT + 8, TABLE | DESC_TABLE);
	dsb();
	walk(ROOT + 8, 2);
	walk(TABLE, 3);
	silent();
}

static void a_mapped_page_is_no_table(void **unused)
{
	(void)unused;
	start(CTR_A72);
	walk(TABLE, 3);
	set(NEW_PAGE, 0);
	set(TABLE + 8, NEW_PAGE | DESC_PAGE);
	silent();
}

static void an_uncached_walker(void **unused)
{
	(void)unused;
	start(CTR_A72);
	set(TABLE, OLD_PAGE | DESC_PAGE);
	dsb();
	walk_as(TABLE, 3, TYPE_NONCACHEABLE);
	finds("table-not-visible");

	start(CTR_A72);
	set(TABLE, OLD_PAGE | DESC_PAGE);
	op(OP_DC_CVAC, TABLE);
	dsb();
	walk_as(TABLE, 3, TYPE_NONCACHEABLE);
	silent();
}

static void a_walker_reads_stale_lines(void **unused)
{
	(void)unused;
	start(CTR_A72);
	load(MAPPED, TABLE);
	store(MMU_OFF, TABLE);
	walk(TABLE, 3);
	finds("cached-read-stale");
}

static void live_entry(uint64_t descriptor)
{
	start(CTR_A72);
	set(TABLE, descriptor);
	dsb();
	walk(TABLE, 3);
}

static void flush(void)
{
	dsb();
	op(OP_TLBI, RAM_BASE);
	dsb();
}

static void live_entry_changed(void **unused)
{
	(void)unused;
	live_entry(OLD_PAGE | DESC_PAGE);
	set(TABLE, NEW_PAGE | DESC_PAGE);
	finds("live-entry-changed");

	live_entry(OLD_PAGE | DESC_PAGE);
	set(TABLE, 0);
	flush();
	set(TABLE, NEW_PAGE | DESC_PAGE);
	silent();
}

static void broken_but_not_flushed(void **unused)
{
	(void)unused;
	live_entry(OLD_PAGE | DESC_PAGE);
	set(TABLE, 0);
	dsb();
	set(TABLE, NEW_PAGE | DESC_PAGE);
	finds("live-entry-changed");

	live_entry(OLD_PAGE | DESC_PAGE);
	set(TABLE, 0);
	dsb();
	op(OP_TLBI, RAM_BASE);
	set(TABLE, NEW_PAGE | DESC_PAGE); /* before the TLBI is complete */
	finds("live-entry-changed");
}

static void attributes_need_a_break_and_permissions_none(void **unused)
{
	(void)unused;
	live_entry(OLD_PAGE | DESC_PAGE);
	set(TABLE, OLD_PAGE | DESC_PAGE | DESC_UC);
	finds("live-entry-changed");

	live_entry(OLD_PAGE | DESC_PAGE | DESC_AF);
	set(TABLE, OLD_PAGE | DESC_PAGE | DESC_AF | DESC_RO);
	silent();
}

static void a_block_becomes_a_table(void **unused)
{
	(void)unused;
	start(CTR_A72);
	set(ROOT, RAM_BASE | DESC_BLOCK);
	dsb();
	walk(ROOT, 2);
	set(ROOT, TABLE | DESC_TABLE);
	finds("live-entry-changed");
}

/* A table that was flushed may be given away and hold anything. */
static void former_tables_are_only_memory(void **unused)
{
	(void)unused;
	live_entry(OLD_PAGE | DESC_PAGE);
	flush();
	set(TABLE, NEW_PAGE | DESC_PAGE);
	silent();

	start(CTR_A72);
	walk(TABLE, 2);
	flush();
	set(NEW_PAGE, 0);
	set(TABLE, NEW_PAGE | DESC_PAGE); /* of level 3 now */
	silent();
}

/* As a relocator does that writes with the MMU off over the tables it came with. */
static void nobody_walks_with_the_mmu_off(void **unused)
{
	(void)unused;
	live_entry(OLD_PAGE | DESC_PAGE);
	turn_mmu(0, false);
	turn_mmu(1, false);
	set_as(MMU_OFF, TABLE, NEW_PAGE | DESC_PAGE);
	silent();

	live_entry(OLD_PAGE | DESC_PAGE);
	turn_mmu(0, false); /* and CPU 1 walks still */
	set_as(MMU_OFF, TABLE, NEW_PAGE | DESC_PAGE);
	finds("live-entry-changed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maintenance_incomplete),
		cmocka_unit_test(store_past_an_incomplete_invalidation),
		cmocka_unit_test(a_dsb_of_stores_or_loads_completes_no_maintenance),
		cmocka_unit_test(other_cpus_need_a_shareable_dsb),
		cmocka_unit_test(a_store_must_not_overtake_a_clean),
		cmocka_unit_test(an_invalidation_must_be_complete),
		cmocka_unit_test(cmo_outside_ram),
		cmocka_unit_test(set_way),
		cmocka_unit_test(zva_on_device),
		cmocka_unit_test(table_linked_too_early),
		cmocka_unit_test(tables_not_in_use_may_be_filled_in_any_order),
		cmocka_unit_test(a_mapped_page_is_no_table),
		cmocka_unit_test(an_uncached_walker),
		cmocka_unit_test(a_walker_reads_stale_lines),
		cmocka_unit_test(live_entry_changed),
		cmocka_unit_test(broken_but_not_flushed),
		cmocka_unit_test(attributes_need_a_break_and_permissions_none),
		cmocka_unit_test(a_block_becomes_a_table),
		cmocka_unit_test(former_tables_are_only_memory),
		cmocka_unit_test(nobody_walks_with_the_mmu_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
