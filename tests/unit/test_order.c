/* SPDX-License-Identifier: MIT */
/* Ordered runs, executed in an arena that stands for RAM and compared with what each page had to
 * become. */
#include "kimage/order.h"

#include <kexpress/list.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "random.h"

#define PAGE	    ((uint64_t)KX_PAGE_SIZE)
#define LINE	    64
#define ARENA_PAGES 16
#define ARENA_SIZE  (ARENA_PAGES * PAGE)
#define BASE	    0ull /* so that a RUN_ZERO's source, which is none, is also an address */
#define P(page)	    (BASE + (page)*PAGE)
#define MAX_RUNS    (2 * ARENA_PAGES)

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

static uint64_t whole_pages(uint64_t length)
{
	return (length + PAGE - 1) / PAGE * PAGE;
}

static uint64_t pages_of(const struct run *runs, size_t count)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += whole_pages(runs[i].length) / PAGE;
	return pages;
}

/* Orders with exactly the memory that the contract asks for. */
static enum kx_error order(struct scene *s)
{
	uint64_t pages = pages_of(s->runs, s->count);
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

static uint8_t *at(uint8_t *memory, uint64_t address)
{
	return memory + (address - BASE);
}

/*
 * Copies forward line by line. Where the destination pages do not hold the source, they are zeroed
 * first, as an executor does that saves itself reading the lines it is about to write. False if
 * they hold it in a way that order_runs promises not to give.
 */
static bool execute_copy(const struct run *run)
{
	uint64_t size = whole_pages(run->length);
	uint8_t line[LINE];

	if (run->source >= run->destination + size || run->source + run->length <= run->destination)
		memset(at(arena, run->destination), 0, size);
	else if (run->source != run->destination && run->source < run->destination + PAGE)
		return false;
	for (uint64_t done = 0; done < run->length; done += LINE) {
		size_t n = run->length - done < LINE ? run->length - done : LINE;

		memcpy(line, at(arena, run->source + done), n);
		memcpy(at(arena, run->destination + done), line, n);
	}
	memset(at(arena, run->destination + run->length), 0, size - run->length);
	return true;
}

/* Executes the ordered runs. False if one is not as promised. */
static bool execute(const struct scene *s)
{
	bool started = false;
	bool good = true;

	memcpy(arena, before, ARENA_SIZE);
	for (size_t i = 0; i < s->out_count; i++) {
		const struct run *run = &s->out[i];

		good &= run->length && !(started && run->kind == RUN_IN_PLACE);
		started = run->kind != RUN_IN_PLACE;
		if (run->kind == RUN_COPY)
			good &= execute_copy(run);
		else if (run->kind == RUN_ZERO)
			memset(at(arena, run->destination), 0, whole_pages(run->length));
	}
	return good;
}

/* What memory must be afterwards. The spare page may hold anything. */
static void want(const struct run *runs, size_t count)
{
	memcpy(wanted, before, ARENA_SIZE);
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i];
		uint8_t *to = at(wanted, run->destination);

		if (run->kind == RUN_IN_PLACE)
			continue;
		memset(to, 0, whole_pages(run->length));
		if (run->kind == RUN_COPY)
			memcpy(to, at(before, run->source), run->length);
	}
}

static bool as_wanted(const struct scene *s)
{
	memcpy(at(wanted, s->spare), at(arena, s->spare), PAGE);
	return !memcmp(arena, wanted, ARENA_SIZE);
}

static int fill_before(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (size_t i = 0; i < ARENA_SIZE; i += 8) {
		uint64_t value = random_next(&seed) | 1;

		memcpy(before + i, &value, 8);
	}
	return 0;
}

#define VECTOR_RUNS 10
#define COPY(from, to, n)                          \
	{                                          \
		P(from), P(to), (n)*PAGE, RUN_COPY \
	}
#define BYTES(from, to, n)                        \
	{                                         \
		BASE + (from), P(to), n, RUN_COPY \
	}
#define ZERO(to, n)                          \
	{                                    \
		0, P(to), (n)*PAGE, RUN_ZERO \
	}
#define STAY(page, n)                                    \
	{                                                \
		P(page), P(page), (n)*PAGE, RUN_IN_PLACE \
	}
#define EMPTY(to)                     \
	{                             \
		0, P(to), 0, RUN_COPY \
	}
#define SPARE 15

/* Runs, and the very runs that must come out. */
static const struct vector {
	const char *name;
	size_t count;
	struct run runs[VECTOR_RUNS];
	size_t out_count;
	struct run out[VECTOR_RUNS];
	enum kx_error error;
	uint64_t start; /* of the refusal */
} vectors[] = {
	{.name = "nothing"},
	{.name = "one copy",
	 .count = 1,
	 .runs = {COPY(0, 4, 3)},
	 .out_count = 1,
	 .out = {COPY(0, 4, 3)}},
	{.name = "in place first, then by destination",
	 .count = 4,
	 .runs = {COPY(8, 6, 1), ZERO(2, 1), STAY(9, 2), COPY(11, 0, 1)},
	 .out_count = 4,
	 .out = {STAY(9, 2), COPY(11, 0, 1), ZERO(2, 1), COPY(8, 6, 1)}},
	{.name = "neighbours merge, but not with the end of an unfinished page",
	 .count = 4,
	 .runs = {COPY(8, 0, 1), COPY(9, 1, 1), BYTES(10 * PAGE, 2, 100), COPY(11, 3, 1)},
	 .out_count = 2,
	 .out = {BYTES(8 * PAGE, 0, 2 * PAGE + 100), COPY(11, 3, 1)}},
	{.name = "zeroes that seem to lie over their source",
	 .count = 1,
	 .runs = {ZERO(1, 3)},
	 .out_count = 1,
	 .out = {ZERO(1, 3)}},
	{.name = "zeroes do not merge with a copy",
	 .count = 2,
	 .runs = {ZERO(1, 1), COPY(8, 0, 1)},
	 .out_count = 2,
	 .out = {COPY(8, 0, 1), ZERO(1, 1)}},
	{.name = "a copy does not merge with zeroes",
	 .count = 2,
	 .runs = {ZERO(4, 1), COPY(1, 5, 1)},
	 .out_count = 2,
	 .out = {ZERO(4, 1), COPY(1, 5, 1)}},
	{.name = "zeroes merge",
	 .count = 2,
	 .runs = {ZERO(1, 1), ZERO(0, 1)},
	 .out_count = 1,
	 .out = {ZERO(0, 2)}},
	{.name = "empty runs are dropped, wherever they lie",
	 .count = 5,
	 .runs = {EMPTY(2), COPY(8, 2, 2), EMPTY(2), EMPTY(3), EMPTY(0)},
	 .out_count = 1,
	 .out = {COPY(8, 2, 2)}},
	{.name = "nothing but empty runs", .count = 2, .runs = {EMPTY(2), EMPTY(2)}},
	{.name = "reader before writer",
	 .count = 2,
	 .runs = {COPY(8, 0, 2), COPY(0, 4, 1)},
	 .out_count = 2,
	 .out = {COPY(0, 4, 1), COPY(8, 0, 2)}},
	{.name = "reader before zeroes",
	 .count = 2,
	 .runs = {ZERO(0, 2), COPY(1, 4, 1)},
	 .out_count = 2,
	 .out = {COPY(1, 4, 1), ZERO(0, 2)}},
	{.name = "reader of what stays",
	 .count = 2,
	 .runs = {COPY(4, 0, 1), STAY(4, 1)},
	 .out_count = 2,
	 .out = {STAY(4, 1), COPY(4, 0, 1)}},
	{.name = "chain",
	 .count = 3,
	 .runs = {COPY(2, 0, 1), COPY(4, 2, 1), COPY(6, 4, 1)},
	 .out_count = 3,
	 .out = {COPY(2, 0, 1), COPY(4, 2, 1), COPY(6, 4, 1)}},
	{.name = "chain the other way",
	 .count = 3,
	 .runs = {COPY(4, 6, 1), COPY(2, 4, 1), COPY(0, 2, 1)},
	 .out_count = 3,
	 .out = {COPY(4, 6, 1), COPY(2, 4, 1), COPY(0, 2, 1)}},
	{.name = "two readers before the writer",
	 .count = 3,
	 .runs = {COPY(8, 0, 1), COPY(0, 2, 1), COPY(0, 4, 1)},
	 .out_count = 3,
	 .out = {COPY(0, 2, 1), COPY(0, 4, 1), COPY(8, 0, 1)}},
	{.name = "the first byte of a page is read",
	 .count = 2,
	 .runs = {COPY(8, 1, 1), BYTES(PAGE - 99, 4, 100)},
	 .out_count = 2,
	 .out = {BYTES(PAGE - 99, 4, 100), COPY(8, 1, 1)}},
	{.name = "no byte of the page is read",
	 .count = 2,
	 .runs = {COPY(8, 1, 1), BYTES(PAGE - 100, 4, 100)},
	 .out_count = 2,
	 .out = {COPY(8, 1, 1), BYTES(PAGE - 100, 4, 100)}},
	{.name = "the zeroed end of a page is read",
	 .count = 2,
	 .runs = {BYTES(8 * PAGE, 1, 1), BYTES(2 * PAGE - 1, 4, 1)},
	 .out_count = 2,
	 .out = {BYTES(2 * PAGE - 1, 4, 1), BYTES(8 * PAGE, 1, 1)}},
	{.name = "down by a page",
	 .count = 1,
	 .runs = {COPY(1, 0, 6)},
	 .out_count = 1,
	 .out = {COPY(1, 0, 6)}},
	{.name = "up by a page",
	 .count = 1,
	 .runs = {COPY(0, 1, 3)},
	 .out_count = 3,
	 .out = {COPY(2, 3, 1), COPY(1, 2, 1), COPY(0, 1, 1)}},
	{.name = "up by most of the length",
	 .count = 1,
	 .runs = {COPY(0, 4, 5)},
	 .out_count = 2,
	 .out = {COPY(4, 8, 1), COPY(0, 4, 4)}},
	{.name = "up by its length",
	 .count = 1,
	 .runs = {COPY(0, 5, 5)},
	 .out_count = 1,
	 .out = {COPY(0, 5, 5)}},
	{.name = "up by a page and a bit",
	 .count = 1,
	 .runs = {BYTES(PAGE - 16, 2, 2 * PAGE + 9)},
	 .out_count = 3,
	 .out = {BYTES(3 * PAGE - 16, 4, 9), BYTES(2 * PAGE - 16, 3, PAGE),
		 BYTES(PAGE - 16, 2, PAGE)}},
	{.name = "up by less than a page",
	 .count = 1,
	 .runs = {BYTES(PAGE - 16, 1, PAGE + 9)},
	 .out_count = 4,
	 .out = {BYTES(2 * PAGE - 16, SPARE, 9), BYTES(SPARE *PAGE, 2, 9),
		 BYTES(PAGE - 16, SPARE, PAGE), BYTES(SPARE *PAGE, 1, PAGE)}},
	{.name = "down by less than a page",
	 .count = 1,
	 .runs = {BYTES(PAGE + 0xee8, 1, PAGE + 9)},
	 .out_count = 4,
	 .out = {BYTES(PAGE + 0xee8, SPARE, PAGE), BYTES(SPARE *PAGE, 1, PAGE),
		 BYTES(2 * PAGE + 0xee8, SPARE, 9), BYTES(SPARE *PAGE, 2, 9)}},
	{.name = "copy onto itself",
	 .count = 1,
	 .runs = {COPY(3, 3, 2)},
	 .out_count = 1,
	 .out = {COPY(3, 3, 2)}},
	{.name = "swap",
	 .count = 2,
	 .runs = {COPY(0, 4, 1), COPY(4, 0, 1)},
	 .out_count = 3,
	 .out = {COPY(4, SPARE, 1), COPY(0, 4, 1), COPY(SPARE, 0, 1)}},
	{.name = "swap of two pages each, the last ones short",
	 .count = 2,
	 .runs = {BYTES(0, 4, PAGE + 1), BYTES(4 * PAGE, 0, PAGE + 2)},
	 .out_count = 6,
	 .out = {COPY(4, SPARE, 1), COPY(0, 4, 1), COPY(SPARE, 0, 1), COPY(5, SPARE, 1),
		 BYTES(PAGE, 5, 1), BYTES(SPARE *PAGE, 1, 2)}},
	{.name = "circle of three with a reader outside",
	 .count = 4,
	 .runs = {COPY(0, 2, 1), COPY(2, 4, 1), COPY(4, 0, 1), COPY(2, 8, 1)},
	 .out_count = 5,
	 .out = {COPY(2, 8, 1), COPY(4, SPARE, 1), COPY(2, 4, 1), COPY(0, 2, 1),
		 COPY(SPARE, 0, 1)}},
	{.name = "runs in a circle whose pages are in none",
	 .count = 2,
	 .runs = {COPY(0, 4, 2), COPY(5, 0, 2)},
	 .out_count = 4,
	 .out = {COPY(0, 4, 1), COPY(5, 0, 1), COPY(1, 5, 1), COPY(6, 1, 1)}},
	{.name = "runs in a circle with some of their pages",
	 .count = 2,
	 .runs = {COPY(0, 4, 2), COPY(5, 1, 2)},
	 .out_count = 5,
	 .out = {COPY(6, 2, 1), COPY(0, 4, 1), COPY(5, SPARE, 1), COPY(1, 5, 1),
		 COPY(SPARE, 1, 1)}},

	{.name = "zeroes split, that wait for a circle's other pages",
	 .count = 3,
	 .runs = {ZERO(0, 2), COPY(1, 5, 2), COPY(6, 2, 1)},
	 .out_count = 6,
	 .out = {ZERO(0, 1), COPY(1, 5, 1), ZERO(1, 1), COPY(6, SPARE, 1), COPY(2, 6, 1),
		 COPY(SPARE, 2, 1)}},

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

static void check_out(const struct scene *s, const struct run *out, size_t out_count)
{
	assert_int_equal(s->out_count, out_count);
	for (size_t i = 0; i < out_count; i++) {
		assert_int_equal(s->out[i].kind, out[i].kind);
		assert_int_equal(s->out[i].source, out[i].source);
		assert_int_equal(s->out[i].destination, out[i].destination);
		assert_int_equal(s->out[i].length, out[i].length);
	}
}

static void test_vectors(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
		const struct vector *vector = &vectors[v];
		struct scene s = {.count = vector->count, .spare = P(SPARE)};
		uint8_t work[4096] __attribute__((aligned(8)));

		print_message("%s\n", vector->name);
		memcpy(s.runs, vector->runs, sizeof(vector->runs));
		assert_int_equal(order_runs(s.runs, s.count, s.spare, s.out, MAX_RUNS, &s.out_count,
					    work, sizeof(work), &s.why),
				 vector->error);
		assert_int_equal(s.why.error, vector->error);
		if (vector->error) {
			assert_int_equal(s.why.start, vector->start);
			continue;
		}
		check_out(&s, vector->out, vector->out_count);
		want(vector->runs, vector->count);
		assert_true(execute(&s) && as_wanted(&s));
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

/* How the sources of a random scene lie. */
enum pattern {
	PATTERN_ANYWHERE,    /* whole pages anywhere */
	PATTERN_PERMUTATION, /* each page goes to one page */
	PATTERN_SHIFT,	     /* all by the same few pages, up or down */
	PATTERN_SHARED,	     /* all from the same two pages on */
	PATTERN_NEAR,	     /* less than two pages away, at any byte */
	PATTERN_UNALIGNED,   /* anywhere, at any byte */
	PATTERNS
};

struct draw {
	uint64_t *seed;
	enum pattern pattern;
	size_t shuffled[ARENA_PAGES]; /* for PATTERN_PERMUTATION */
	uint64_t shift;		      /* for PATTERN_SHIFT; may be negative */
	uint64_t shared;	      /* for PATTERN_SHARED */
};

static uint64_t signed_below(uint64_t *seed, uint64_t limit)
{
	return random_below(seed, 2 * limit - 1) - (limit - 1);
}

static void draw_start(struct draw *d, uint64_t *seed)
{
	*d = (struct draw){
		.seed = seed,
		.pattern = random_below(seed, PATTERNS),
		.shift = signed_below(seed, 5) * PAGE,
		.shared = random_below(seed, ARENA_PAGES),
	};
	for (size_t i = 0; i < ARENA_PAGES; i++) {
		size_t j = random_below(seed, i + 1);

		d->shuffled[i] = d->shuffled[j];
		d->shuffled[j] = i;
	}
}

static uint64_t draw_source(struct draw *d, uint64_t destination)
{
	switch (d->pattern) {
	case PATTERN_PERMUTATION:
		return P(d->shuffled[(destination - BASE) / PAGE]);
	case PATTERN_SHIFT:
		return destination + d->shift;
	case PATTERN_SHARED:
		return P(d->shared + random_below(d->seed, 2));
	case PATTERN_NEAR:
		return destination + signed_below(d->seed, 2 * PAGE);
	case PATTERN_UNALIGNED:
		return BASE + random_below(d->seed, ARENA_SIZE);
	default:
		return P(random_below(d->seed, ARENA_PAGES));
	}
}

static bool source_usable(const struct scene *s, const struct run *run)
{
	uint64_t end = run->source + run->length;

	return run->source - BASE < ARENA_SIZE && end <= BASE + ARENA_SIZE &&
	       (end <= s->spare || run->source >= s->spare + PAGE);
}

/* A run to destination of at most room bytes, its source inside the arena. */
static struct run draw_run(struct draw *d, const struct scene *s, uint64_t destination,
			   uint64_t room)
{
	uint64_t pages = d->pattern == PATTERN_PERMUTATION ? 1 : 1 + random_below(d->seed, 6);
	struct run run = {.destination = destination, .length = pages * PAGE};

	if (run.length > room)
		run.length = room;
	if (random_below(d->seed, 4) == 0)
		run.length -= random_below(d->seed, PAGE);
	run.source = draw_source(d, destination);
	if (random_below(d->seed, 8) == 0)
		return (struct run){0, destination, run.length, RUN_ZERO};
	if (random_below(d->seed, 8) == 0 || !source_usable(s, &run))
		return (struct run){destination, destination, run.length, RUN_IN_PLACE};
	return run;
}

static void shuffle_runs(uint64_t *seed, struct run *runs, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		size_t j = random_below(seed, i + 1);
		struct run run = runs[i];

		runs[i] = runs[j];
		runs[j] = run;
	}
}

/* Walks over the arena, leaving some pages out. */
static void draw_scene(struct scene *s, uint64_t *seed)
{
	struct draw d;
	uint64_t address = BASE;

	draw_start(&d, seed);
	s->count = 0;
	s->spare = P(random_below(seed, ARENA_PAGES));
	while (address < BASE + ARENA_SIZE) {
		uint64_t end = address < s->spare ? s->spare : BASE + ARENA_SIZE;
		struct run run = draw_run(&d, s, address, end - address);

		if (address == s->spare || random_below(seed, 5) == 0) {
			address += PAGE;
			continue;
		}
		s->runs[s->count++] = run;
		address += whole_pages(run.length);
	}
	shuffle_runs(seed, s->runs, s->count);
}

/*
 * Whether some page is in a circle and has a source that is not aligned: reachable[a] has bit b if
 * the copy to page a reads what the copy to page b overwrites, then the closure of that.
 */
static bool unaligned_circle(const struct scene *s)
{
	uint32_t reachable[ARENA_PAGES] = {0};
	uint32_t unaligned = 0;
	uint32_t written = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct run *run = &s->runs[i];

		for (uint64_t offset = 0; offset < run->length; offset += PAGE) {
			size_t page = (run->destination + offset - BASE) / PAGE;
			uint64_t left = run->length - offset;
			uint64_t first = run->source + offset - BASE;
			uint64_t last = first + (left < PAGE ? left : PAGE) - 1;

			if (run->kind != RUN_IN_PLACE)
				written |= 1u << page;
			if (run->kind != RUN_COPY)
				continue;
			reachable[page] = (1u << first / PAGE | 1u << last / PAGE) & ~(1u << page);
			if (run->source % PAGE)
				unaligned |= 1u << page;
		}
	}
	for (size_t a = 0; a < ARENA_PAGES; a++)
		reachable[a] &= written;
	for (size_t via = 0; via < ARENA_PAGES; via++)
		for (size_t a = 0; a < ARENA_PAGES; a++)
			if (reachable[a] & 1u << via)
				reachable[a] |= reachable[via];
	for (size_t a = 0; a < ARENA_PAGES; a++)
		if (reachable[a] & unaligned & 1u << a)
			return true;
	return false;
}

/* Orders and executes a drawn scene. False, and why, if anything is not as it must be. */
static bool scene_works(struct scene *s, size_t *refused)
{
	bool must_refuse = unaligned_circle(s);
	enum kx_error error = order(s);

	*refused += must_refuse;
	if (must_refuse || error)
		return must_refuse && error == KX_E_ALIGN;
	want(s->runs, s->count);
	return execute(s) && as_wanted(s);
}

static void test_random(void **state)
{
	size_t rounds = 100000;
	size_t refused = 0;
	uint64_t seed = 5;

	(void)state;
	for (size_t round = 0; round < rounds; round++) {
		uint64_t round_seed = seed;
		struct scene s;

		draw_scene(&s, &seed);
		if (!scene_works(&s, &refused))
			fail_msg("round %zu, seed %#lx", round, round_seed);
	}
	assert_true(refused > rounds / 100 && refused < rounds / 3);
}

/* Any overlap of destinations is found, whatever the order of the runs. */
static void test_random_overlaps(void **state)
{
	uint64_t seed = 6;

	(void)state;
	for (size_t round = 0; round < 10000; round++) {
		uint32_t written = 0;
		bool twice = false;
		struct scene s = {.count = 2 + random_below(&seed, 5), .spare = P(ARENA_PAGES)};

		for (size_t i = 0; i < s.count; i++) {
			uint64_t to = random_below(&seed, ARENA_PAGES - 2);
			uint64_t pages = 1 + random_below(&seed, 2);
			uint32_t bits = ((1u << pages) - 1) << to;

			s.runs[i] = (struct run)COPY(to + ARENA_PAGES, to, pages);
			s.runs[i].length -= random_below(&seed, PAGE);
			twice |= written & bits;
			written |= bits;
		}
		assert_int_equal(order(&s), twice ? KX_E_DEST_TWICE : KX_OK);
	}
}

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

	c->pages = pages_of(c->runs, c->count);
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
	shuffle_runs(&seed, c.runs, c.count);
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
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_vast),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_overlaps),
		cmocka_unit_test(test_many_permuted),
		cmocka_unit_test(test_many_shifted_up),
		cmocka_unit_test(test_many_shared),
		cmocka_unit_test(test_big_swap),
	};

	return cmocka_run_group_tests(tests, fill_before, NULL);
}
