/* SPDX-License-Identifier: MIT */
/* Runs in the tables of tests. P(page), the address of a page, is the includer's. */
#ifndef TESTS_UNIT_RUNS_H
#define TESTS_UNIT_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kexpress/list.h>

#include "kimage/run.h"
#include "random.h"

#define PAGE ((uint64_t)KX_PAGE_SIZE)

#define COPY(from, to, n)                          \
	{                                          \
		P(from), P(to), (n)*PAGE, RUN_COPY \
	}
#define STAY(page, n)                                    \
	{                                                \
		P(page), P(page), (n)*PAGE, RUN_IN_PLACE \
	}

static inline void assert_runs(const struct run *runs, size_t count, const struct run *want,
			       size_t want_count)
{
	assert_int_equal(count, want_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runs[i].source, want[i].source);
		assert_int_equal(runs[i].destination, want[i].destination);
		assert_int_equal(runs[i].length, want[i].length);
		assert_int_equal(runs[i].kind, want[i].kind);
	}
}

static inline uint64_t runs_whole_pages(uint64_t length)
{
	return (length + PAGE - 1) / PAGE * PAGE;
}

static inline uint64_t runs_pages(const struct run *runs, size_t count)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += runs_whole_pages(runs[i].length) / PAGE;
	return pages;
}

static inline void runs_shuffle(uint64_t *seed, struct run *runs, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		size_t j = random_below(seed, i + 1);
		struct run run = runs[i];

		runs[i] = runs[j];
		runs[j] = run;
	}
}

#endif /* TESTS_UNIT_RUNS_H */
