/* SPDX-License-Identifier: MIT */
/* Entry lists in an arena that stands for RAM, with a hole in it. */
#include "kimage/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "random.h"

#define PAGE	     ((uint64_t)KX_PAGE_SIZE)
#define PAGE_ENTRIES (PAGE / sizeof(uint64_t))
#define ARENA_PAGES  64
#define HOLE_START   40
#define HOLE_END     44
#define BASE	     0x80000000ull
#define TOP	     0xfffffffffffff000ull /* the last page of the address space */
#define MAX_RUNS     4096

#define P(page) (BASE + (page)*PAGE)
#define D(page) (P(page) | KX_LIST_DESTINATION)
#define I(page) (P(page) | KX_LIST_INDIRECTION)
#define S(page) (P(page) | KX_LIST_SOURCE)
#define DONE	((uint64_t)KX_LIST_DONE)

static uint8_t *arena;
static struct run runs[MAX_RUNS];

/* The pages below TOP are RAM that the arena does not back: no list page of a test is there. */
static struct range ram_ranges[] = {
	{P(0), P(HOLE_START)}, {P(HOLE_END), P(ARENA_PAGES)}, {TOP - 2 * PAGE, TOP}};
static const struct range_set ram = {ram_ranges, 3, 3};
static const struct range_set arena_ram = {ram_ranges, 2, 2};
#define RAM_PAGES (ARENA_PAGES - (HOLE_END - HOLE_START) + 2)

/* RAM that need not be backed, for sources and destinations of long lists. */
#define WIDE_PAGES 0x100000
static struct range wide_range[] = {{P(0), P(WIDE_PAGES)}};
static const struct range_set wide = {wide_range, 1, 1};

static int make_arena(void **state)
{
	(void)state;
	arena = aligned_alloc(PAGE, ARENA_PAGES * PAGE);
	return arena ? 0 : -1;
}

static int free_arena(void **state)
{
	(void)state;
	free(arena);
	return 0;
}

static list_bias bias(void)
{
	return (uintptr_t)arena - BASE;
}

static void put(uint64_t page, size_t index, uint64_t entry)
{
	uint8_t *at = arena + page * PAGE + index * sizeof(entry);

	for (size_t i = 0; i < sizeof(entry); i++)
		at[i] = (uint8_t)(entry >> 8 * i);
}

static enum kx_error read_runs(uint64_t head, size_t *count, struct kx_refusal *why)
{
	return list_runs(head, bias(), &ram, runs, MAX_RUNS, count, why);
}

static void check_runs(const struct run *want, size_t want_count, size_t count)
{
	assert_int_equal(count, want_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runs[i].source, want[i].source);
		assert_int_equal(runs[i].destination, want[i].destination);
		assert_int_equal(runs[i].length, want[i].length);
		assert_int_equal(runs[i].kind, want[i].kind);
	}
}

#define VECTOR_ENTRIES 10
#define COPY(source, destination, n)                          \
	{                                                     \
		P(source), P(destination), (n)*PAGE, RUN_COPY \
	}
#define STAY(page, n)                                    \
	{                                                \
		P(page), P(page), (n)*PAGE, RUN_IN_PLACE \
	}

/* Lists whose pages are 0, 1 and 2 of the arena. */
static const struct vector {
	const char *name;
	uint64_t head;
	uint64_t pages[3][VECTOR_ENTRIES];
	size_t count;
	struct run runs[4];
	enum kx_error error;
	uint64_t start; /* of the refusal */
} vectors[] = {
	{.name = "done alone", .head = DONE},
	{.name = "done with an address", .head = P(50) | KX_LIST_DONE},
	{.name = "indirection to done", .head = I(0), .pages = {{DONE}}},
	{.name = "one page",
	 .head = I(0),
	 .pages = {{D(9), S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "neighbours merge",
	 .head = I(0),
	 .pages = {{D(9), S(5), S(6), S(7), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 3)}},
	{.name = "a repeated destination entry does not split",
	 .head = I(0),
	 .pages = {{D(9), S(5), D(10), S(6), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 2)}},
	{.name = "sources descend",
	 .head = I(0),
	 .pages = {{D(9), S(6), S(5), DONE}},
	 .count = 2,
	 .runs = {COPY(6, 9, 1), COPY(5, 10, 1)}},
	{.name = "same source twice",
	 .head = I(0),
	 .pages = {{D(9), S(6), S(6), DONE}},
	 .count = 2,
	 .runs = {COPY(6, 9, 1), COPY(6, 10, 1)}},
	{.name = "destinations jump, sources go on",
	 .head = I(0),
	 .pages = {{D(9), S(5), D(12), S(6), DONE}},
	 .count = 2,
	 .runs = {COPY(5, 9, 1), COPY(6, 12, 1)}},
	{.name = "in place",
	 .head = I(0),
	 .pages = {{D(9), S(9), S(10), DONE}},
	 .count = 1,
	 .runs = {STAY(9, 2)}},
	{.name = "in place between copies",
	 .head = I(0),
	 .pages = {{D(8), S(20), S(9), S(22), DONE}},
	 .count = 3,
	 .runs = {COPY(20, 8, 1), STAY(9, 1), COPY(22, 10, 1)}},
	{.name = "in the middle of a page on to the next",
	 .head = I(0),
	 .pages = {{D(9), S(5), I(1), 0xdead}, {S(6), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 2)}},
	{.name = "chain of indirections",
	 .head = I(2),
	 .pages = {{I(1)}, {D(9), S(5), DONE}, {I(0)}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "indirection to done after sources",
	 .head = I(0),
	 .pages = {{D(9), S(5), I(1)}, {DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "destination and its source in different pages",
	 .head = I(0),
	 .pages = {{D(9), I(1)}, {S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "idle destination out of RAM",
	 .head = I(0),
	 .pages = {{D(70), D(9), S(5), DONE}},
	 .count = 1,
	 .runs = {COPY(5, 9, 1)}},
	{.name = "up to the edges of RAM",
	 .head = I(0),
	 .pages = {{D(38), S(62), S(63), DONE}},
	 .count = 1,
	 .runs = {COPY(62, 38, 2)}},
	{.name = "top of the address space",
	 .head = I(0),
	 .pages = {{(TOP - 2 * PAGE) | KX_LIST_DESTINATION, S(5), S(6), DONE}},
	 .count = 1,
	 .runs = {{P(5), TOP - 2 * PAGE, 2 * PAGE, RUN_COPY}}},

	{.name = "no flag", .head = P(0), .error = KX_E_LIST_FLAG, .start = P(0)},
	{.name = "zero", .head = 0, .error = KX_E_LIST_FLAG, .start = 0},
	{.name = "two flags",
	 .head = I(0),
	 .pages = {{D(9) | KX_LIST_SOURCE}},
	 .error = KX_E_LIST_FLAG,
	 .start = D(9) | KX_LIST_SOURCE},
	{.name = "done and another",
	 .head = I(0),
	 .pages = {{DONE | KX_LIST_INDIRECTION}},
	 .error = KX_E_LIST_FLAG,
	 .start = DONE | KX_LIST_INDIRECTION},
	{.name = "unknown bit alone",
	 .head = I(0),
	 .pages = {{P(9) | 0x10}},
	 .error = KX_E_LIST_FLAG,
	 .start = P(9) | 0x10},
	{.name = "unknown bit beside a flag",
	 .head = I(0),
	 .pages = {{D(9), S(5) | 0x800}},
	 .error = KX_E_LIST_FLAG,
	 .start = S(5) | 0x800},
	{.name = "end of list forgotten",
	 .head = I(0),
	 .pages = {{D(9), S(5), 0}},
	 .error = KX_E_LIST_FLAG,
	 .start = 0},
	{.name = "list page in the hole",
	 .head = I(HOLE_START),
	 .error = KX_E_LIST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "list page beyond RAM",
	 .head = I(0),
	 .pages = {{I(ARENA_PAGES)}},
	 .error = KX_E_LIST_RANGE,
	 .start = P(ARENA_PAGES)},
	{.name = "list page at address 0",
	 .head = KX_LIST_INDIRECTION,
	 .error = KX_E_LIST_RANGE,
	 .start = 0},
	{.name = "list page last of all",
	 .head = TOP | KX_LIST_INDIRECTION,
	 .error = KX_E_LIST_RANGE,
	 .start = TOP},
	{.name = "head is a source", .head = S(5), .error = KX_E_LIST_ORDER, .start = P(5)},
	{.name = "source before destination",
	 .head = I(0),
	 .pages = {{S(5)}},
	 .error = KX_E_LIST_ORDER,
	 .start = P(5)},
	{.name = "head is a destination", .head = D(5), .error = KX_E_LIST_END},
	{.name = "source in the hole",
	 .head = I(0),
	 .pages = {{D(9), S(HOLE_END - 1)}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = P(HOLE_END - 1)},
	{.name = "source last of all",
	 .head = I(0),
	 .pages = {{D(9), TOP | KX_LIST_SOURCE}},
	 .error = KX_E_SOURCE_RANGE,
	 .start = TOP},
	{.name = "destination in the hole",
	 .head = I(0),
	 .pages = {{D(HOLE_START), S(5)}},
	 .error = KX_E_DEST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "destination runs into the hole",
	 .head = I(0),
	 .pages = {{D(HOLE_START - 1), S(5), S(6)}},
	 .error = KX_E_DEST_RANGE,
	 .start = P(HOLE_START)},
	{.name = "destination runs off the address space",
	 .head = I(0),
	 .pages = {{(TOP - PAGE) | KX_LIST_DESTINATION, S(5), S(6)}},
	 .error = KX_E_DEST_RANGE,
	 .start = TOP},
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
		const struct vector *vector = &vectors[v];
		struct kx_refusal why = {0};
		size_t count = 0;
		size_t counted = 0;

		print_message("%s\n", vector->name);
		for (size_t page = 0; page < 3; page++)
			for (size_t i = 0; i < VECTOR_ENTRIES; i++)
				put(page, i, vector->pages[page][i]);
		assert_int_equal(read_runs(vector->head, &count, &why), vector->error);
		assert_int_equal(why.error, vector->error);
		assert_int_equal(list_runs(vector->head, bias(), &ram, NULL, 0, &counted, &why),
				 vector->error);
		if (vector->error) {
			assert_int_equal(why.start, vector->start);
			assert_non_null(why.what);
		} else {
			check_runs(vector->runs, vector->count, count);
			assert_int_equal(counted, count);
		}
	}
}

/* RAM at address 0, and the list there. */
static void test_page_zero(void **state)
{
	static struct range at_zero[] = {{0, ARENA_PAGES * PAGE}};
	const struct range_set low = {at_zero, 1, 1};
	const struct run want = {0, 3 * PAGE, PAGE, RUN_COPY};
	struct kx_refusal why;
	size_t count;

	(void)state;
	put(0, 0, 3 * PAGE | KX_LIST_DESTINATION);
	put(0, 1, KX_LIST_SOURCE);
	put(0, 2, DONE);
	assert_int_equal(
		list_runs(KX_LIST_INDIRECTION, (uintptr_t)arena, &low, runs, 1, &count, &why),
		KX_OK);
	check_runs(&want, 1, count);
}

static void test_entries(void **state)
{
	static const struct list_entry want[] = {
		{P(0), 0, KX_LIST_INDIRECTION}, {P(9), 0, KX_LIST_DESTINATION},
		{P(5), P(9), KX_LIST_SOURCE},	{P(7), P(10), KX_LIST_SOURCE},
		{0, 0, KX_LIST_DONE},
	};
	static const uint64_t list[] = {D(9), S(5), S(7), DONE, S(8)};
	struct list_reader reader;
	struct list_entry entry;
	struct kx_refusal why;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		put(0, i, list[i]);
	list_open(&reader, I(0), bias(), &ram);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(list_next(&reader, &entry, &why), KX_OK);
		assert_int_equal(entry.flag, want[i].flag);
		assert_int_equal(entry.address, want[i].address);
		if (entry.flag == KX_LIST_SOURCE)
			assert_int_equal(entry.destination, want[i].destination);
	}
	assert_int_equal(list_next(&reader, &entry, &why), KX_E_LIST_END);
}

/* Fills page with entries that are valid and never merge, up to its last entry, which is last. */
static void fill_page(uint64_t page, uint64_t last)
{
	for (size_t i = 0; i < PAGE_ENTRIES - 1; i += 2) {
		put(page, i, D(9));
		put(page, i + 1, S(5));
	}
	put(page, PAGE_ENTRIES - 1, last);
}

static void test_last_entry_of_page(void **state)
{
	size_t pairs = (PAGE_ENTRIES - 1) / 2;
	struct kx_refusal why;
	size_t count;

	(void)state;
	fill_page(0, I(1));
	fill_page(1, DONE);
	assert_int_equal(list_runs(I(0), bias(), &wide, runs, MAX_RUNS, &count, &why), KX_OK);
	assert_int_equal(count, 2 * pairs);
	fill_page(1, S(5));
	assert_int_equal(list_runs(I(0), bias(), &wide, runs, MAX_RUNS, &count, &why),
			 KX_E_LIST_END);
	assert_int_equal(why.start, P(1));
}

/* Reads until the list is refused, and checks that this is soon and for not ending. */
static void check_endless(uint64_t head)
{
	struct list_reader reader;
	struct list_entry entry;
	struct kx_refusal why;
	enum kx_error error;
	size_t entries = 0;

	list_open(&reader, head, bias(), &ram);
	while (!(error = list_next(&reader, &entry, &why)))
		assert_true(++entries <= 3 * RAM_PAGES + 8);
	assert_int_equal(error, KX_E_LIST_END);
	assert_true(entries >= 3 * RAM_PAGES);
}

static void test_endless(void **state)
{
	(void)state;
	put(0, 0, I(0));
	check_endless(I(0));

	put(0, 0, I(1));
	put(1, 0, I(0));
	check_endless(I(0));

	fill_page(0, I(0));
	check_endless(I(0));

	for (size_t i = 0; i < PAGE_ENTRIES; i++)
		put(0, i, D(i % ARENA_PAGES));
	put(0, PAGE_ENTRIES - 1, I(0));
	check_endless(I(0));
}

/* The longest list that writes each RAM page once is not taken for an endless one. */
static void test_longest_honest_list(void **state)
{
	static struct range range[] = {{P(0), P(4)}};
	const struct range_set small = {range, 1, 1};
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (uint64_t page = 0; page < 4; page++) {
		put(page, 0, D(3 - page));
		put(page, 1, S(page));
		put(page, 2, page < 3 ? I(page + 1) : DONE);
	}
	assert_int_equal(list_runs(I(0), bias(), &small, runs, 4, &count, &why), KX_OK);
	assert_int_equal(count, 4);
}

static void test_room(void **state)
{
	struct kx_refusal why;
	size_t count;

	(void)state;
	put(0, 0, D(9));
	put(0, 1, S(5));
	put(0, 2, S(7));
	put(0, 3, S(8));
	put(0, 4, DONE);
	assert_int_equal(list_runs(I(0), bias(), &ram, runs, 2, &count, &why), KX_OK);
	assert_int_equal(count, 2);
	assert_int_equal(list_runs(I(0), bias(), &ram, runs, 1, &count, &why), KX_E_NO_ROOM);
	assert_int_equal(list_runs(I(0), bias(), &ram, NULL, 0, &count, &why), KX_OK);
	assert_int_equal(count, 2);
}

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
		entries += run->length / PAGE + 1;
	}
	return entries;
}

/* The arena's pages in random order. */
static void shuffled_pages(uint64_t *seed, uint64_t *pages)
{
	for (size_t i = 0; i < ARENA_PAGES; i++) {
		size_t j = random_below(seed, i + 1);

		pages[i] = pages[j];
		pages[j] = P(i);
	}
}

static uint64_t write_runs(const struct run *want, size_t count, const uint64_t *pages,
			   size_t page_count)
{
	struct list_writer writer;
	bool good = true;
	uint64_t head;

	list_writer_begin(&writer, pages, page_count, bias());
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
	uint64_t pages[ARENA_PAGES];
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
		assert_int_equal(list_runs(head, bias(), &wide, runs, want_count, &count, &why),
				 KX_OK);
		check_runs(want, want_count, count);
		if (needed)
			assert_int_equal(write_runs(want, want_count, pages, needed - 1), 0);
	}
}

static void test_writer_at_page_end(void **state)
{
	static const uint64_t pages[] = {P(3), P(1)};
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (size_t n = LIST_WRITER_ENTRIES - 2; n < LIST_WRITER_ENTRIES + 2; n++) {
		const struct run want = {P(0), P(5000), n * PAGE, RUN_COPY};
		uint64_t head = write_runs(&want, 1, pages, 1);

		assert_int_equal(head != 0, n + 1 <= LIST_WRITER_ENTRIES);
		head = write_runs(&want, 1, pages, 2);
		assert_int_equal(head, I(3));
		assert_int_equal(list_runs(head, bias(), &wide, runs, 1, &count, &why), KX_OK);
		check_runs(&want, 1, count);
	}
	assert_int_equal(write_runs(NULL, 0, pages, 0), DONE);
}

/* Where the next entry of a list goes that leaves its pages at random places. */
struct scatter {
	uint64_t *seed;
	const uint64_t *pages;
	size_t used;
	size_t index;
};

static void scatter_put(struct scatter *s, uint64_t entry)
{
	while (s->index == PAGE_ENTRIES - 1 ||
	       (s->used < ARENA_PAGES && random_below(s->seed, 400) == 0)) {
		assert_true(s->used < ARENA_PAGES);
		put((s->pages[s->used - 1] - BASE) / PAGE, s->index,
		    s->pages[s->used] | KX_LIST_INDIRECTION);
		s->used++;
		s->index = 0;
	}
	put((s->pages[s->used - 1] - BASE) / PAGE, s->index++, entry);
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
	uint64_t pages[ARENA_PAGES];
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
		assert_int_equal(list_runs(pages[0] | KX_LIST_INDIRECTION, bias(), &wide, runs,
					   want_count, &count, &why),
				 KX_OK);
		check_runs(want, want_count, count);
	}
}

/* A valid list in pages 0 to 7, all of whose pages are in the arena. */
static uint64_t arena_list(uint64_t *seed)
{
	static const uint64_t pages[] = {P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7)};
	struct list_writer writer;

	list_writer_begin(&writer, pages, 8, bias());
	for (size_t i = 0; i < 20; i++)
		list_write(&writer, P(random_below(seed, 20)), P(8 + random_below(seed, 20)),
			   1 + random_below(seed, 12));
	return list_writer_end(&writer);
}

static void check_in_ram(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i];

		assert_true(run->length && !(run->length % PAGE));
		assert_true(range_set_contains(&arena_ram, run->source, run->source + run->length));
		assert_true(range_set_contains(&arena_ram, run->destination,
					       run->destination + run->length));
	}
}

/* Whatever the list says: an error, or runs inside RAM. */
static void test_corruption(void **state)
{
	uint64_t seed = 3;
	size_t refused = 0;
	size_t rounds = 50000;

	(void)state;
	for (size_t round = 0; round < rounds; round++) {
		uint64_t head = arena_list(&seed);
		struct kx_refusal why = {0};
		size_t count;

		for (size_t n = 1 + random_below(&seed, 4); n > 0; n--)
			arena[random_below(&seed, 200 * sizeof(uint64_t))] ^=
				1u << random_below(&seed, 8);
		if (list_runs(head, bias(), &arena_ram, runs, MAX_RUNS, &count, &why)) {
			assert_int_not_equal(why.error, KX_OK);
			refused++;
		} else {
			check_in_ram(count);
		}
	}
	assert_true(refused > rounds / 4 && refused < rounds);
}

static void test_noise(void **state)
{
	uint64_t seed = 4;
	struct kx_refusal why;
	size_t count;

	(void)state;
	for (size_t round = 0; round < 20000; round++) {
		for (size_t i = 0; i < 64; i++)
			put(0, i, P(random_below(&seed, 48)) | 1u << random_below(&seed, 4));
		if (!list_runs(I(0), bias(), &arena_ram, runs, MAX_RUNS, &count, &why))
			check_in_ram(count);
	}
}

/* A GiB in single pages. The bound is loose: it is for a loop that became quadratic. */
static void test_big_list(void **state)
{
	size_t entries = 262144;
	size_t list_pages = entries / LIST_WRITER_ENTRIES + 1;
	uint8_t *memory = aligned_alloc(PAGE, list_pages * PAGE);
	list_bias memory_bias = (uintptr_t)memory - BASE;
	uint64_t *pages = calloc(list_pages, sizeof(*pages));
	struct list_writer writer;
	struct kx_refusal why;
	clock_t start;
	size_t count;

	(void)state;
	for (size_t i = 0; i < list_pages; i++)
		pages[i] = P(i);
	list_writer_begin(&writer, pages, list_pages, memory_bias);
	for (size_t i = 0; i < entries / 2; i++)
		assert_true(list_write(&writer, P(2 * i), P(entries + i), 1));
	start = clock();
	assert_int_equal(
		list_runs(list_writer_end(&writer), memory_bias, &wide, NULL, 0, &count, &why),
		KX_OK);
	assert_int_equal(count, entries / 2);
	assert_true(clock() - start < CLOCKS_PER_SEC);
	free(pages);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_page_zero),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_last_entry_of_page),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_longest_honest_list),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_writer_at_page_end),
		cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_corruption),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_big_list),
	};

	return cmocka_run_group_tests(tests, make_arena, free_arena);
}
