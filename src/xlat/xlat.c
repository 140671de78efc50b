/* SPDX-License-Identifier: MIT */
#include "xlat.h"

#include <arm64/descriptor.h>
#include <stdbool.h>

#define PAGE_SHIFT 12
#define INDEX_BITS 9
#define PA_SIZE	   (1ull << 48)

#define FIRST_BLOCK_LEVEL 1 /* 1 GiB */
#define PAGE_LEVEL	  3

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

/* Levels count as in the Arm ARM: the root is level 0 or 1, pages are at level 3. */
static unsigned int root_level(enum xlat_va_bits va_bits)
{
	return PAGE_LEVEL + 1 - (va_bits - PAGE_SHIFT) / INDEX_BITS;
}

static unsigned int level_shift(unsigned int level)
{
	return PAGE_SHIFT + INDEX_BITS * (PAGE_LEVEL - level);
}

/* What one descriptor of level spans. */
static uint64_t level_size(unsigned int level)
{
	return 1ull << level_shift(level);
}

static size_t table_index(uint64_t va, unsigned int level)
{
	return (va >> level_shift(level)) % XLAT_TABLE_LENGTH;
}

/* Where va lies in its half of the address space. */
static uint64_t va_offset(uint64_t va, enum xlat_va_bits va_bits)
{
	return va & ((1ull << va_bits) - 1);
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
static void tally_mapping(struct tally *t, const struct xlat_mapping *m, enum xlat_va_bits va_bits,
			  unsigned int level)
{
	unsigned int shift = level_shift(level);
	uint64_t mask = level_size(level) - 1;
	uint64_t start = va_offset(m->va, va_bits);
	uint64_t end = start + m->size;
	uint64_t to = (end + mask) >> shift;
	bool blocks = level >= FIRST_BLOCK_LEVEL && ((m->va ^ m->pa) & mask) == 0;

	tally_add(t, start >> shift, blocks ? (start + mask) >> shift : to);
	tally_add(t, end >> shift, to);
}

size_t xlat_count(const struct xlat_mapping *maps, size_t count, enum xlat_va_bits va_bits)
{
	size_t tables = 1;

	for (unsigned int level = root_level(va_bits); level < PAGE_LEVEL; level++) {
		struct tally t = {0, 0};

		for (size_t i = 0; i < count; i++)
			tally_mapping(&t, &maps[i], va_bits, level);
		tables += t.total;
	}
	return tables;
}

/*
 * Every store to a table: one aligned 64-bit access, never half a descriptor, and volatile so that
 * no compiler makes a loop of it into a call of memset. There is no barrier between zeroing a table
 * and linking it, as none of these tables is walked before all are complete: who loads the TTBR
 * orders all stores before it.
 */
static void store_descriptor(uint64_t *descriptor, uint64_t value)
{
	*(volatile uint64_t *)descriptor = value;
}

static enum kx_error pool_take(struct xlat_pool *pool, uint64_t **table, uint64_t *pa,
			       struct kx_refusal *why)
{
	if (pool->used >= pool->max)
		return kx_refuse(why, KX_E_TABLES, "translation table pool is full", pool->pa,
				 pool->pa + pool->max * XLAT_PAGE_SIZE);
	*pa = pool->pa + pool->used * XLAT_PAGE_SIZE;
	if (*pa >= PA_SIZE)
		return kx_refuse(why, KX_E_ADDRESS, "translation table beyond 48 bits", *pa,
				 *pa + XLAT_PAGE_SIZE);

	*table = pool->tables + pool->used * XLAT_TABLE_LENGTH;
	pool->used++;
	for (size_t i = 0; i < XLAT_TABLE_LENGTH; i++)
		store_descriptor(*table + i, 0);
	return KX_OK;
}

enum kx_error xlat_init(struct xlat *x, struct xlat_pool *pool, enum xlat_va_bits va_bits,
			enum xlat_regime regime, struct kx_refusal *why)
{
	x->pool = pool;
	x->va_bits = va_bits;
	x->regime = regime;
	return pool_take(pool, &x->root, &x->root_pa, why);
}

/* Moves *table, of level, on to the table below it for the address that rest starts at. */
static enum kx_error descend(struct xlat_pool *pool, uint64_t **table, unsigned int level,
			     const struct xlat_mapping *rest, struct kx_refusal *why)
{
	uint64_t *parent = *table + table_index(rest->va, level);
	uint64_t pa = *parent & DESC_OA_PAGE;
	enum kx_error error;

	if (*parent == 0) {
		error = pool_take(pool, table, &pa, why);
		if (error)
			return error;
		store_descriptor(parent, pa | DESC_IS_TABLE);
		return KX_OK;
	}
	if (!(*parent & DESC_TABLE))
		return kx_refuse(why, KX_E_MAPPING, "mapping overlaps a mapped block", rest->va,
				 rest->va + rest->size);
	*table = pool->tables + (pa - pool->pa) / sizeof(uint64_t);
	return KX_OK;
}

static bool fits(const struct xlat_mapping *rest, unsigned int level)
{
	uint64_t size = level_size(level);

	return ((rest->va | rest->pa) & (size - 1)) == 0 && rest->size >= size;
}

/*
 * Maps the start of rest by descriptors of one level, to the end of the table or of what fits, and
 * takes it off rest. The level stays right that far: the next larger one fits no earlier than at
 * the table's end, where va is next aligned to it.
 */
static enum kx_error fill(uint64_t *table, unsigned int level, uint64_t attributes,
			  struct xlat_mapping *rest, struct kx_refusal *why)
{
	uint64_t type = level == PAGE_LEVEL ? DESC_IS_PAGE : DESC_IS_BLOCK;
	uint64_t size = level_size(level);
	size_t i = table_index(rest->va, level);

	for (; i < XLAT_TABLE_LENGTH && rest->size >= size; i++) {
		if (table[i] != 0)
			return kx_refuse(why, KX_E_MAPPING, "mapping overlaps another", rest->va,
					 rest->va + size);
		store_descriptor(&table[i], rest->pa | attributes | type);
		rest->va += size;
		rest->pa += size;
		rest->size -= size;
	}
	return KX_OK;
}

static enum kx_error check(const struct xlat_mapping *m, enum xlat_va_bits va_bits,
			   struct kx_refusal *why)
{
	uint64_t va_size = 1ull << va_bits;
	uint64_t offset = va_offset(m->va, va_bits);
	uint64_t above = m->va - offset;
	const char *what = NULL;

	if (m->size == 0)
		what = "mapping is empty";
	else if ((m->va | m->pa | m->size) % XLAT_PAGE_SIZE != 0)
		what = "mapping is not 4 KiB aligned";
	else if ((above != 0 && above != -va_size) || m->size > va_size - offset)
		what = "mapping beyond the virtual address range";
	if (what)
		return kx_refuse(why, KX_E_MAPPING, what, m->va, m->va + m->size);

	if (m->size > PA_SIZE || m->pa > PA_SIZE - m->size)
		return kx_refuse(why, KX_E_ADDRESS, "mapping of physical memory beyond 48 bits",
				 m->pa, m->pa + m->size);
	return KX_OK;
}

enum kx_error xlat_map(struct xlat *x, const struct xlat_mapping *m, struct kx_refusal *why)
{
	struct xlat_mapping rest = *m;
	enum kx_error error = check(m, x->va_bits, why);

	while (!error && rest.size > 0) {
		uint64_t *table = x->root;
		unsigned int level = root_level(x->va_bits);

		while (!error && (level < FIRST_BLOCK_LEVEL || !fits(&rest, level)))
			error = descend(x->pool, &table, level++, &rest, why);
		if (!error)
			error = fill(table, level, templates[x->regime][m->prot], &rest, why);
	}
	return error;
}
