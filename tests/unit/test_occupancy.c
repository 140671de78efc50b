/* SPDX-License-Identifier: MIT */
/* Occupancy against a plain model, and at the sizes of real machines. */
#include "place/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define WORDS 4096 /* 262,144 bits */

/* The model: one cell a KiB, so that RAM and requests can lie askew to pages. */
#define CELL  KIB
#define CELLS 2048

struct model {
	bool ram[CELLS];
	bool taken[CELLS];
};

/* All of unit is in RAM and nothing of it is taken. */
static bool unit_is_free(const struct model *m, size_t unit, size_t cells)
{
	for (size_t i = unit * cells; i < (unit + 1) * cells; i++)
		if (i >= CELLS || !m->ram[i] || m->taken[i])
			return false;
	return true;
}

static bool model_is_free(const struct model *m, size_t from, size_t to, unsigned int unit_shift)
{
	size_t cells = (1ull << unit_shift) / CELL;

	for (size_t unit = from / cells; unit <= (to - 1) / cells; unit++)
		if (!unit_is_free(m, unit, cells))
			return false;
	return true;
}

/* Tries each cell in turn. Everything in cells. */
static size_t model_find(const struct model *m, unsigned int unit_shift, size_t size, size_t align,
			 size_t offset, struct range window)
{
	for (size_t at = window.start; at + size <= window.end && at + size <= CELLS; at++)
		if (at % align == offset % align && model_is_free(m, at, at + size, unit_shift))
			return at;
	return SIZE_MAX;
}

static void random_ram(struct model *m, struct range_set *set, uint64_t *seed)
{
	size_t cell = random_below(seed, 32);

	memset(m, 0, sizeof(*m));
	set->count = 0;
	while (cell < CELLS) {
		size_t length = 1 + random_below(seed, random_below(seed, 3) ? 40 : 700);
		size_t end = cell + length < CELLS ? cell + length : CELLS;

		if (!range_set_add(set, cell * CELL, end * CELL))
			break;
		memset(&m->ram[cell], true, end - cell);
		cell = end + 1 + random_below(seed, 60);
	}
}

static void random_take(struct occupancy *o, struct model *m, uint64_t *seed)
{
	size_t from = random_below(seed, CELLS);
	size_t length = random_below(seed, random_below(seed, 8) ? 12 : 300);
	size_t to = from + length < CELLS ? from + length : CELLS;

	memset(&m->taken[from], true, to - from);
	occupancy_take(o, from * CELL, to * CELL);
}

static void random_find(const struct occupancy *o, const struct model *m, uint64_t *seed)
{
	size_t size = 1 + random_below(seed, random_below(seed, 2) ? 8 : 120);
	size_t align = 1ull << random_below(seed, 9);
	size_t offset = random_below(seed, 2 * align);
	struct range window = {0, CELLS + 1};
	uint64_t at = 0;
	size_t want;
	bool found;

	if (random_below(seed, 2)) {
		window.start = random_below(seed, CELLS);
		window.end = window.start + random_below(seed, CELLS);
	}
	want = model_find(m, o->unit_shift, size, align, offset, window);
	found = occupancy_find(o, size * CELL, align * CELL, offset * CELL,
			       (struct range){window.start * CELL, window.end * CELL}, &at);
	if (found != (want != SIZE_MAX) || (found && at != want * CELL))
		fail_msg("seed %llx: size %zu, align %zu, offset %zu, unit %u: %s %llx, not %zx",
			 (unsigned long long)*seed, size, align, offset, o->unit_shift,
			 found ? "found" : "nothing", (unsigned long long)at / CELL, want);
}

static void test_random(void **state)
{
	static struct model m;
	struct range ranges[128];
	uint64_t bits[8];
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct range_set ram = {ranges, 0, 1 + random_below(&seed, 128)};
		struct occupancy o;

		random_ram(&m, &ram, &seed);
		if (!ram.count)
			continue;
		occupancy_init(&o, &ram, bits, 1 + random_below(&seed, 8));
		for (int step = 0; step < 30; step++) {
			random_find(&o, &m, &seed);
			random_take(&o, &m, &seed);
		}
	}
}

struct machine {
	const char *name;
	struct range ranges[3];
	size_t count;
	unsigned int unit_shift; /* with 262,144 bits */
};

static const struct machine machines[] = {
	{"1 GiB: still pages", {{0x40000000, 0x80000000}}, 1, 12},
	{"a page more", {{0x40000000, 0x80001000}}, 1, 13},
	{"1 GiB in two banks", {{0, 0x20000000}, {0x100000000, 0x120000000}}, 2, 12},
	{"1 TiB and holes",
	 {{GIB, 2 * GIB}, {TIB, TIB + 512 * GIB}, {8 * TIB, 8 * TIB + 511 * GIB}},
	 3,
	 22},
	{"all addresses", {{0, UINT64_MAX}}, 1, 46},
};

static void test_unit(void **state)
{
	static uint64_t bits[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		const struct machine *m = &machines[i];
		struct range ranges[3];
		struct range_set ram = {ranges, m->count, 3};
		struct occupancy o;

		memcpy(ranges, m->ranges, sizeof(ranges));
		occupancy_init(&o, &ram, bits, WORDS);
		if (o.unit_shift != m->unit_shift)
			print_error("%s\n", m->name);
		assert_int_equal(o.unit_shift, m->unit_shift);
		assert_true(o.bit_count <= WORDS * 64);
	}
}

/* Places in a second bank beyond a hole, with its own numbering. */
static void test_holes(void **state)
{
	static uint64_t bits[WORDS];
	struct range ranges[] = {{GIB, 2 * GIB}, {TIB, 2 * TIB}};
	struct range_set ram = {ranges, 2, 2};
	struct range everywhere = {0, UINT64_MAX};
	struct occupancy o;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	assert_true(occupancy_find(&o, GIB, 2 * MIB, 0, everywhere, &at));
	assert_int_equal(at, GIB);
	assert_true(occupancy_find(&o, GIB + 1, 2 * MIB, 0, everywhere, &at));
	assert_int_equal(at, TIB);

	occupancy_take(&o, 0, TIB + 700 * GIB);
	assert_true(occupancy_find(&o, 100 * MIB, 2 * MIB, 0x80000, everywhere, &at));
	assert_int_equal(at, TIB + 700 * GIB + 0x80000);
	assert_false(occupancy_find(&o, 324 * GIB + 1, 1, 0, everywhere, &at));
	assert_true(occupancy_find(&o, 324 * GIB, 1, 0, everywhere, &at));
	assert_false(occupancy_find(&o, TIB, TIB, 0, (struct range){2 * TIB, UINT64_MAX}, &at));
}

static void test_ends_of_address_space(void **state)
{
	uint64_t bits[4];
	struct range ranges[] = {{0, 16 * KIB}, {UINT64_MAX - 64 * KIB, UINT64_MAX}};
	struct range_set ram = {ranges, 2, 2};
	struct range everywhere = {0, UINT64_MAX};
	struct occupancy o;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, 4);
	assert_false(occupancy_find(&o, UINT64_MAX, 1, 0, everywhere, &at));
	assert_false(occupancy_find(&o, 0, 1, 0, everywhere, &at));
	assert_false(occupancy_find(&o, 20 * KIB, 1ull << 63, 0, everywhere, &at));
	assert_false(occupancy_find(&o, 20 * KIB, 1ull << 63, 1, everywhere, &at));
	assert_true(occupancy_find(&o, 16 * KIB, 1ull << 63, 0, everywhere, &at));
	assert_int_equal(at, 0);

	/* The page that would end at 2^64 is RAM in part, so is not used. */
	assert_true(occupancy_find(&o, 60 * KIB, 4 * KIB, 0, everywhere, &at));
	assert_int_equal(at, UINT64_MAX - 64 * KIB + 1);
	assert_false(occupancy_find(&o, 60 * KIB + 1, 4 * KIB, 0, everywhere, &at));

	occupancy_take(&o, 4 * KIB, 4 * KIB);
	occupancy_take(&o, 4 * KIB, 0);
	occupancy_take(&o, UINT64_MAX - 1, UINT64_MAX);
	assert_true(occupancy_find(&o, 16 * KIB, 4 * KIB, 0, everywhere, &at));
	assert_int_equal(at, 0);
	occupancy_take(&o, 0, UINT64_MAX);
	assert_false(occupancy_find(&o, 1, 1, 0, everywhere, &at));
}

/* The worst that a list can do to a search: every other page taken, in RAM of many ranges. Were the
 * search or the numbering quadratic, this would take minutes. */
static void test_fragments(void **state)
{
	enum { RANGES = 4096, PAGES = WORDS * 64 / RANGES };
	static uint64_t bits[WORDS];
	static struct range ranges[RANGES];
	struct range_set ram = {ranges, RANGES, RANGES};
	struct range everywhere = {0, UINT64_MAX};
	uint64_t last = RANGES * MIB + PAGES * 4 * KIB;
	struct occupancy o;
	uint64_t at;

	(void)state;
	for (uint64_t i = 0; i < RANGES; i++)
		ranges[i] = (struct range){(i + 1) * MIB, (i + 1) * MIB + PAGES * 4 * KIB};
	occupancy_init(&o, &ram, bits, WORDS);
	assert_int_equal(o.unit_shift, 12);

	for (uint64_t i = RANGES; i-- > 0;)
		for (uint64_t page = 0; page < PAGES; page += 2)
			occupancy_take(&o, ranges[i].start + page * 4 * KIB,
				       ranges[i].start + page * 4 * KIB + 1);
	for (int i = 0; i < 100; i++)
		assert_false(occupancy_find(&o, 4 * KIB + 1, 1, 0, everywhere, &at));
	assert_true(occupancy_find(&o, 4 * KIB, 64 * KIB, 60 * KIB, everywhere, &at));
	assert_int_equal(at, MIB + 60 * KIB);
	assert_true(
		occupancy_find(&o, 4 * KIB, 4 * KIB, 0, (struct range){last - 4 * KIB, last}, &at));
	assert_int_equal(at, last - 4 * KIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_unit),
		cmocka_unit_test(test_holes),	  cmocka_unit_test(test_ends_of_address_space),
		cmocka_unit_test(test_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
