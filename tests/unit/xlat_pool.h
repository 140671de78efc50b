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
#define GARBAGE 0xa5a5a5a5a5a5a5a7ull /* looks like a table descriptor */
#define POOL_PA (37 * GIB + 5 * PAGE) /* unlike any pointer of the host, to tell them apart */

/* A heap block of exactly the tables allowed, so that ASan sees a store beyond them. */
static inline struct xlat_pool pool_new(size_t max, uint64_t pa)
{
	struct xlat_pool pool = {.pa = pa, .max = max};

	pool.tables = malloc(max * PAGE);
	assert_non_null(pool.tables);
	for (size_t i = 0; i < max * XLAT_TABLE_LENGTH; i++)
		pool.tables[i] = GARBAGE;
	return pool;
}

#endif /* TESTS_UNIT_XLAT_POOL_H */
