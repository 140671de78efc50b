/* SPDX-License-Identifier: MIT */
/* Entry lists written and read back. */
#include <time.h>

#include "list_arena.h"

/* Random runs, none of which continues the one before. Returns how many entries they take. */
static size_t random_runs(uint64_t *seed, struct run *want, size_t count)
{
	size_t entries = 0;

	for (size_t i = 0; i < count; i++) {
		struct run *run = &want[i];

		do {
			bool stays = random_below(seed, 4) == 0;

			run->length = (1 + random_below(seed, 600)) * PAGE;
			run->source = P(random_below(seed, WIDE_PAGES - 600));
			run->destination =
				stays ? run->source : P(random_below(seed, WIDE_PAGES - 600));
			run->kind = run->source == run->destination ? RUN_IN_PLACE : RUN_COPY;
		} while (i && run_continues(&want[i - 1], run));
		entries += run->length / PAGE;
		if (!i || run->destination != want[i - 1].destination + want[i - 1].length)
			entries++;
	}
	return entries;
}

/* The arena's pages in random order. */
static void shuffled_pages(uint64_t *seed, struct list_page *pages)
{
	for (size_t i = 0; i < ARENA_PAGES; i++) {
		size_t j = random_below(seed, i + 1);

		pages[i] = pages[j];
		pages[j] = arena_page(i);
	}
}

static uint64_t write_runs(const struct run *want, size_t count, const struct list_page *pages,
			   size_t page_count)
{
	struct list_writer writer;
	bool good = true;
	uint64_t head;

	list_writer_begin(&writer, pages, page_count);
	for (size_t i = 0; i < count; i++)
		good = list_write(&writer, want[i].source, want[i].destination,
				  want[i].length / PAGE);
	head = list_writer_end(&writer);
	assert_int_equal(good, head != 0);
	return head;
}

static void test_round_trip(void **state)
{
	struct run want[64];
	struct list_page pages[ARENA_PAGES];
	uint64_t seed = 1;

	(void)state;
	for (size_t round = 0; round < 1000; round++) {
		size_t want_count = random_below(&seed, 64);
		size_t entries = random_runs(&seed, want, want_count);
		size_t needed = (entries + LIST_WRITER_ENTRIES - 1) / LIST_WRITER_ENTRIES;
		struct kx_refusal why;
		size_t count;
		uint64_t head;

		shuffled_pages(&seed, pages);
		head = write_runs(want, want_count, pages, needed);
		assert_int_not_equal(head, 0);
		assert_int_equal(
			list_runs(head, arena_bias(), &wide, runs, want_count, &count, &why),
			KX_OK);
		assert_runs(runs, count, want, want_count);
		if (needed)
			assert_int_equal(write_runs(want, want_count, pages, needed - 1), 0);
	}
}

static void test_writer_at_page_end(void **state)
{
	const struct list_page pages[] = {arena_page(3), arena_page(1)};
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (size_t n = LIST_WRITER_ENTRIES - 2; n < LIST_WRITER_ENTRIES + 2; n++) {
		const struct run want = {P(0), P(5000), n * PAGE, RUN_COPY};
		uint64_t head = write_runs(&want, 1, pages, 1);

		assert_int_equal(head != 0, n + 1 <= LIST_WRITER_ENTRIES);
		head = write_runs(&want, 1, pages, 2);
		assert_int_equal(head, I(3));
		assert_int_equal(list_runs(head, arena_bias(), &wide, runs, 1, &count, &why),
				 KX_OK);
		assert_runs(runs, count, &want, 1);
	}
	assert_int_equal(write_runs(NULL, 0, pages, 0), DONE);
}

/* Where the next entry of a list goes that leaves its pages at random places. */
struct scatter {
	uint64_t *seed;
	const struct list_page *pages;
	size_t used;
	size_t index;
};

static void scatter_put(struct scatter *s, uint64_t entry)
{
	while (s->index == PAGE_ENTRIES - 1 ||
	       (s->used < ARENA_PAGES && random_below(s->seed, 400) == 0)) {
		assert_true(s->used < ARENA_PAGES);
		arena_put((s->pages[s->used - 1].address - BASE) / PAGE, s->index,
			  s->pages[s->used].address | KX_LIST_INDIRECTION);
		s->used++;
		s->index = 0;
	}
	arena_put((s->pages[s->used - 1].address - BASE) / PAGE, s->index++, entry);
}

static void scatter_run(struct scatter *s, const struct run *run)
{
	for (uint64_t offset = 0; offset < run->length; offset += PAGE) {
		bool again = random_below(s->seed, 8) == 0;

		if (again)
			scatter_put(s, random_next(s->seed) << KX_PAGE_SHIFT | KX_LIST_DESTINATION);
		if (!offset || again)
			scatter_put(s, (run->destination + offset) | KX_LIST_DESTINATION);
		scatter_put(s, (run->source + offset) | KX_LIST_SOURCE);
	}
}

static void test_scattered(void **state)
{
	struct run want[16];
	struct list_page pages[ARENA_PAGES];
	uint64_t seed = 2;

	(void)state;
	for (size_t round = 0; round < 1000; round++) {
		size_t want_count = 1 + random_below(&seed, 16);
		struct scatter s = {&seed, pages, 1, 0};
		struct kx_refusal why;
		size_t count;

		random_runs(&seed, want, want_count);
		shuffled_pages(&seed, pages);
		for (size_t i = 0; i < want_count; i++)
			scatter_run(&s, &want[i]);
		scatter_put(&s, DONE);
		assert_int_equal(list_runs(pages[0].address | KX_LIST_INDIRECTION, arena_bias(),
					   &wide, runs, want_count, &count, &why),
				 KX_OK);
		assert_runs(runs, count, want, want_count);
	}
}

/* A GiB in single pages. The bound is loose: it is for a loop that became quadratic. */
static void test_big_list(void **state)
{
	size_t entries = 262144;
	size_t list_pages = entries / LIST_WRITER_ENTRIES + 1;
	uint8_t *memory = aligned_alloc(PAGE, list_pages * PAGE);
	list_bias memory_bias = (uintptr_t)memory - BASE;
	struct list_page *pages = calloc(list_pages, sizeof(*pages));
	struct run *many = calloc(entries / 2, sizeof(*many));
	struct list_writer writer;
	struct kx_refusal why;
	clock_t start;
	size_t count;

	(void)state;
	for (size_t i = 0; i < list_pages; i++)
		pages[i] = (struct list_page){P(i), (uint64_t *)(memory + i * PAGE)};
	list_writer_begin(&writer, pages, list_pages);
	for (size_t i = 0; i < entries / 2; i++)
		assert_true(list_write(&writer, P(2 * i), P(entries + i), 1));
	start = clock();
	assert_int_equal(list_runs(list_writer_end(&writer), memory_bias, &wide, many, entries / 2,
				   &count, &why),
			 KX_OK);
	assert_int_equal(count, entries / 2);
	assert_true(clock() - start < CLOCKS_PER_SEC);
	free(many);
	free(pages);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_writer_at_page_end),
		cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_big_list),
	};

	return cmocka_run_group_tests(tests, arena_make, arena_free);
}
