/* SPDX-License-Identifier: MIT */
/* Runs that cannot be put in order, and room that does not do. */
#include "order_scene.h"

static const struct refusal {
	const char *name;
	size_t count;
	struct run runs[3];
	enum kx_error error;
	uint64_t start;
} refusals[] = {
	{.name = "destination written twice",
	 .count = 2,
	 .runs = {COPY(8, 0, 3), COPY(12, 2, 1)},
	 .error = KX_E_DEST_TWICE,
	 .start = P(2)},
	{.name = "same destination",
	 .count = 2,
	 .runs = {COPY(8, 0, 1), ZERO(0, 1)},
	 .error = KX_E_DEST_TWICE,
	 .start = P(0)},
	{.name = "what stays is written",
	 .count = 2,
	 .runs = {STAY(0, 2), COPY(8, 1, 1)},
	 .error = KX_E_DEST_TWICE,
	 .start = P(1)},
	{.name = "what is written stays",
	 .count = 2,
	 .runs = {STAY(1, 1), COPY(8, 0, 2)},
	 .error = KX_E_DEST_TWICE,
	 .start = P(1)},
	{.name = "last page is shared",
	 .count = 2,
	 .runs = {BYTES(8 * PAGE, 0, PAGE + 1), COPY(12, 1, 1)},
	 .error = KX_E_DEST_TWICE,
	 .start = P(1)},
	{.name = "destination not aligned",
	 .count = 1,
	 .runs = {{P(0), P(2) + 8, PAGE, RUN_COPY}},
	 .error = KX_E_ALIGN,
	 .start = P(2) + 8},
	{.name = "swap, one source not aligned",
	 .count = 2,
	 .runs = {BYTES(64, 4, PAGE - 64), COPY(4, 0, 1)},
	 .error = KX_E_ALIGN,
	 .start = P(0) + 64},
	{.name = "destination wraps",
	 .count = 1,
	 .runs = {{P(0), -PAGE, 2 * PAGE, RUN_COPY}},
	 .error = KX_E_DEST_RANGE,
	 .start = -PAGE},
	{.name = "destination ends with the address space",
	 .count = 1,
	 .runs = {{P(0), -PAGE, 1, RUN_COPY}},
	 .error = KX_E_DEST_RANGE,
	 .start = -PAGE},
	{.name = "destination last of all, not aligned, among empty runs",
	 .count = 3,
	 .runs = {EMPTY(0), {P(0), UINT64_MAX, 1, RUN_COPY}, EMPTY(0)},
	 .error = KX_E_DEST_RANGE,
	 .start = UINT64_MAX},
	{.name = "source wraps",
	 .count = 1,
	 .runs = {{UINT64_MAX - 5, P(0), 10, RUN_COPY}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = UINT64_MAX - 5},
	{.name = "length of all addresses",
	 .count = 1,
	 .runs = {{0, P(0), UINT64_MAX, RUN_COPY}},
	 .error = KX_E_DEST_RANGE,
	 .start = P(0)},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *refusal = &refusals[i];
		struct scene s = {.count = refusal->count, .spare = P(SPARE)};
		uint8_t work[4096] __attribute__((aligned(8)));

		print_message("%s\n", refusal->name);
		memcpy(s.runs, refusal->runs, sizeof(refusal->runs));
		assert_int_equal(order_runs(s.runs, s.count, s.spare, s.out, MAX_RUNS, &s.out_count,
					    work, sizeof(work), &s.why),
				 refusal->error);
		assert_int_equal(s.why.error, refusal->error);
		assert_int_equal(s.why.start, refusal->start);
	}
}

static void test_room(void **state)
{
	const struct run swap[] = {COPY(0, 4, 2), COPY(4, 0, 2)};
	struct run out[6];
	struct run runs[2];
	size_t work_size = order_work_size(4);
	void *work = malloc(work_size);
	struct kx_refusal why;
	size_t count;

	(void)state;
	memcpy(runs, swap, sizeof(runs));
	assert_int_equal(order_runs(runs, 2, P(SPARE), out, 6, &count, work, work_size, &why),
			 KX_OK);
	assert_int_equal(count, 6);
	for (size_t max = 0; max < 6; max++)
		assert_int_equal(order_runs(runs, 2, P(SPARE), max ? out : NULL, max, &count, work,
					    work_size, &why),
				 KX_E_NO_ROOM);
	assert_int_equal(order_runs(runs, 2, P(SPARE), out, 6, &count, work, work_size - 1, &why),
			 KX_E_NO_ROOM);
	free(work);
}

/* Runs of petabytes that meet one another everywhere: refused for want of memory, at once. */
static void test_vast(void **state)
{
	static struct run runs[1 << 15];
	size_t count = sizeof(runs) / sizeof(runs[0]);
	uint64_t size = 1ull << 48;
	uint64_t work[64];
	struct kx_refusal why;
	struct run out;
	size_t out_count;

	(void)state;
	for (size_t i = 0; i < count; i++)
		runs[i] = (struct run){0, (count - i) * size, size, RUN_COPY};
	assert_int_equal(order_runs(runs, count, 0, &out, 1, &out_count, work, sizeof(work), &why),
			 KX_E_NO_ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_vast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
