/* SPDX-License-Identifier: MIT */
/* Runs that order_runs puts in order, executed in an arena that stands for RAM and compared with
 * what each page had to become. */
#ifndef TESTS_UNIT_ORDER_SCENE_H
#define TESTS_UNIT_ORDER_SCENE_H

#include "kimage/order.h"

#include <stdlib.h>
#include <string.h>

#include "runs.h"

#define LINE	    64
#define ARENA_PAGES 16
#define ARENA_SIZE  (ARENA_PAGES * PAGE)
#define BASE	    0ull /* so that a RUN_ZERO's source, which is none, is also an address */
#define P(page)	    (BASE + (page)*PAGE)
#define MAX_RUNS    (2 * ARENA_PAGES)
#define SPARE	    15

#define BYTES(from, to, n)                        \
	{                                         \
		BASE + (from), P(to), n, RUN_COPY \
	}
#define ZERO(to, n)                          \
	{                                    \
		0, P(to), (n)*PAGE, RUN_ZERO \
	}
#define EMPTY(to)                     \
	{                             \
		0, P(to), 0, RUN_COPY \
	}

static uint8_t before[ARENA_SIZE]; /* a different byte string in each page */
static uint8_t arena[ARENA_SIZE];
static uint8_t wanted[ARENA_SIZE];

/* A set of runs, and what order_runs makes of it. */
struct scene {
	struct run runs[MAX_RUNS];
	size_t count;
	uint64_t spare;
	struct run out[MAX_RUNS];
	size_t out_count;
	struct kx_refusal why;
};

/* Orders with exactly the memory that the contract asks for. */
static inline enum kx_error scene_order(struct scene *s)
{
	uint64_t pages = runs_pages(s->runs, s->count);
	size_t work_size = order_work_size(pages);
	void *work = malloc(work_size);
	enum kx_error error;

	assert_true(order_max(pages) <= MAX_RUNS);
	s->why = (struct kx_refusal){0};
	error = order_runs(s->runs, s->count, s->spare, s->out, order_max(pages), &s->out_count,
			   work, work_size, &s->why);
	assert_int_equal(s->why.error, error);
	free(work);
	return error;
}

static inline uint8_t *scene_at(uint8_t *memory, uint64_t address)
{
	return memory + (address - BASE);
}

/*
 * Copies forward line by line. Where the destination pages do not hold the source, they are zeroed
 * first, as an executor does that saves itself reading the lines it is about to write. False if
 * they hold it in a way that order_runs promises not to give.
 */
static inline bool scene_execute_copy(const struct run *run)
{
	uint64_t size = runs_whole_pages(run->length);
	uint8_t line[LINE];

	if (run->source >= run->destination + size || run->source + run->length <= run->destination)
		memset(scene_at(arena, run->destination), 0, size);
	else if (run->source != run->destination && run->source < run->destination + PAGE)
		return false;
	for (uint64_t done = 0; done < run->length; done += LINE) {
		size_t n = run->length - done < LINE ? run->length - done : LINE;

		memcpy(line, scene_at(arena, run->source + done), n);
		memcpy(scene_at(arena, run->destination + done), line, n);
	}
	memset(scene_at(arena, run->destination + run->length), 0, size - run->length);
	return true;
}

/* Executes the ordered runs. False if one is not as promised. */
static inline bool scene_execute(const struct scene *s)
{
	bool started = false;
	bool good = true;

	memcpy(arena, before, ARENA_SIZE);
	for (size_t i = 0; i < s->out_count; i++) {
		const struct run *run = &s->out[i];

		good &= run->length && !(started && run->kind == RUN_IN_PLACE);
		started = run->kind != RUN_IN_PLACE;
		if (run->kind == RUN_COPY)
			good &= scene_execute_copy(run);
		else if (run->kind == RUN_ZERO)
			memset(scene_at(arena, run->destination), 0, runs_whole_pages(run->length));
	}
	return good;
}

/* What memory must be afterwards. The spare page may hold anything. */
static inline void scene_want(const struct run *runs, size_t count)
{
	memcpy(wanted, before, ARENA_SIZE);
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i];
		uint8_t *to = scene_at(wanted, run->destination);

		if (run->kind == RUN_IN_PLACE)
			continue;
		memset(to, 0, runs_whole_pages(run->length));
		if (run->kind == RUN_COPY)
			memcpy(to, scene_at(before, run->source), run->length);
	}
}

static inline bool scene_as_wanted(const struct scene *s)
{
	memcpy(scene_at(wanted, s->spare), scene_at(arena, s->spare), PAGE);
	return !memcmp(arena, wanted, ARENA_SIZE);
}

static inline int scene_fill(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (size_t i = 0; i < ARENA_SIZE; i += 8) {
		uint64_t value = random_next(&seed) | 1;

		memcpy(before + i, &value, 8);
	}
	return 0;
}

#endif /* TESTS_UNIT_ORDER_SCENE_H */
