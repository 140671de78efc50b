/* SPDX-License-Identifier: MIT */
/* Transitional tables, read back by a walker that knows only the architecture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arm64/descriptor.h>
#include <cmocka.h>

#include "random.h"
#include "walker.h"
#include "xlat/xlat.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define PAGE	  (4 * KIB)
#define MAPS_MAX  10
#define ALL_ONES  (~0ull)
#define GARBAGE	  0xa5a5a5a5a5a5a5a7ull /* looks like a table descriptor */
#define POOL_PA	  (37 * GIB + 5 * PAGE) /* unlike any pointer of the host, to tell them apart */
#define UPPER(va) ((va) | ALL_ONES << 48)

/* A set of mappings and the address space that they are for. */
struct scenario {
	uint64_t number;
	enum xlat_va_bits va_bits;
	enum xlat_regime regime;
	bool upper;
	size_t count;
	struct xlat_mapping maps[MAPS_MAX];
};

/* A heap block of exactly the tables allowed, so that ASan sees a store beyond them. */
static struct xlat_pool pool_new(size_t max, uint64_t pa)
{
	struct xlat_pool pool = {.pa = pa, .max = max};

	pool.tables = malloc(max * PAGE);
	assert_non_null(pool.tables);
	for (size_t i = 0; i < max * XLAT_TABLE_LENGTH; i++)
		pool.tables[i] = GARBAGE;
	return pool;
}

static enum kx_error build(const struct scenario *s, struct xlat_pool *pool, struct xlat *x)
{
	struct kx_refusal why = {0};
	enum kx_error error = xlat_init(x, pool, s->va_bits, s->regime, &why);

	/* Even ones first: the order must not matter. */
	for (size_t i = 0; i < s->count && !error; i += 2)
		error = xlat_map(x, &s->maps[i], &why);
	for (size_t i = 1; i < s->count && !error; i += 2)
		error = xlat_map(x, &s->maps[i], &why);
	assert_int_equal(error, why.error);
	return error;
}

static struct walker walker_for(const struct scenario *s, const struct xlat *x)
{
	return (struct walker){
		.txsz = s->va_bits == XLAT_39BIT ? 25 : 16,
		.pa_bits = 48,
		.upper = s->upper,
		.two_privileges = s->regime == XLAT_EL1,
		.ttbr = x->root_pa,
		.mair = MAIR_VALUE,
		.memory = x->pool->tables,
		.memory_pa = x->pool->pa,
		.memory_size = x->pool->used * PAGE,
	};
}

static uint64_t space_size(const struct scenario *s)
{
	return s->va_bits == XLAT_39BIT ? 512 * GIB : 256 * TIB;
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

static void check_access(const struct scenario *s, uint64_t va, enum xlat_prot prot,
			 const struct walk *walk)
{
	static const struct {
		bool write, execute;
		uint8_t memory, shareability;
	} expected[] = {
		[XLAT_CODE] = {false, true, 0xff, 3},
		[XLAT_READ] = {false, false, 0xff, 3},
		[XLAT_WRITE] = {true, false, 0xff, 3},
		[XLAT_DEVICE] = {true, false, 0x04, 2},
	};

	require(walk->read, s, va, "readable");
	require(walk->write == expected[prot].write, s, va, "writable as asked");
	require(walk->execute == expected[prot].execute, s, va, "executable as asked");
	require(!(walk->write && walk->execute), s, va, "not both writable and executable");
	require(!walk->user_read && !walk->user_write && !walk->user_execute, s, va, "not EL0's");
	require(walk->memory == expected[prot].memory, s, va, "memory type as asked");
	require(walk->shareability == expected[prot].shareability, s, va, "shareability");
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
		probe(s, w, m->va ^ 1ull << s->va_bits);
		probe(s, w, m->va ^ 1ull << 63);
	}
}

/* Whether the block or page at va could have been part of the next larger block. */
static bool could_be_larger(const struct xlat_mapping *m, uint64_t va, uint64_t span)
{
	uint64_t larger = span * 512;
	uint64_t offset = va / larger * larger - m->va;

	return larger <= GIB && (m->va - m->pa) % larger == 0 && offset < m->size &&
	       m->size - offset >= larger;
}

static uint64_t check_leaf(const struct scenario *s, uint64_t va, const struct walk *walk)
{
	const struct xlat_mapping *m = mapping_at(s, va);

	require(m && m->size - (va - m->va) >= walk->span, s, va, "nothing mapped beyond the sets");
	require(walk->pa == m->pa + (va - m->va), s, va, "right output address");
	require(!could_be_larger(m, va, walk->span), s, va, "largest block that fits");
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
	struct xlat_pool pool = pool_new(tables, POOL_PA);
	struct xlat x;

	pool.max = tables - 1;
	require(build(s, &pool, &x) == KX_E_TABLES, s, 0, "one table less is too few");
	require(pool.used == pool.max, s, 0, "all tables used");
	for (size_t i = pool.max * XLAT_TABLE_LENGTH; i < tables * XLAT_TABLE_LENGTH; i++)
		require(pool.tables[i] == GARBAGE, s, 0, "nothing written beyond the pool");
	free(pool.tables);
}

static void check_scenario(const struct scenario *s, uint64_t *random)
{
	size_t tables = xlat_count(s->maps, s->count, s->va_bits);
	struct xlat_pool pool = pool_new(tables, random_below(random, 255 * TIB / PAGE) * PAGE);
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

/* A mapping somewhere beyond after, whose physical and virtual addresses are alike modulo 4 KiB,
 * 2 MiB or 1 GiB. Ten of them take less than 20 MiB of tables and, with gaps, 350 GiB of addresses.
 */
static struct xlat_mapping random_mapping(uint64_t *random, uint64_t after)
{
	static const struct {
		uint64_t alike;
		unsigned int size_bits;
	} kinds[] = {{PAGE, 18}, {2 * MIB, 22}, {GIB, 22}};
	size_t kind = random_below(random, 3);
	uint64_t alike = kinds[kind].alike;
	uint64_t align = kinds[random_below(random, 3)].alike;
	uint64_t gap = random_below(random, 4) ? random_magnitude(random, 22) * PAGE : 0;
	struct xlat_mapping m;

	m.va = (after + gap + align - 1) / align * align;
	m.size = random_magnitude(random, kinds[kind].size_bits) * PAGE;
	if (m.size > align && random_below(random, 2))
		m.size = m.size / align * align;
	m.pa = random_below(random, (256 * TIB - 32 * GIB) / alike) * alike + m.va % alike;
	m.prot = random_below(random, XLAT_DEVICE + 1);
	return m;
}

static struct scenario random_scenario(uint64_t *random, uint64_t number)
{
	struct scenario s = {.number = number};
	uint64_t after;

	s.va_bits = random_below(random, 2) ? XLAT_39BIT : XLAT_48BIT;
	s.regime = random_below(random, 2) ? XLAT_EL1 : XLAT_EL2;
	s.upper = s.regime == XLAT_EL1 && random_below(random, 2);
	s.count = 1 + random_below(random, MAPS_MAX);
	after = random_below(random, (space_size(&s) - 350 * GIB) / PAGE) * PAGE;
	for (size_t i = 0; i < s.count; i++) {
		s.maps[i] = random_mapping(random, after);
		after = s.maps[i].va + s.maps[i].size;
		s.maps[i].va += space_base(&s);
	}
	return s;
}

static void random_sets(void **state)
{
	(void)state;
	uint64_t random = 0x6b65787072657373;

	for (uint64_t i = 0; i < 200; i++) {
		struct scenario s = random_scenario(&random, i);

		check_scenario(&s, &random);
	}
}

/* Scenarios that chance is slow to find, with the number of tables told by hand. */
static const struct {
	struct scenario s;
	size_t tables;
} known[] = {
	{{1, XLAT_48BIT, XLAT_EL1, false, 1, {{4 * MIB, 4 * MIB, 4 * MIB + 8 * KIB, XLAT_WRITE}}},
	 4},
	{{2, XLAT_39BIT, XLAT_EL1, false, 1, {{4 * MIB, 4 * MIB, 4 * MIB + 8 * KIB, XLAT_WRITE}}},
	 3},
	{{3, XLAT_39BIT, XLAT_EL1, false, 1, {{0, 512 * GIB, 512 * GIB, XLAT_READ}}}, 1},
	{{4, XLAT_48BIT, XLAT_EL2, false, 1, {{0, 0, 512 * GIB, XLAT_READ}}}, 2},
	{{5, XLAT_48BIT, XLAT_EL2, false, 1, {{GIB, GIB, 512 * GIB, XLAT_READ}}}, 3},
	{{6, XLAT_48BIT, XLAT_EL1, false, 1, {{0, 0, 256 * TIB, XLAT_READ}}}, 513},
	{{7, XLAT_48BIT, XLAT_EL1, true, 1, {{-256 * TIB, 0, 256 * TIB, XLAT_READ}}}, 513},
	/* Nothing but pages: one level 3 table for every 2 MiB. */
	{{8, XLAT_39BIT, XLAT_EL1, false, 1, {{GIB, GIB + PAGE, GIB, XLAT_READ}}}, 514},
	{{9, XLAT_39BIT, XLAT_EL1, false, 1, {{GIB - PAGE, GIB, 3 * GIB + 2 * PAGE, XLAT_READ}}},
	 1 + 5 + 1538},
	/* Blocks of 2 MiB where 1 GiB is out of step. */
	{{10, XLAT_39BIT, XLAT_EL2, false, 1, {{GIB, GIB + 2 * MIB, 5 * GIB, XLAT_WRITE}}}, 6},
	/* The last page, and the first, of the space. */
	{{11, XLAT_48BIT, XLAT_EL1, true, 1, {{-PAGE, 256 * TIB - PAGE, PAGE, XLAT_DEVICE}}}, 4},
	{{12, XLAT_39BIT, XLAT_EL2, false, 1, {{512 * GIB - PAGE, 0, PAGE, XLAT_CODE}}}, 3},
	{{13, XLAT_48BIT, XLAT_EL1, false, 1, {{0, PAGE, PAGE, XLAT_CODE}}}, 4},
	/* Neighbours that share tables, and one that does not. */
	{{14,
	  XLAT_48BIT,
	  XLAT_EL1,
	  false,
	  4,
	  {{2 * MIB, 0, PAGE, XLAT_CODE},
	   {2 * MIB + PAGE, 0, PAGE, XLAT_READ},
	   {4 * MIB - PAGE, PAGE, 2 * PAGE, XLAT_WRITE},
	   {512 * GIB - PAGE, PAGE, 2 * PAGE, XLAT_WRITE}}},
	 1 + 2 + 3 + 4},
	/* EL2 without E2H: identity map and linear map in one space. */
	{{15,
	  XLAT_48BIT,
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

		require(xlat_count(s->maps, s->count, s->va_bits) == known[i].tables, s, 0,
			"tables as told by hand");
		check_scenario(s, &random);
	}
}

/* Too large to build here: the sum alone, which must not take time by size. */
static void count_is_arithmetic(void **state)
{
	(void)state;
	const struct xlat_mapping all = {0, PAGE, 256 * TIB - PAGE, XLAT_READ};

	assert_int_equal(xlat_count(&all, 1, XLAT_48BIT), 1 + 512 + 512 * 512 + 512 * 512 * 512ull);
	assert_int_equal(xlat_count(NULL, 0, XLAT_39BIT), 1);
}

/* A lower-half address and its upper-half twin make the same tables. */
static void halves_are_alike(void **state)
{
	(void)state;
	struct scenario lower = {
		.va_bits = XLAT_39BIT,
		.regime = XLAT_EL1,
		.count = 1,
		.maps = {{511 * GIB + PAGE, GIB + PAGE, GIB - PAGE, XLAT_WRITE}},
	};
	struct scenario upper = lower;
	struct xlat_pool pools[] = {pool_new(3, POOL_PA), pool_new(3, POOL_PA)};
	struct xlat x;

	upper.maps[0].va -= 512 * GIB;
	assert_int_equal(build(&lower, &pools[0], &x), KX_OK);
	assert_int_equal(build(&upper, &pools[1], &x), KX_OK);
	assert_int_equal(xlat_count(upper.maps, 1, XLAT_39BIT), 3);
	assert_memory_equal(pools[0].tables, pools[1].tables, 3 * PAGE);
	free(pools[0].tables);
	free(pools[1].tables);
}

static void malformed_is_refused(void **state)
{
	(void)state;
	static const struct {
		enum kx_error error;
		enum xlat_va_bits va_bits;
		uint64_t va, pa, size;
	} cases[] = {
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB, 0}, /* empty */
		{KX_E_MAPPING, XLAT_48BIT, 0, 0, 0},
		{KX_E_MAPPING, XLAT_48BIT, GIB + 1, GIB, PAGE}, /* misaligned */
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB + 2048, PAGE},
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB, PAGE + 8},
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB, 1},
		{KX_E_MAPPING, XLAT_48BIT, 256 * TIB, GIB, PAGE}, /* beyond, or in the hole */
		{KX_E_MAPPING, XLAT_48BIT, 256 * TIB - PAGE, GIB, 2 * PAGE},
		{KX_E_MAPPING, XLAT_48BIT, -256 * TIB - PAGE, GIB, PAGE},
		{KX_E_MAPPING, XLAT_48BIT, -256 * TIB - PAGE, GIB, 2 * PAGE},
		{KX_E_MAPPING, XLAT_48BIT, 1ull << 63, GIB, PAGE},
		{KX_E_MAPPING, XLAT_39BIT, 512 * GIB, GIB, PAGE},
		{KX_E_MAPPING, XLAT_39BIT, PAGE, GIB, 512 * GIB},
		{KX_E_MAPPING, XLAT_39BIT, -1024 * GIB, GIB, PAGE},
		{KX_E_MAPPING, XLAT_48BIT, -PAGE, GIB, 2 * PAGE}, /* wraps */
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB, -GIB},
		{KX_E_MAPPING, XLAT_48BIT, GIB, GIB, -PAGE},
		{KX_E_MAPPING, XLAT_48BIT, 0, 0, 256 * TIB + PAGE},
		{KX_E_ADDRESS, XLAT_48BIT, GIB, 256 * TIB, PAGE},
		{KX_E_ADDRESS, XLAT_48BIT, GIB, 256 * TIB - PAGE, 2 * PAGE},
		{KX_E_ADDRESS, XLAT_48BIT, 0, PAGE, 256 * TIB},
		{KX_E_ADDRESS, XLAT_39BIT, GIB, -PAGE, PAGE},
		{KX_E_ADDRESS, XLAT_39BIT, GIB, -PAGE, 2 * PAGE}, /* wraps */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xlat_mapping m = {cases[i].va, cases[i].pa, cases[i].size, XLAT_WRITE};
		uint64_t start = cases[i].error == KX_E_MAPPING ? m.va : m.pa;
		struct xlat_pool pool = pool_new(4, POOL_PA);
		struct kx_refusal why = {0};
		struct xlat x;

		assert_int_equal(xlat_init(&x, &pool, cases[i].va_bits, XLAT_EL1, &why), KX_OK);
		if (xlat_map(&x, &m, &why) != cases[i].error)
			fail_msg("case %zu", i);
		assert_int_equal(why.error, cases[i].error);
		assert_non_null(why.what);
		assert_int_equal(why.start, start);
		assert_int_equal(why.end, start + m.size);
		assert_int_equal(pool.used, 1);
		free(pool.tables);
	}
}

static void overlap_is_refused(void **state)
{
	(void)state;
	static const struct xlat_mapping pairs[][2] = {
		{{GIB, 0, PAGE, XLAT_READ}, {GIB, 0, PAGE, XLAT_READ}}, /* the same twice */
		{{GIB, 0, 2 * MIB, XLAT_READ}, {GIB, 0, 2 * MIB, XLAT_WRITE}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB, 0, GIB, XLAT_READ}},
		{{GIB, 0, 2 * PAGE, XLAT_READ}, {GIB + PAGE, PAGE, 2 * PAGE, XLAT_READ}},
		{{GIB, 0, 2 * MIB, XLAT_READ}, {GIB + 5 * PAGE, 0, PAGE, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB + 4 * MIB, 0, 2 * MIB, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB + 4 * MIB, 0, PAGE, XLAT_READ}},
		{{GIB, 0, GIB, XLAT_READ}, {GIB - PAGE, GIB - PAGE, 2 * PAGE, XLAT_READ}},
		{{0, 0, 4 * GIB, XLAT_READ}, {4 * GIB - PAGE, 0, 2 * PAGE, XLAT_READ}},
		/* The same addresses, but for the half. */
		{{GIB, 0, PAGE, XLAT_READ}, {UPPER(GIB), 0, PAGE, XLAT_READ}},
	};

	for (size_t i = 0; i < 2 * sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct xlat_mapping *first = &pairs[i / 2][i % 2];
		const struct xlat_mapping *second = &pairs[i / 2][1 - i % 2];
		struct xlat_pool pool = pool_new(8, POOL_PA);
		struct kx_refusal why = {0};
		struct xlat x;

		assert_int_equal(xlat_init(&x, &pool, XLAT_48BIT, XLAT_EL1, &why), KX_OK);
		assert_int_equal(xlat_map(&x, first, &why), KX_OK);
		if (xlat_map(&x, second, &why) != KX_E_MAPPING)
			fail_msg("pair %zu, %zu", i / 2, i % 2);
		assert_int_equal(why.error, KX_E_MAPPING);
		assert_in_range(why.start, second->va, second->va + second->size - 1);
		free(pool.tables);
	}
}

/* A block whose output address is the pool's own: taken for a table, it would be written. */
static void block_is_never_walked(void **state)
{
	(void)state;
	const struct xlat_mapping block = {GIB, 2 * MIB, 2 * MIB, XLAT_WRITE};
	const struct xlat_mapping page = {GIB + PAGE, GIB, PAGE, XLAT_WRITE};
	struct xlat_pool pool = pool_new(4, 2 * MIB);
	uint64_t before[4 * XLAT_TABLE_LENGTH];
	struct kx_refusal why;
	struct xlat x;

	assert_int_equal(xlat_init(&x, &pool, XLAT_39BIT, XLAT_EL2, &why), KX_OK);
	assert_int_equal(xlat_map(&x, &block, &why), KX_OK);
	memcpy(before, pool.tables, sizeof(before));
	assert_int_equal(xlat_map(&x, &page, &why), KX_E_MAPPING);
	assert_memory_equal(before, pool.tables, sizeof(before));
	free(pool.tables);
}

static void unusable_pool_is_refused(void **state)
{
	(void)state;
	const struct xlat_mapping page = {GIB, GIB, PAGE, XLAT_WRITE};
	struct xlat_pool none = {.pa = POOL_PA};
	struct xlat_pool far = pool_new(2, 256 * TIB - PAGE);
	struct kx_refusal why = {0};
	struct xlat x;

	assert_int_equal(xlat_init(&x, &none, XLAT_39BIT, XLAT_EL1, &why), KX_E_TABLES);
	assert_int_equal(why.error, KX_E_TABLES);
	assert_int_equal(why.start, POOL_PA);
	assert_int_equal(none.used, 0);

	assert_int_equal(xlat_init(&x, &far, XLAT_39BIT, XLAT_EL1, &why), KX_OK);
	assert_int_equal(xlat_map(&x, &page, &why), KX_E_ADDRESS);
	assert_int_equal(why.start, 256 * TIB);
	free(far.tables);
}

/* The walker itself, on descriptors written by hand. TxSZ 43, 21-bit addresses, makes level 3 the
 * root, so that one table is enough. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walker_tells_faults),
		cmocka_unit_test(walker_tells_permissions),
		cmocka_unit_test(known_sets),
		cmocka_unit_test(random_sets),
		cmocka_unit_test(count_is_arithmetic),
		cmocka_unit_test(halves_are_alike),
		cmocka_unit_test(malformed_is_refused),
		cmocka_unit_test(overlap_is_refused),
		cmocka_unit_test(block_is_never_walked),
		cmocka_unit_test(unusable_pool_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
