/* SPDX-License-Identifier: MIT */
/*
 * A table walker for tests: what the MMU makes of an address by the Arm ARM (DDI 0487, D8.2 to D8.4
 * and "Memory region attributes"), for stage 1, all granules, FEAT_LPA, FEAT_LVA and FEAT_LPA2. It
 * shares nothing with the code that builds tables, so that an error made there is not made here
 * too.
 *
 * It is stricter than hardware: a bit set against RES0 or RES1, and any hierarchical permission, is
 * a fault of its own kind.
 */
#ifndef TESTS_UNIT_WALKER_H
#define TESTS_UNIT_WALKER_H

#include <stdbool.h>
#include <stdint.h>

/* What TCR, TTBR and MAIR say, and the memory that tables are read from. */
struct walker {
	unsigned int granule; /* TCR.TG, as log2 of bytes; 0: 12 */
	unsigned int txsz;    /* TCR.TxSZ: the address has 64 - txsz bits */
	unsigned int pa_bits; /* TCR.PS, in bits */
	bool ds;	      /* TCR.DS: FEAT_LPA2's descriptors */
	unsigned int sh;      /* TCR.SH, which counts with them */
	bool upper;	      /* TTBR1: the bits above must be ones */
	bool two_privileges;  /* the regime has EL0: AP[1], PXN and UXN mean something */
	uint64_t ttbr;	      /* the register's value */
	uint64_t mair;
	const uint64_t *memory; /* as at memory_pa, memory_size bytes */
	uint64_t memory_pa;
	uint64_t memory_size;
};

enum walk_kind {
	WALK_MAPPED,
	WALK_TRANSLATION_FAULT,
	WALK_ADDRESS_SIZE_FAULT,
	WALK_ACCESS_FLAG_FAULT,
	WALK_EXTERNAL_ABORT, /* a table outside the memory */
	WALK_RESERVED,	     /* a descriptor against the architecture */
};

struct walk {
	enum walk_kind kind;
	int level;	/* of the last descriptor read */
	uint64_t span;	/* bytes that this descriptor stands for; 0 if none was read */
	uint64_t pa;	/* the output address */
	uint8_t memory; /* the MAIR byte */
	uint8_t shareability;
	bool global;
	bool contiguous;
	bool read, write, execute;		  /* at the regime's own exception level */
	bool user_read, user_write, user_execute; /* at EL0 */
};

/* Bits high to low of word, inclusive. */
static inline uint64_t walker_bits(uint64_t word, unsigned int high, unsigned int low)
{
	return word << (63 - high) >> (63 - high + low);
}

static inline bool walker_bit(uint64_t word, unsigned int bit)
{
	return word >> bit & 1;
}

static inline unsigned int walker_granule(const struct walker *w)
{
	return w->granule ? w->granule : 12;
}

/* Addresses of 52 bits, whose highest stand elsewhere than the rest. */
static inline bool walker_is_wide(const struct walker *w)
{
	return w->ds || (w->granule == 16 && w->pa_bits == 52);
}

/* How many bits of address lie below the index of a level, -1 to 3. */
static inline unsigned int walker_low_bits(const struct walker *w, int level)
{
	static const unsigned int of_4k[] = {48, 39, 30, 21, 12};
	static const unsigned int of_16k[] = {58, 47, 36, 25, 14};
	static const unsigned int of_64k[] = {64, 55, 42, 29, 16};

	switch (walker_granule(w)) {
	case 12:
		return of_4k[level + 1];
	case 14:
		return of_16k[level + 1];
	default:
		return of_64k[level + 1];
	}
}

/* The initial lookup level by TxSZ. */
static inline int walker_initial_level(const struct walker *w)
{
	switch (walker_granule(w)) {
	case 12:
		return w->txsz <= 15   ? -1
		       : w->txsz <= 24 ? 0
		       : w->txsz <= 33 ? 1
		       : w->txsz <= 42 ? 2
				       : 3;
	case 14:
		return w->txsz <= 16 ? 0 : w->txsz <= 27 ? 1 : w->txsz <= 38 ? 2 : 3;
	default:
		return w->txsz <= 21 ? 1 : w->txsz <= 34 ? 2 : 3;
	}
}

/* The highest level with blocks. */
static inline int walker_block_level(const struct walker *w)
{
	switch (walker_granule(w)) {
	case 12:
		return w->ds ? 0 : 1;
	case 14:
		return w->ds ? 1 : 2;
	default:
		return w->pa_bits == 52 ? 1 : 2;
	}
}

static inline bool walker_in_range(const struct walker *w, uint64_t va)
{
	uint64_t above = walker_bits(va, 63, 64 - w->txsz);

	return above == (w->upper ? walker_bits(~0ull, w->txsz - 1, 0) : 0);
}

/* Reads the descriptor for va from the table of a level; false: no memory there. */
static inline bool walker_fetch(const struct walker *w, uint64_t table, int level, uint64_t va,
				uint64_t *descriptor)
{
	unsigned int high = walker_low_bits(w, level) + walker_granule(w) - 4;
	uint64_t at;

	if (high > 63 - w->txsz)
		high = 63 - w->txsz;
	at = table + walker_bits(va, high, walker_low_bits(w, level)) * 8;
	if (at < w->memory_pa || at - w->memory_pa >= w->memory_size)
		return false;
	*descriptor = w->memory[(at - w->memory_pa) / 8];
	return true;
}

/* The output address of a table, block or page descriptor: bits from low up. */
static inline uint64_t walker_output(const struct walker *w, uint64_t d, unsigned int low)
{
	if (w->ds)
		return walker_bits(d, 9, 8) << 50 | walker_bits(d, 49, low) << low;
	if (walker_is_wide(w))
		return walker_bits(d, 15, 12) << 48 | walker_bits(d, 47, low) << low;
	return walker_bits(d, 47, low) << low;
}

/* Whether the bits around an output address that starts at low are 0: from "from" to "to" they
 * belong to nothing. */
static inline bool walker_output_is_proper(const struct walker *w, uint64_t d, unsigned int low)
{
	unsigned int from = walker_is_wide(w) && !w->ds ? 16 : 12;

	if (walker_bits(d, 50, w->ds ? 50 : 48) != 0)
		return false;
	return low <= from || walker_bits(d, low - 1, from) == 0;
}

/* RES0 and RES1 of block and page descriptors where no optional feature gives them a meaning, in
 * Non-secure state (so bit 5, NS, is RES0). */
static inline bool walker_leaf_is_proper(const struct walker *w, uint64_t d, int level)
{
	if (walker_bit(d, 51) || walker_bit(d, 5))
		return false;
	if (!walker_output_is_proper(w, d, walker_low_bits(w, level)))
		return false;
	if (!w->ds && walker_bits(d, 9, 8) == 1) /* a shareability that is reserved */
		return false;
	return w->two_privileges || (walker_bit(d, 6) && !walker_bit(d, 53) && !walker_bit(d, 11));
}

static inline void walker_permissions(const struct walker *w, uint64_t d, struct walk *walk)
{
	walk->read = true;
	walk->write = !walker_bit(d, 7);
	if (!w->two_privileges) {
		walk->execute = !walker_bit(d, 54);
		return;
	}
	walk->user_read = walker_bit(d, 6);
	walk->user_write = walk->user_read && walk->write;
	walk->user_execute = !walker_bit(d, 54);
	walk->execute = !walker_bit(d, 53) && !walk->user_write;
}

/* Bits 63 to 59 are NSTable, APTable, UXNTable and PXNTable. */
static inline bool walker_table_is_proper(const struct walker *w, uint64_t d)
{
	return walker_bits(d, 63, 59) == 0 && walker_output_is_proper(w, d, walker_granule(w));
}

static inline enum walk_kind walker_leaf(const struct walker *w, uint64_t d, uint64_t va,
					 struct walk *walk)
{
	unsigned int low = walker_low_bits(w, walk->level);

	if (!walker_leaf_is_proper(w, d, walk->level))
		return WALK_RESERVED;
	walk->pa = walker_output(w, d, low) | walker_bits(va, low - 1, 0);
	if (walk->pa >> w->pa_bits != 0)
		return WALK_ADDRESS_SIZE_FAULT;
	if (!walker_bit(d, 10))
		return WALK_ACCESS_FLAG_FAULT;
	walk->memory = (uint8_t)(w->mair >> 8 * walker_bits(d, 4, 2));
	walk->shareability = (uint8_t)(w->ds ? w->sh : walker_bits(d, 9, 8));
	walk->global = !walker_bit(d, 11);
	walk->contiguous = walker_bit(d, 52);
	walker_permissions(w, d, walk);
	return WALK_MAPPED;
}

/* TTBR.BADDR. A root is aligned to its size; one for 52-bit addresses to at least 64 bytes. */
static inline uint64_t walker_root(const struct walker *w)
{
	if (walker_is_wide(w))
		return walker_bits(w->ttbr, 5, 2) << 48 | walker_bits(w->ttbr, 47, 6) << 6;
	return walker_bits(w->ttbr, 47, 1) << 1;
}

/* One table a turn; the level ends it. */
static inline enum walk_kind walker_descend(const struct walker *w, uint64_t va, struct walk *walk)
{
	uint64_t table = walker_root(w);

	for (walk->level = walker_initial_level(w);; walk->level++) {
		uint64_t d;

		if (table >> w->pa_bits != 0)
			return WALK_ADDRESS_SIZE_FAULT;
		if (!walker_fetch(w, table, walk->level, va, &d))
			return WALK_EXTERNAL_ABORT;
		walk->span = 1ull << walker_low_bits(w, walk->level);
		if (!walker_bit(d, 0))
			return WALK_TRANSLATION_FAULT;
		if (walk->level == 3)
			return walker_bit(d, 1) ? walker_leaf(w, d, va, walk)
						: WALK_TRANSLATION_FAULT;
		if (!walker_bit(d, 1))
			return walk->level < walker_block_level(w) ? WALK_TRANSLATION_FAULT
								   : walker_leaf(w, d, va, walk);
		if (!walker_table_is_proper(w, d))
			return WALK_RESERVED;
		table = walker_output(w, d, walker_granule(w));
	}
}

/* What becomes of an access to va. */
static inline struct walk walker_walk(const struct walker *w, uint64_t va)
{
	struct walk walk = {.level = walker_initial_level(w)};

	walk.kind = walker_in_range(w, va) ? walker_descend(w, va, &walk) : WALK_TRANSLATION_FAULT;
	return walk;
}

#endif /* TESTS_UNIT_WALKER_H */
