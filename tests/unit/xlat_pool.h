/* SPDX-License-Identifier: MIT */
/* Memory for tables, and the sizes that tests of them speak of. */
#ifndef TESTS_UNIT_XLAT_POOL_H
#define TESTS_UNIT_XLAT_POOL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "xlat/xlat.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define PAGE	(4 * KIB)
#define GARBAGE 0xa5a5a5a5a5a5a5a7ull  /* looks like a table descriptor */
#define POOL_PA (37 * GIB + 16 * PAGE) /* unlike any pointer of the host, to tell them apart */

/* Granule, virtual and physical bits, whether FEAT_LPA2's descriptors. */
#define GEOMETRY_4K_30            \
	{                         \
		12, 30, 48, false \
	}
#define GEOMETRY_4K_39            \
	{                         \
		12, 39, 48, false \
	}
#define GEOMETRY_4K_48            \
	{                         \
		12, 48, 48, false \
	}
#define GEOMETRY_4K_52           \
	{                        \
		12, 52, 52, true \
	}
#define GEOMETRY_16K_36           \
	{                         \
		14, 36, 48, false \
	}
#define GEOMETRY_16K_47           \
	{                         \
		14, 47, 48, false \
	}
#define GEOMETRY_16K_48           \
	{                         \
		14, 48, 48, false \
	}
#define GEOMETRY_16K_52          \
	{                        \
		14, 52, 52, true \
	}
#define GEOMETRY_64K_42           \
	{                         \
		16, 42, 48, false \
	}
#define GEOMETRY_64K_48           \
	{                         \
		16, 48, 48, false \
	}
#define GEOMETRY_64K_LPA          \
	{                         \
		16, 48, 52, false \
	} /* FEAT_LPA without FEAT_LVA */
#define GEOMETRY_64K_52           \
	{                         \
		16, 52, 52, false \
	}

/* A heap block of exactly the tables allowed, so that ASan sees a store beyond them. */
static inline struct xlat_pool pool_new(size_t max, struct xlat_geometry g, uint64_t pa)
{
	struct xlat_pool pool = {.pa = pa, .max = max};
	size_t length = max * geometry_table_length(g);

	pool.tables = malloc(length * sizeof(*pool.tables));
	assert_non_null(pool.tables);
	for (size_t i = 0; i < length; i++)
		pool.tables[i] = GARBAGE;
	return pool;
}

#endif /* TESTS_UNIT_XLAT_POOL_H */
