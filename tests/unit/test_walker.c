/* SPDX-License-Identifier: MIT */
/* The walker itself, on descriptors written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "walker.h"

/* TxSZ 43, 21-bit addresses, makes level 3 the root, so that one table is enough. */
static void walker_tells_faults(void **state)
{
	(void)state;
	static const struct {
		uint64_t descriptor;
		bool two_privileges;
		enum walk_kind kind;
	} cases[] = {
		{0, true, WALK_TRANSLATION_FAULT},
		{0x40000401, true, WALK_TRANSLATION_FAULT}, /* level 3, bits 0b01 */
		{0x40000403, true, WALK_MAPPED},
		{0x40000003, true, WALK_ACCESS_FLAG_FAULT},
		{0x100040000403, true, WALK_ADDRESS_SIZE_FAULT},
		{0x40000503, true, WALK_RESERVED},  /* SH 0b01 */
		{0x40000423, true, WALK_RESERVED},  /* NS */
		{0x40000403, false, WALK_RESERVED}, /* AP[1] clear */
		{0x40000443, false, WALK_MAPPED},
		{0x20000040000443, false, WALK_RESERVED}, /* PXN */
		{0x40000c43, false, WALK_RESERVED},	  /* nG */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t table[512] = {[3] = cases[i].descriptor};
		struct walker w = {.txsz = 43,
				   .pa_bits = 44,
				   .two_privileges = cases[i].two_privileges,
				   .ttbr = 0x8000,
				   .memory = table,
				   .memory_pa = 0x8000,
				   .memory_size = sizeof(table)};

		if (walker_walk(&w, 0x3123).kind != cases[i].kind)
			fail_msg("case %zu", i);
		assert_int_equal(walker_walk(&w, 0x203123).kind, WALK_TRANSLATION_FAULT);
		w.memory_size = 24;
		assert_int_equal(walker_walk(&w, 0x3123).kind, WALK_EXTERNAL_ABORT);
	}
}

static void walker_tells_permissions(void **state)
{
	(void)state;
	static const struct {
		uint64_t descriptor;
		bool two_privileges;
		const char *access; /* read, write, execute; the same of EL0 */
	} cases[] = {
		{0x403, true, "rwx--x"},
		{0x443, true, "rw-rwx"}, /* what EL0 may write, EL1 may not execute */
		{0x483, true, "r-x--x"},
		{0x4c3, true, "r-xr-x"},
		{0x20000000000403, true, "rw---x"},
		{0x40000000000483, true, "r-x---"},
		{0x443, false, "rwx---"},
		{0x4c3, false, "r-x---"},
		{0x40000000000443, false, "rw----"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t table[512] = {cases[i].descriptor};
		struct walker w = {.txsz = 43,
				   .pa_bits = 48,
				   .two_privileges = cases[i].two_privileges,
				   .memory = table,
				   .memory_size = sizeof(table)};
		struct walk walk = walker_walk(&w, 0);
		const char access[] = {walk.read ? 'r' : '-',
				       walk.write ? 'w' : '-',
				       walk.execute ? 'x' : '-',
				       walk.user_read ? 'r' : '-',
				       walk.user_write ? 'w' : '-',
				       walk.user_execute ? 'x' : '-',
				       '\0'};

		assert_string_equal(access, cases[i].access);
	}
}

/* One descriptor, at level 3 or as a block, in each form that addresses above 48 bits have. */
static void walker_tells_addresses(void **state)
{
	(void)state;
	static const struct {
		unsigned int granule, txsz, pa_bits;
		bool ds;
		uint64_t descriptor;
		enum walk_kind kind;
		uint64_t pa;
	} cases[] = {
		{14, 48, 48, false, 0x40004403, WALK_MAPPED, 0x40004123},
		{14, 48, 48, false, 0x40005403, WALK_RESERVED, 0},
		{14, 30, 48, false, 0x42000401, WALK_MAPPED, 0x42000123}, /* 32 MiB */
		{14, 30, 48, false, 0x41000401, WALK_RESERVED, 0},
		{14, 20, 48, false, 0x401, WALK_TRANSLATION_FAULT, 0}, /* no blocks at level 1 */
		{14, 20, 52, true, 0x401, WALK_MAPPED, 0x123},
		{14, 48, 52, true, 0x2000040004603, WALK_MAPPED, 0xa000040004123},
		{16, 47, 48, false, 0x40010403, WALK_MAPPED, 0x40010123},
		{16, 47, 48, false, 0x40015403, WALK_RESERVED, 0},
		{16, 47, 52, false, 0x40015403, WALK_MAPPED, 0x5000040010123},
		{16, 30, 52, false, 0x40005401, WALK_MAPPED, 0x5000040000123}, /* 512 MiB */
		{16, 30, 52, false, 0x1000040005401, WALK_RESERVED, 0},
		{16, 16, 48, false, 0x401, WALK_TRANSLATION_FAULT, 0},
		{12, 43, 52, true, 0x40000603, WALK_MAPPED, 0x8000040000123},
		{12, 43, 52, true, 0x3000040000503, WALK_MAPPED, 0x7000040000123},
		{12, 43, 48, false, 0x1000040000403, WALK_RESERVED, 0},
		{12, 16, 48, false, 0x401, WALK_TRANSLATION_FAULT, 0},
		{12, 16, 52, true, 0x401, WALK_MAPPED, 0x123}, /* 512 GiB */
		{12, 12, 52, true, 0x401, WALK_TRANSLATION_FAULT, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t table[1] = {cases[i].descriptor};
		struct walker w = {.granule = cases[i].granule,
				   .txsz = cases[i].txsz,
				   .pa_bits = cases[i].pa_bits,
				   .ds = cases[i].ds,
				   .two_privileges = true,
				   .memory = table,
				   .memory_size = sizeof(table)};
		struct walk walk = walker_walk(&w, 0x123);

		if (walk.kind != cases[i].kind || walk.pa != cases[i].pa)
			fail_msg("case %zu: kind %d, pa 0x%llx", i, walk.kind,
				 (unsigned long long)walk.pa);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walker_tells_faults),
		cmocka_unit_test(walker_tells_permissions),
		cmocka_unit_test(walker_tells_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
