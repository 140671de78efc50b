/* SPDX-License-Identifier: MIT */
#include "xlat.h"

#include <arm64/descriptor.h>
#include <stdbool.h>

#define PAGE_LEVEL 3

#define NORMAL (DESC_ATTRINDX(MAIR_INDEX_NORMAL) | DESC_SH_INNER | DESC_AF)
#define DEVICE (DESC_ATTRINDX(MAIR_INDEX_DEVICE) | DESC_SH_OUTER | DESC_AF)

/* All attributes of a block or page. Even code has UXN: EL0 never runs under these tables. */
static const uint64_t templates[][XLAT_DEVICE + 1] = {
	[XLAT_EL1][XLAT_CODE] = NORMAL | DESC_AP_RO | DESC_UXN,
	[XLAT_EL1][XLAT_READ] = NORMAL | DESC_AP_RO | DESC_PXN | DESC_UXN,
	[XLAT_EL1][XLAT_WRITE] = NORMAL | DESC_PXN | DESC_UXN,
	[XLAT_EL1][XLAT_DEVICE] = DEVICE | DESC_PXN | DESC_UXN,

	[XLAT_EL2][XLAT_CODE] = NORMAL | DESC_AP_EL0 | DESC_AP_RO,
	[XLAT_EL2][XLAT_READ] = NORMAL | DESC_AP_EL0 | DESC_AP_RO | DESC_XN,
	[XLAT_EL2][XLAT_WRITE] = NORMAL | DESC_AP_EL0 | DESC_XN,
	[XLAT_EL2][XLAT_DEVICE] = DEVICE | DESC_AP_EL0 | DESC_XN,
};

/* Address bits that one level resolves. */
static unsigned int index_bits(struct xlat_geometry g)
{
	return g.page_shift - 3;
}

/* Levels count as in the Arm ARM: pages are at level 3, the root may be at -1. */
static int root_level(struct xlat_geometry g)
{
	int level = PAGE_LEVEL;

	for (unsigned int bits = g.page_shift + index_bits(g); bits < g.va_bits;
	     bits += index_bits(g))
		level--;
	return level;
}

/* The highest level with blocks, of 1 GiB, 32 MiB or 512 MiB. FEAT_LPA2 has larger ones too, which
 * nobody here needs. */
static int first_block_level(struct xlat_geometry g)
{
	return g.page_shift == 12 ? 1 : 2;
}

static unsigned int level_shift(struct xlat_geometry g, int level)
{
	return g.page_shift + index_bits(g) * (unsigned int)(PAGE_LEVEL - level);
}

/* What one descriptor of level spans. */
static uint64_t level_size(struct xlat_geometry g, int level)
{
	return 1ull << level_shift(g, level);
}

/* Where va lies in its half of the address space. */
static uint64_t va_offset(uint64_t va, struct xlat_geometry g)
{
	return va & ((1ull << g.va_bits) - 1);
}

static size_t table_index(uint64_t va, struct xlat_geometry g, int level)
{
	return va_offset(va, g) >> level_shift(g, level) & (geometry_table_length(g) - 1);
}

static uint64_t address_encode(uint64_t pa, struct xlat_geometry g)
{
	if (g.lpa2)
		return (pa & DESC_OA_LPA2) | (pa >> DESC_OA_LPA2_SHIFT & DESC_OA_LPA2_HIGH);
	if (g.page_shift == 16)
		return (pa & DESC_OA_64K) | (pa >> DESC_OA_64K_SHIFT & DESC_OA_64K_HIGH);
	return pa;
}

static uint64_t address_decode(uint64_t descriptor, struct xlat_geometry g)
{
	if (g.lpa2)
		return (descriptor & DESC_OA_LPA2) | (descriptor & DESC_OA_LPA2_HIGH)
							     << DESC_OA_LPA2_SHIFT;
	if (g.page_shift == 16)
		return (descriptor & DESC_OA_64K) | (descriptor & DESC_OA_64K_HIGH)
							    << DESC_OA_64K_SHIFT;
	return descriptor & DESC_OA_48;
}

/* Descriptors of one level, counted in rising order, each once. */
struct tally {
	uint64_t next;
	size_t total;
};

static void tally_add(struct tally *t, uint64_t from, uint64_t to)
{
	if (from < t->next)
		from = t->next;
	if (from < to) {
		t->total += to - from;
		t->next = to;
	}
}

/*
 * Counts the descriptors of level that m makes point to a table: all that it reaches, unless blocks
 * of this level can hold it; then the first and the last, each only if m covers it in part.
 */
static void tally_mapping(struct tally *t, const struct xlat_mapping *m, struct xlat_geometry g,
			  int level)
{
	unsigned int shift = level_shift(g, level);
	uint64_t mask = level_size(g, level) - 1;
	uint64_t start = va_offset(m->va, g);
	uint64_t end = start + m->size;
	uint64_t to = (end + mask) >> shift;
	bool blocks = level >= first_block_level(g) && ((m->va ^ m->pa) & mask) == 0;

	tally_add(t, start >> shift, blocks ? (start + mask) >> shift : to);
	tally_add(t, end >> shift, to);
}

size_t xlat_count(const struct xlat_mapping *maps, size_t count, struct xlat_geometry g)
{
	size_t tables = 1;

	for (int level = root_level(g); level < PAGE_LEVEL; level++) {
		struct tally t = {0, 0};

		for (size_t i = 0; i < count; i++)
			tally_mapping(&t, &maps[i], g, level);
		tables += t.total;
	}
	return tables;
}

/*
 * Every store to a table: aligned 64-bit accesses, never half a descriptor, and volatile so that
 * no compiler makes a loop of it into a call of memset. There is no barrier between zeroing a table
 * and linking it, as none of these tables is walked before all are complete: who loads the TTBR
 * orders all stores before it.
 */
static void store_descriptor(uint64_t *descriptor, uint64_t value)
{
	*(volatile uint64_t *)descriptor = value;
}

/* Two at once: with the MMU off it is the number of instructions that takes the time. */
static void clear_descriptors(uint64_t *two)
{
	typedef unsigned __int128 pair __attribute__((may_alias));

	*(volatile pair *)two = 0;
}

/* length: of its descriptors, an even number; the root may have fewer than others. */
static enum kx_error pool_take(struct xlat_pool *pool, struct xlat_geometry g, size_t length,
			       uint64_t **table, uint64_t *pa, struct kx_refusal *why)
{
	uint64_t *cleared;

	if (pool->used >= pool->max)
		return kx_refuse(why, KX_E_TABLES, "translation table pool is full", pool->pa,
				 pool->pa + pool->max * geometry_page_size(g));
	*pa = pool->pa + pool->used * geometry_page_size(g);
	if (*pa >> g.pa_bits != 0)
		return kx_refuse(why, KX_E_ADDRESS, "translation table beyond what tables can hold",
				 *pa, *pa + geometry_page_size(g));

	cleared = pool->tables + pool->used * geometry_table_length(g);
	pool->used++;
	for (size_t i = 0; i < length; i += 2)
		clear_descriptors(cleared + i);
	*table = cleared;
	return KX_OK;
}

enum kx_error xlat_init(struct xlat *x, struct xlat_pool *pool, struct xlat_geometry g,
			enum xlat_regime regime, struct kx_refusal *why)
{
	x->pool = pool;
	x->geometry = g;
	x->regime = regime;
	return pool_take(pool, g, 1ull << (g.va_bits - level_shift(g, root_level(g))), &x->root,
			 &x->root_pa, why);
}

/* Moves *table, of level, on to the table below it for the address that rest starts at. */
static enum kx_error descend(struct xlat *x, uint64_t **table, int level,
			     const struct xlat_mapping *rest, struct kx_refusal *why)
{
	struct xlat_geometry g = x->geometry;
	uint64_t *parent = *table + table_index(rest->va, g, level);
	enum kx_error error;
	uint64_t pa;

	if (*parent == 0) {
		error = pool_take(x->pool, g, geometry_table_length(g), table, &pa, why);
		if (error)
			return error;
		store_descriptor(parent, address_encode(pa, g) | DESC_IS_TABLE);
		return KX_OK;
	}
	if (!(*parent & DESC_TABLE))
		return kx_refuse(why, KX_E_MAPPING, "mapping overlaps a mapped block", rest->va,
				 rest->va + rest->size);
	pa = address_decode(*parent, g);
	*table = x->pool->tables + (pa - x->pool->pa) / sizeof(uint64_t);
	return KX_OK;
}

static bool fits(const struct xlat_mapping *rest, struct xlat_geometry g, int level)
{
	uint64_t size = level_size(g, level);

	return ((rest->va | rest->pa) & (size - 1)) == 0 && rest->size >= size;
}

/*
 * Maps the start of rest by descriptors of one level, to the end of the table or of what fits, and
 * takes it off rest. The level stays right that far: the next larger one fits no earlier than at
 * the table's end, where va is next aligned to it.
 */
static enum kx_error fill(struct xlat_geometry g, uint64_t *table, int level, uint64_t attributes,
			  struct xlat_mapping *rest, struct kx_refusal *why)
{
	uint64_t type = level == PAGE_LEVEL ? DESC_IS_PAGE : DESC_IS_BLOCK;
	uint64_t size = level_size(g, level);
	size_t first = table_index(rest->va, g, level), left = geometry_table_length(g) - first;
	size_t count = rest->size / size < left ? rest->size / size : left;
	uint64_t pa = rest->pa;

	for (size_t i = first; i < first + count; i++, pa += size) {
		if (table[i] != 0)
			return kx_refuse(why, KX_E_MAPPING, "mapping overlaps another",
					 rest->va + (pa - rest->pa),
					 rest->va + (pa - rest->pa) + size);
		store_descriptor(&table[i], address_encode(pa, g) | attributes | type);
	}
	*rest = (struct xlat_mapping){rest->va + count * size, pa, rest->size - count * size,
				      rest->prot};
	return KX_OK;
}

static enum kx_error check(const struct xlat_mapping *m, struct xlat_geometry g,
			   struct kx_refusal *why)
{
	uint64_t va_size = 1ull << g.va_bits, pa_size = 1ull << g.pa_bits;
	uint64_t offset = va_offset(m->va, g);
	uint64_t above = m->va - offset;
	const char *what = NULL;

	if (m->size == 0)
		what = "mapping is empty";
	else if (((m->va | m->pa | m->size) & (geometry_page_size(g) - 1)) != 0)
		what = "mapping is not of whole granules";
	else if ((above != 0 && above != -va_size) || m->size > va_size - offset)
		what = "mapping beyond the virtual address range";
	if (what)
		return kx_refuse(why, KX_E_MAPPING, what, m->va, m->va + m->size);

	if (m->size > pa_size || m->pa > pa_size - m->size)
		return kx_refuse(why, KX_E_ADDRESS, "mapping beyond what tables can hold", m->pa,
				 m->pa + m->size);
	return KX_OK;
}

/* With FEAT_LPA2's descriptors TCR says how memory is shared. */
static uint64_t attributes_of(const struct xlat *x, enum xlat_prot prot)
{
	return templates[x->regime][prot] & ~(x->geometry.lpa2 ? DESC_SH_MASK : 0);
}

enum kx_error xlat_map(struct xlat *x, const struct xlat_mapping *m, struct kx_refusal *why)
{
	struct xlat_geometry g = x->geometry;
	uint64_t attributes = attributes_of(x, m->prot);
	struct xlat_mapping rest = *m;
	enum kx_error error = check(m, g, why);

	while (!error && rest.size > 0) {
		uint64_t *table = x->root;
		int level = root_level(g);

		while (!error && (level < first_block_level(g) || !fits(&rest, g, level)))
			error = descend(x, &table, level++, &rest, why);
		if (!error)
			error = fill(g, table, level, attributes, &rest, why);
	}
	return error;
}
