/* SPDX-License-Identifier: MIT */
/* As many runs as large payloads have, put in order in a short time. */
#include "kimage/order.h"

#include <stdlib.h>
#include <time.h>

#include "runs.h"

/* Many runs. Pages are numbers here: page p holds p at first. */
struct crowd {
	struct run *runs;
	size_t count;
	size_t pages;
	struct run *out;
	size_t out_count;
};

static void crowd_make(struct crowd *c, size_t count)
{
	c->count = count;
	c->runs = calloc(count, sizeof(*c->runs));
}

/* Orders, and checks that it took no time to speak of. The bound is loose. */
static void crowd_order(struct crowd *c)
{
	struct kx_refusal why;
	size_t work_size;
	clock_t start;
	void *work;

	c->pages = runs_pages(c->runs, c->count);
	work_size = order_work_size(c->pages);
	work = malloc(work_size);
	c->out = calloc(order_max(c->pages), sizeof(*c->out));
	start = clock();
	assert_int_equal(order_runs(c->runs, c->count, 0, c->out, order_max(c->pages),
				    &c->out_count, work, work_size, &why),
			 KX_OK);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	free(work);
}

/* Executes the ordered runs on pages from 0, the spare one, to limit, and frees the crowd. */
static void crowd_check(struct crowd *c, size_t limit)
{
	uint32_t *memory = calloc(limit, sizeof(*memory));

	for (size_t i = 0; i < limit; i++)
		memory[i] = (uint32_t)i;
	for (size_t i = 0; i < c->out_count; i++)
		for (size_t n = 0; n < c->out[i].length / PAGE; n++)
			memory[c->out[i].destination / PAGE + n] =
				memory[c->out[i].source / PAGE + n];
	for (size_t i = 0; i < c->count; i++)
		for (size_t n = 0; n < c->runs[i].length / PAGE; n++)
			assert_int_equal(memory[c->runs[i].destination / PAGE + n],
					 c->runs[i].source / PAGE + n);
	free(memory);
	free(c->runs);
	free(c->out);
}

#define MANY 262144

static void test_many_permuted(void **state)
{
	struct crowd c;
	uint64_t seed = 7;

	(void)state;
	crowd_make(&c, MANY);
	for (size_t i = 0; i < MANY; i++) {
		size_t j = random_below(&seed, i + 1);

		c.runs[i] = (struct run){0, (i + 1) * PAGE, PAGE, RUN_COPY};
		c.runs[i].source = c.runs[j].source;
		c.runs[j].source = (i + 1) * PAGE;
	}
	runs_shuffle(&seed, c.runs, c.count);
	crowd_order(&c);
	crowd_check(&c, MANY + 1);
}

/* A list whose pages come in falling order, each going one page up. */
static void test_many_shifted_up(void **state)
{
	struct crowd c;

	(void)state;
	crowd_make(&c, MANY);
	for (size_t i = 0; i < MANY; i++)
		c.runs[i] = (struct run){(MANY - i) * PAGE, (MANY - i + 1) * PAGE, PAGE, RUN_COPY};
	crowd_order(&c);
	crowd_check(&c, MANY + 2);
}

/* Every run reads all pages of a stretch that as many single pages go to. */
static void test_many_shared(void **state)
{
	struct crowd c;
	size_t side = 512;

	(void)state;
	crowd_make(&c, 2 * side);
	for (size_t i = 0; i < side; i++) {
		c.runs[i] = (struct run){PAGE, (2 + i) * side * PAGE, side * PAGE, RUN_COPY};
		c.runs[side + i] = (struct run){2 * side * PAGE, (1 + i) * PAGE, PAGE, RUN_COPY};
	}
	crowd_order(&c);
	crowd_check(&c, (2 + side) * side);
}

/* 40 MB change places with 40 MB: three copies for two pages, and no more. */
static void test_big_swap(void **state)
{
	size_t half = 10240;
	struct crowd c;

	(void)state;
	crowd_make(&c, 2);
	c.runs[0] = (struct run){PAGE, (1 + half) * PAGE, half * PAGE, RUN_COPY};
	c.runs[1] = (struct run){(1 + half) * PAGE, PAGE, half * PAGE, RUN_COPY};
	crowd_order(&c);
	assert_int_equal(c.out_count, 3 * half);
	crowd_check(&c, 2 * half + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_permuted),
		cmocka_unit_test(test_many_shifted_up),
		cmocka_unit_test(test_many_shared),
		cmocka_unit_test(test_big_swap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
