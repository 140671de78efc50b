/* SPDX-License-Identifier: MIT */
/*
 * Transitional translation tables: VMSAv8-64, of any geometry (Arm ARM DDI 0487, D8.2 and D8.3).
 * One function maps at all levels; it takes the largest block that fits. Tables come from a pool
 * handed in, are built while nobody walks them, and are never edited afterwards.
 *
 * This code also runs with the MMU off, where every access is Device memory: it makes only aligned
 * accesses and calls nothing outside itself (tests/lint checks the object).
 */
#ifndef XLAT_XLAT_H
#define XLAT_XLAT_H

#include <kexpress/error.h>
#include <stddef.h>
#include <stdint.h>

#include "geometry.h"

/* What may be done with memory, and its type: an index into the protections of xlat.c, where each
 * is a descriptor template. All Normal memory is write-back, inner shareable. */
enum xlat_prot { XLAT_CODE, XLAT_READ, XLAT_WRITE, XLAT_DEVICE };

/* One mapping: [va, va + size) to pa. All three whole granules, size not 0. */
struct xlat_mapping {
	uint64_t va;
	uint64_t pa;
	uint64_t size;
	enum xlat_prot prot;
};

/* [start, end) at its own address. */
static inline struct xlat_mapping xlat_identity(uint64_t start, uint64_t end, enum xlat_prot prot)
{
	return (struct xlat_mapping){start, start, end - start, prot};
}

/* A pool of tables: max tables, each a granule, at pointer tables, whose physical address is pa
 * (a whole granule too). Need not be zeroed. */
struct xlat_pool {
	uint64_t *tables;
	uint64_t pa;
	size_t max;
	size_t used;
};

/*
 * The regime decides how "privileged only" and "execute never" are spelt: EL1 and EL2 with E2H have
 * two privilege levels (AP, PXN, UXN), EL2 without E2H has one (AP[2] and XN; AP[1] is RES1).
 */
enum xlat_regime { XLAT_EL1, XLAT_EL2 };

struct xlat {
	struct xlat_pool *pool;
	uint64_t *root;
	uint64_t root_pa;
	struct xlat_geometry geometry;
	enum xlat_regime regime;
};

/* Number of tables, the root included, that mapping maps[0..count) takes. maps must be sorted by
 * va (low va_bits only: an upper-half address counts as its offset) and disjoint. */
size_t xlat_count(const struct xlat_mapping *maps, size_t count, struct xlat_geometry g);

/* Takes a root table from pool. Errors: TABLES, ADDRESS. */
enum kx_error xlat_init(struct xlat *x, struct xlat_pool *pool, struct xlat_geometry g,
			enum xlat_regime regime, struct kx_refusal *why);

/*
 * Adds one mapping. The bits of va above va_bits must be all 0 or all 1: lower- and upper-half
 * addresses work alike. At EL2 without E2H, bit va_bits - 1 is an ordinary address bit.
 * Errors: MAPPING (empty, misaligned, overlapping, wraps, beyond va_bits), ADDRESS (pa or a table
 * beyond pa_bits), TABLES. why names virtual addresses for MAPPING, else physical ones. After an
 * error the tables must not be used.
 */
enum kx_error xlat_map(struct xlat *x, const struct xlat_mapping *m, struct kx_refusal *why);

#endif /* XLAT_XLAT_H */
