/* SPDX-License-Identifier: MIT */
/* Random runs put in order: executed, or refused where a model says so. */
#include "order_scene.h"

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
		address += runs_whole_pages(run.length);
	}
	runs_shuffle(seed, s->runs, s->count);
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

/* Whether a copy reads anything that some run writes. */
static bool reads_written(const struct scene *s)
{
	for (size_t i = 0; i < s->count * s->count; i++) {
		const struct run *reader = &s->runs[i / s->count], *run = &s->runs[i % s->count];

		if (reader->kind == RUN_COPY && run->kind != RUN_IN_PLACE &&
		    reader->source < run->destination + runs_whole_pages(run->length) &&
		    run->destination < reader->source + reader->length)
			return true;
	}
	return false;
}

/* What order_check says of a drawn scene is so, and what it calls ordered can be executed. */
static bool scene_checks(const struct scene *s, size_t *ordered_count)
{
	size_t work_size = order_work_size(runs_pages(s->runs, s->count));
	void *work = malloc(work_size);
	struct scene checked = *s;
	enum kx_error error;
	bool ordered;

	error = order_check(checked.runs, &checked.count, &ordered, work, work_size, &checked.why);
	free(work);
	if (error || ordered == reads_written(s))
		return false;
	*ordered_count += ordered;
	checked.out_count = 0;
	for (size_t i = 0; i < checked.count; i++)
		if (checked.runs[i].kind != RUN_IN_PLACE)
			checked.out[checked.out_count++] = checked.runs[i];
	scene_want(s->runs, s->count);
	return !ordered || (scene_execute(&checked) && scene_as_wanted(&checked));
}

/* Orders and executes a drawn scene. False, and why, if anything is not as it must be. */
static bool scene_works(struct scene *s, size_t *refused)
{
	bool must_refuse = unaligned_circle(s);
	enum kx_error error = scene_order(s);

	*refused += must_refuse;
	if (must_refuse || error)
		return must_refuse && error == KX_E_ALIGN;
	scene_want(s->runs, s->count);
	return scene_execute(s) && scene_as_wanted(s);
}

static void test_random(void **state)
{
	size_t rounds = 100000;
	size_t refused = 0, ordered = 0;
	uint64_t seed = 5;

	(void)state;
	for (size_t round = 0; round < rounds; round++) {
		uint64_t round_seed = seed;
		struct scene s;

		draw_scene(&s, &seed);
		if (!scene_checks(&s, &ordered) || !scene_works(&s, &refused))
			fail_msg("round %zu, seed %#lx", round, round_seed);
	}
	assert_true(refused > rounds / 100 && refused < rounds / 3);
	assert_true(ordered > rounds / 100);
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
		assert_int_equal(scene_order(&s), twice ? KX_E_DEST_TWICE : KX_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_overlaps),
	};

	return cmocka_run_group_tests(tests, scene_fill, NULL);
}
