/* SPDX-License-Identifier: MIT */
/* Runs for several cores: what depends on what comes first, and chunks miss and repeat nothing. */
#include "kimage/share.h"

#include <string.h>

#define P(page) ((uint64_t)(page)*PAGE)
#include "runs.h"

#define RUNS_MAX  40
#define PAGES_MAX 200
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))

static void test_partition(void **state)
{
	struct run runs[] = {COPY(100, 10, 4),		 STAY(50, 2),	  COPY(20, 30, 5),
			     {0, P(60), PAGE, RUN_ZERO}, COPY(40, 20, 1), COPY(200, 61, 2)};
	const struct run want[] = {COPY(20, 30, 5), {0, P(60), PAGE, RUN_ZERO},
				   COPY(40, 20, 1), COPY(100, 10, 4),
				   STAY(50, 2),	    COPY(200, 61, 2)};
	const struct range both[] = {{P(20), P(21)}, {P(60), P(61)}};
	struct run scratch[COUNT(runs)];

	(void)state;
	assert_int_equal(share_partition(runs, COUNT(runs), both, 2, scratch), 3);
	assert_runs(runs, COUNT(runs), want, COUNT(want));
}

/* A source that begins or ends within a page, and the pages that a short run has in whole. */
static void test_partition_of_bytes(void **state)
{
	const struct range both[] = {{P(20), P(21)}};
	struct run scratch[1];
	struct run runs[] = {
		{P(19) + 1, P(40), PAGE, RUN_COPY}, /* reads a byte of it */
		{P(19) + 1, P(40), PAGE - 1, RUN_COPY},
		{P(1), P(19), PAGE + 1, RUN_COPY}, /* zeroes the rest of it */
		{P(1), P(19), PAGE, RUN_COPY},
		{P(20), P(20), PAGE, RUN_IN_PLACE}, /* touches nothing */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(runs); i++)
		assert_int_equal(share_partition(&runs[i], 1, both, 1, scratch), i == 0 || i == 2);
}

static void test_nothing_shared(void **state)
{
	struct run run = COPY(1, 2, 1);

	(void)state;
	assert_int_equal(share_partition(&run, 1, NULL, 0, NULL), 0);
	assert_int_equal(share_bytes(NULL, 0), 0);
	assert_int_equal(share_chunks(0), 0);
	assert_int_equal(share_chunks(1), 1);
	assert_int_equal(share_chunks(SHARE_CHUNK), 1);
	assert_int_equal(share_chunks(SHARE_CHUNK + 1), 2);
}

static struct run random_run(uint64_t *seed, uint64_t *at)
{
	static const uint32_t kinds[] = {RUN_COPY, RUN_COPY, RUN_ZERO, RUN_IN_PLACE};
	uint64_t length = 1 + random_below(seed, P(random_below(seed, 4) ? 3 : PAGES_MAX));
	struct run run = {0, *at, length, kinds[random_below(seed, COUNT(kinds))]};

	*at += runs_whole_pages(length);
	if (run.kind == RUN_COPY)
		run.source = random_below(seed, 1 << 30);
	if (run.kind == RUN_IN_PLACE)
		run.source = run.destination;
	return run;
}

/* The pieces of all chunks are the runs again, in order and without a gap. */
static void check_pieces(const struct run *runs, size_t first, size_t count,
			 const struct share_chunk *chunks, size_t chunk_count)
{
	struct share_chunk at = {first, 0};

	for (size_t i = 0; i < chunk_count; i++) {
		struct share_reader r = share_open(runs, count, chunks[i]);
		uint64_t size = 0;
		struct run piece;

		while (share_next(&r, &piece)) {
			const struct run *run;

			while (at.run < count && (runs[at.run].kind == RUN_IN_PLACE ||
						  at.offset >= runs[at.run].length))
				at = (struct share_chunk){at.run + 1, 0};
			assert_true(at.run < count);
			run = &runs[at.run];
			assert_int_equal(piece.kind, run->kind);
			assert_int_equal(piece.destination, run->destination + at.offset);
			assert_int_equal(piece.source,
					 run->kind == RUN_ZERO ? 0 : run->source + at.offset);
			assert_true(piece.length <= run->length - at.offset);
			assert_int_equal(r.at.run, at.run);
			at.offset += piece.length;
			size += runs_whole_pages(piece.length);
		}
		assert_true(size == SHARE_CHUNK || (i + 1 == chunk_count && size));
	}
	while (at.run < count &&
	       (runs[at.run].kind == RUN_IN_PLACE || at.offset >= runs[at.run].length))
		at = (struct share_chunk){at.run + 1, 0};
	assert_int_equal(at.run, count);
}

static void test_chunks(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		size_t count = random_below(&seed, RUNS_MAX), first = 0, n;
		struct share_chunk chunks[RUNS_MAX * PAGES_MAX * KX_PAGE_SIZE / SHARE_CHUNK + 1];
		struct run runs[RUNS_MAX];
		uint64_t at = P(5);

		for (size_t i = 0; i < count; i++)
			runs[i] = random_run(&seed, &at);
		if (count)
			first = random_below(&seed, count);
		n = share_chunks(share_bytes(runs + first, count - first));
		assert_true(n <= COUNT(chunks));
		share_cut(runs, first, count, chunks);
		check_pieces(runs, first, count, chunks, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_partition_of_bytes),
		cmocka_unit_test(test_nothing_shared),
		cmocka_unit_test(test_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
