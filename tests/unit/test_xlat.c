/* SPDX-License-Identifier: MIT */
/* Transitional tables, read back by a walker that knows only the architecture. */
#include <arm64/descriptor.h>
#include <arm64/sysreg.h>

#include "random.h"
#include "walker.h"
#include "xlat_pool.h"

#define MAPS_MAX 10

/* A set of mappings and the address space that they are for. */
struct scenario {
	uint64_t number;
	struct xlat_geometry geometry;
	enum xlat_regime regime;
	bool upper;
	size_t count;
	struct xlat_mapping maps[MAPS_MAX];
};

static enum kx_error build(const struct scenario *s, struct xlat_pool *pool, struct xlat *x)
{
	struct kx_refusal why = {0};
	enum kx_error error = xlat_init(x, pool, s->geometry, s->regime, &why);

	/* Even ones first: the order must not matter. */
	for (size_t i = 0; i < s->count && !error; i += 2)
		error = xlat_map(x, &s->maps[i], &why);
	for (size_t i = 1; i < s->count && !error; i += 2)
		error = xlat_map(x, &s->maps[i], &why);
	assert_int_equal(error, why.error);
	return error;
}

static uint64_t page_size(const struct scenario *s)
{
	return 1ull << s->geometry.page_shift;
}

/* Bytes that the descriptors of one table stand for, each for so many. */
static uint64_t larger_block(const struct scenario *s, uint64_t block)
{
	return block * (page_size(s) / 8);
}

static struct walker walker_for(const struct scenario *s, const struct xlat *x)
{
	return (struct walker){
		.granule = s->geometry.page_shift,
		.txsz = 64 - s->geometry.va_bits,
		.pa_bits = s->geometry.pa_bits,
		.ds = s->geometry.lpa2,
		.sh = 3,
		.upper = s->upper,
		.two_privileges = s->regime == XLAT_EL1,
		.ttbr = TTBR_BADDR(x->root_pa),
		.mair = MAIR_VALUE,
		.memory = x->pool->tables,
		.memory_pa = x->pool->pa,
		.memory_size = x->pool->used * page_size(s),
	};
}

static uint64_t space_size(const struct scenario *s)
{
	return 1ull << s->geometry.va_bits;
}

static uint64_t space_base(const struct scenario *s)
{
	return s->upper ? -space_size(s) : 0;
}

static void require(bool holds, const struct scenario *s, uint64_t va, const char *what)
{
	if (!holds)
		fail_msg("scenario %llu, va 0x%llx: not so: %s", (unsigned long long)s->number,
			 (unsigned long long)va, what);
}

static const struct xlat_mapping *mapping_at(const struct scenario *s, uint64_t va)
{
	for (size_t i = 0; i < s->count; i++)
		if (va - s->maps[i].va < s->maps[i].size)
			return &s->maps[i];
	return NULL;
}

/* Arm ARM: what SH says of Device memory is ignored. */
static uint8_t expected_shareability(const struct scenario *s, enum xlat_prot prot)
{
	return prot == XLAT_DEVICE && !s->geometry.lpa2 ? 2 : 3;
}

static void check_access(const struct scenario *s, uint64_t va, enum xlat_prot prot,
			 const struct walk *walk)
{
	static const struct {
		bool write, execute;
		uint8_t memory;
	} expected[] = {
		[XLAT_CODE] = {false, true, 0xff},
		[XLAT_READ] = {false, false, 0xff},
		[XLAT_WRITE] = {true, false, 0xff},
		[XLAT_DEVICE] = {true, false, 0x04},
	};

	require(walk->read, s, va, "readable");
	require(walk->write == expected[prot].write, s, va, "writable as asked");
	require(walk->execute == expected[prot].execute, s, va, "executable as asked");
	require(!(walk->write && walk->execute), s, va, "not both writable and executable");
	require(!walk->user_read && !walk->user_write && !walk->user_execute, s, va, "not EL0's");
	require(walk->memory == expected[prot].memory, s, va, "memory type as asked");
	require(walk->shareability == expected_shareability(s, prot), s, va, "shareability");
	require(walk->global && !walk->contiguous, s, va, "global and not contiguous");
}

/* What va must translate to by the scenario. */
static void probe(const struct scenario *s, const struct walker *w, uint64_t va)
{
	const struct xlat_mapping *m = mapping_at(s, va);
	struct walk walk = walker_walk(w, va);

	if (!m) {
		require(walk.kind == WALK_TRANSLATION_FAULT, s, va, "translation fault");
		return;
	}
	require(walk.kind == WALK_MAPPED, s, va, "mapped");
	require(walk.pa == m->pa + (va - m->va), s, va, "right output address");
	check_access(s, va, m->prot, &walk);
}

static void probe_around(const struct scenario *s, const struct walker *w, uint64_t *random)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct xlat_mapping *m = &s->maps[i];

		probe(s, w, m->va - 1);
		probe(s, w, m->va);
		probe(s, w, m->va + random_below(random, m->size));
		probe(s, w, m->va + m->size - 1);
		probe(s, w, m->va + m->size);
		probe(s, w, m->va ^ 1ull << s->geometry.va_bits);
		probe(s, w, m->va ^ 1ull << 63);
	}
}

/* Whether the block or page at va could have been part of the next larger block. */
static bool could_be_larger(const struct scenario *s, const struct xlat_mapping *m, uint64_t va,
			    uint64_t span)
{
	uint64_t larger = larger_block(s, span);
	uint64_t offset = va / larger * larger - m->va;
	uint64_t largest = s->geometry.page_shift == 12	  ? GIB
			   : s->geometry.page_shift == 14 ? 32 * MIB
							  : 512 * MIB;

	return larger <= largest && (m->va - m->pa) % larger == 0 && offset < m->size &&
	       m->size - offset >= larger;
}

static uint64_t check_leaf(const struct scenario *s, uint64_t va, const struct walk *walk)
{
	const struct xlat_mapping *m = mapping_at(s, va);

	require(m && m->size - (va - m->va) >= walk->span, s, va, "nothing mapped beyond the sets");
	require(walk->pa == m->pa + (va - m->va), s, va, "right output address");
	require(!could_be_larger(s, m, va, walk->span), s, va, "largest block that fits");
	check_access(s, va, m->prot, walk);
	return walk->span;
}

/* Visits every descriptor that any address leads to. */
static void sweep(const struct scenario *s, const struct walker *w)
{
	uint64_t left = 0;
	struct walk walk;

	for (size_t i = 0; i < s->count; i++)
		left += s->maps[i].size;
	for (uint64_t offset = 0; offset < space_size(s); offset += walk.span) {
		uint64_t va = space_base(s) + offset;

		walk = walker_walk(w, va);
		require(walk.span != 0, s, va, "table within the pool");
		if (walk.kind == WALK_MAPPED)
			left -= check_leaf(s, va, &walk);
		else
			require(walk.kind == WALK_TRANSLATION_FAULT, s, va, "proper descriptor");
	}
	require(left == 0, s, 0, "every byte mapped");
}

static void check_too_small_a_pool(const struct scenario *s, size_t tables)
{
	struct xlat_pool pool = pool_new(tables, s->geometry, POOL_PA);
	size_t length = page_size(s) / 8;
	struct xlat x;

	pool.max = tables - 1;
	require(build(s, &pool, &x) == KX_E_TABLES, s, 0, "one table less is too few");
	require(pool.used == pool.max, s, 0, "all tables used");
	for (size_t i = pool.max * length; i < tables * length; i++)
		require(pool.tables[i] == GARBAGE, s, 0, "nothing written beyond the pool");
	free(pool.tables);
}

static void check_scenario(const struct scenario *s, uint64_t *random)
{
	size_t tables = xlat_count(s->maps, s->count, s->geometry);
	uint64_t room = (1ull << s->geometry.pa_bits) - TIB;
	struct xlat_pool pool = pool_new(tables, s->geometry,
					 random_below(random, room / page_size(s)) * page_size(s));
	struct xlat x;
	struct walker w;

	require(build(s, &pool, &x) == KX_OK, s, 0, "built with the tables counted");
	require(pool.used == tables, s, 0, "no table counted in vain");
	w = walker_for(s, &x);
	probe_around(s, &w, random);
	sweep(s, &w);
	free(pool.tables);
	check_too_small_a_pool(s, tables);
}

/* Between 1 and 2^bits - 1, all magnitudes alike. */
static uint64_t random_magnitude(uint64_t *random, unsigned int bits)
{
	uint64_t power = 1ull << random_below(random, bits);

	return power + random_below(random, power);
}

/* A mapping somewhere beyond after, whose physical and virtual addresses are alike modulo a page or
 * a block of one of the next two levels. Ten of them take, with gaps, 90 million pages of addresses
 * at most. */
static struct xlat_mapping random_mapping(const struct scenario *s, uint64_t *random,
					  uint64_t after)
{
	uint64_t page = page_size(s), block = larger_block(s, page);
	bool second_blocks = s->geometry.page_shift == 12;
	const struct {
		uint64_t alike;
		unsigned int size_bits;
	} kinds[] = {{page, 18}, {block, 22}, {second_blocks ? larger_block(s, block) : block, 22}};
	size_t kind = random_below(random, 3);
	uint64_t alike = kinds[kind].alike;
	uint64_t align = kinds[random_below(random, 3)].alike;
	uint64_t gap = random_below(random, 4) ? random_magnitude(random, 22) * page : 0;
	struct xlat_mapping m;

	m.va = (after + gap + align - 1) / align * align;
	m.size = random_magnitude(random, kinds[kind].size_bits) * page;
	if (m.size > align && random_below(random, 2))
		m.size = m.size / align * align;
	m.pa = random_below(random, ((1ull << s->geometry.pa_bits) - TIB) / alike) * alike +
	       m.va % alike;
	m.prot = random_below(random, XLAT_DEVICE + 1);
	return m;
}

static struct scenario random_scenario(uint64_t *random, uint64_t number)
{
	static const struct xlat_geometry geometries[] = {
		GEOMETRY_4K_39,	 GEOMETRY_4K_48,   GEOMETRY_4K_52,
		GEOMETRY_16K_47, GEOMETRY_16K_48,  GEOMETRY_16K_52,
		GEOMETRY_64K_48, GEOMETRY_64K_LPA, GEOMETRY_64K_52,
	};
	size_t count = sizeof(geometries) / sizeof(geometries[0]);
	struct scenario s = {.number = number, .geometry = geometries[random_below(random, count)]};
	uint64_t after;

	s.regime = random_below(random, 2) ? XLAT_EL1 : XLAT_EL2;
	s.upper = s.regime == XLAT_EL1 && random_below(random, 2);
	s.count = 1 + random_below(random, MAPS_MAX);
	after = random_below(random, space_size(&s) / page_size(&s) - 90000000) * page_size(&s);
	for (size_t i = 0; i < s.count; i++) {
		s.maps[i] = random_mapping(&s, random, after);
		after = s.maps[i].va + s.maps[i].size;
		s.maps[i].va += space_base(&s);
	}
	return s;
}

static void random_sets(void **state)
{
	(void)state;
	uint64_t random = 0x6b65787072657373;

	for (uint64_t i = 0; i < 600; i++) {
		struct scenario s = random_scenario(&random, i);

		check_scenario(&s, &random);
	}
}

/* Scenarios that chance is slow to find, with the number of tables told by hand. */
static const struct {
	struct scenario s;
	size_t tables;
} known[] = {
	{{1,
	  GEOMETRY_4K_48,
	  XLAT_EL1,
	  false,
	  1,
	  {{4 * MIB, 4 * MIB, 4 * MIB + 8 * KIB, XLAT_WRITE}}},
	 4},
	{{2,
	  GEOMETRY_4K_39,
	  XLAT_EL1,
	  false,
	  1,
	  {{4 * MIB, 4 * MIB, 4 * MIB + 8 * KIB, XLAT_WRITE}}},
	 3},
	{{3, GEOMETRY_4K_39, XLAT_EL1, false, 1, {{0, 512 * GIB, 512 * GIB, XLAT_READ}}}, 1},
	{{4, GEOMETRY_4K_48, XLAT_EL2, false, 1, {{0, 0, 512 * GIB, XLAT_READ}}}, 2},
	{{5, GEOMETRY_4K_48, XLAT_EL2, false, 1, {{GIB, GIB, 512 * GIB, XLAT_READ}}}, 3},
	{{6, GEOMETRY_4K_48, XLAT_EL1, false, 1, {{0, 0, 256 * TIB, XLAT_READ}}}, 513},
	{{7, GEOMETRY_4K_48, XLAT_EL1, true, 1, {{-256 * TIB, 0, 256 * TIB, XLAT_READ}}}, 513},
	/* Nothing but pages: one level 3 table for every 2 MiB. */
	{{8, GEOMETRY_4K_39, XLAT_EL1, false, 1, {{GIB, GIB + PAGE, GIB, XLAT_READ}}}, 514},
	{{9,
	  GEOMETRY_4K_39,
	  XLAT_EL1,
	  false,
	  1,
	  {{GIB - PAGE, GIB, 3 * GIB + 2 * PAGE, XLAT_READ}}},
	 1 + 5 + 1538},
	/* Blocks of 2 MiB where 1 GiB is out of step. */
	{{10, GEOMETRY_4K_39, XLAT_EL2, false, 1, {{GIB, GIB + 2 * MIB, 5 * GIB, XLAT_WRITE}}}, 6},
	/* The last page, and the first, of the space. */
	{{11, GEOMETRY_4K_48, XLAT_EL1, true, 1, {{-PAGE, 256 * TIB - PAGE, PAGE, XLAT_DEVICE}}},
	 4},
	{{12, GEOMETRY_4K_39, XLAT_EL2, false, 1, {{512 * GIB - PAGE, 0, PAGE, XLAT_CODE}}}, 3},
	{{13, GEOMETRY_4K_48, XLAT_EL1, false, 1, {{0, PAGE, PAGE, XLAT_CODE}}}, 4},
	/* Neighbours that share tables, and one that does not. */
	{{14,
	  GEOMETRY_4K_48,
	  XLAT_EL1,
	  false,
	  4,
	  {{2 * MIB, 0, PAGE, XLAT_CODE},
	   {2 * MIB + PAGE, 0, PAGE, XLAT_READ},
	   {4 * MIB - PAGE, PAGE, 2 * PAGE, XLAT_WRITE},
	   {512 * GIB - PAGE, PAGE, 2 * PAGE, XLAT_WRITE}}},
	 1 + 2 + 3 + 4},
	/* A block's size and alignment in the other granules. */
	{{16, GEOMETRY_16K_36, XLAT_EL1, false, 1, {{32 * MIB, 0, 96 * MIB, XLAT_WRITE}}}, 1},
	{{17, GEOMETRY_16K_47, XLAT_EL1, false, 1, {{32 * MIB, 0, 96 * MIB, XLAT_WRITE}}}, 2},
	{{18, GEOMETRY_16K_48, XLAT_EL1, false, 1, {{32 * MIB, 0, 96 * MIB, XLAT_WRITE}}}, 3},
	{{19,
	  GEOMETRY_16K_36,
	  XLAT_EL2,
	  false,
	  1,
	  {{32 * MIB, 16 * KIB, 32 * MIB + 16 * KIB, XLAT_READ}}},
	 3},
	{{20, GEOMETRY_64K_42, XLAT_EL2, false, 1, {{GIB, 512 * MIB, GIB, XLAT_WRITE}}}, 1},
	{{21, GEOMETRY_64K_48, XLAT_EL2, false, 1, {{GIB, 512 * MIB, GIB, XLAT_WRITE}}}, 2},
	{{22, GEOMETRY_64K_42, XLAT_EL1, true, 1, {{-64 * KIB, 0, 64 * KIB, XLAT_READ}}}, 2},
	{{23, GEOMETRY_4K_30, XLAT_EL1, false, 1, {{2 * MIB, 0, 2 * MIB + PAGE, XLAT_READ}}}, 2},
	/* The larger ones that only FEAT_LPA2 and FEAT_LPA have are not used. */
	{{28, GEOMETRY_16K_47, XLAT_EL1, false, 1, {{0, 0, 128 * GIB, XLAT_READ}}}, 1 + 2},
	{{29, GEOMETRY_64K_48, XLAT_EL1, false, 1, {{0, 0, 8 * TIB, XLAT_READ}}}, 1 + 2},
	{{30, GEOMETRY_4K_52, XLAT_EL1, false, 1, {{0, 0, TIB, XLAT_READ}}}, 2 + 2},
	/* The last page of 52 bits, by each way to tell its address. */
	{{24, GEOMETRY_4K_52, XLAT_EL1, true, 1, {{-PAGE, 4096 * TIB - PAGE, PAGE, XLAT_DEVICE}}},
	 5},
	{{25,
	  GEOMETRY_16K_52,
	  XLAT_EL1,
	  false,
	  1,
	  {{4096 * TIB - 16 * KIB, 4096 * TIB - 16 * KIB, 16 * KIB, XLAT_CODE}}},
	 4},
	{{26,
	  GEOMETRY_64K_52,
	  XLAT_EL2,
	  false,
	  1,
	  {{4096 * TIB - 64 * KIB, 4096 * TIB - 64 * KIB, 64 * KIB, XLAT_WRITE}}},
	 3},
	{{27,
	  GEOMETRY_64K_LPA,
	  XLAT_EL1,
	  false,
	  1,
	  {{256 * TIB - 64 * KIB, 3072 * TIB, 64 * KIB, XLAT_WRITE}}},
	 3},
	/* EL2 without E2H: identity map and linear map in one space. */
	{{15,
	  GEOMETRY_4K_48,
	  XLAT_EL2,
	  false,
	  4,
	  {{GIB, GIB, 2 * MIB, XLAT_CODE},
	   {GIB + 2 * MIB, GIB + 2 * MIB, 2 * MIB, XLAT_WRITE},
	   {128 * TIB + GIB, GIB, GIB, XLAT_READ},
	   {128 * TIB + 4 * GIB, 4 * GIB, 64 * MIB, XLAT_WRITE}}},
	 1 + 2 + 2},
};

static void known_sets(void **state)
{
	(void)state;
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct scenario *s = &known[i].s;

		require(xlat_count(s->maps, s->count, s->geometry) == known[i].tables, s, 0,
			"tables as told by hand");
		check_scenario(s, &random);
	}
}

/* Too large to build here: the sum alone, which must not take time by size. */
static void count_is_arithmetic(void **state)
{
	(void)state;
	const struct xlat_geometry four_levels = GEOMETRY_4K_48, three_levels = GEOMETRY_4K_39;
	const struct xlat_mapping all = {0, PAGE, 256 * TIB - PAGE, XLAT_READ};

	assert_int_equal(xlat_count(&all, 1, four_levels),
			 1 + 512 + 512 * 512 + 512 * 512 * 512ull);
	assert_int_equal(xlat_count(NULL, 0, three_levels), 1);
}

/* A lower-half address and its upper-half twin make the same tables. */
static void halves_are_alike(void **state)
{
	(void)state;
	struct scenario lower = {
		.geometry = GEOMETRY_4K_39,
		.regime = XLAT_EL1,
		.count = 1,
		.maps = {{511 * GIB + PAGE, GIB + PAGE, GIB - PAGE, XLAT_WRITE}},
	};
	struct scenario upper = lower;
	struct xlat_pool pools[] = {pool_new(3, lower.geometry, POOL_PA),
				    pool_new(3, lower.geometry, POOL_PA)};
	struct xlat x;

	upper.maps[0].va -= 512 * GIB;
	assert_int_equal(build(&lower, &pools[0], &x), KX_OK);
	assert_int_equal(build(&upper, &pools[1], &x), KX_OK);
	assert_int_equal(xlat_count(upper.maps, 1, upper.geometry), 3);
	assert_memory_equal(pools[0].tables, pools[1].tables, 3 * PAGE);
	free(pools[0].tables);
	free(pools[1].tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_sets),
		cmocka_unit_test(random_sets),
		cmocka_unit_test(count_is_arithmetic),
		cmocka_unit_test(halves_are_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
