/* SPDX-License-Identifier: MIT */
/* Where the Linux command puts a payload, in stores of every kind. */
#include "loader/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kimage/list.h"
#include "random.h"

#define PAGE   ((uint64_t)KX_PAGE_SIZE)
#define MIB    ((uint64_t)1 << 20)
#define GIB    ((uint64_t)1 << 30)
#define CHUNKS 24000

static struct range ram_range[] = {{GIB, 3 * GIB}};
static const struct range_set ram = {ram_range, 1, 1};
static struct range avoid_ranges[] = {{GIB, GIB + 2 * MIB}, {2 * GIB, 2 * GIB + 64 * MIB}};
static struct range_set avoid = {avoid_ranges, 2, 2};
static struct chunk chunks[CHUNKS];
static struct layout out;
static struct kx_refusal why;

static struct layout_input input(size_t count)
{
	return (struct layout_input){
		.ram = &ram,
		.avoid = &avoid,
		.chunks = chunks,
		.chunk_count = count,
		.kernel = {.memory_size = 35 * MIB + PAGE, .anywhere = true},
		.kernel_size = 33 * MIB + 77,
		.initrd_size = 40 * MIB + 1,
		.control_size = 3 * MIB,
		.control_file_size = 150000,
		.page_size = PAGE,
	};
}

/* Pages side by side, but for gaps; offsets run the other way. Returns how many. */
static size_t make_chunks(uint64_t at, uint64_t size, uint64_t total, uint64_t gap_every)
{
	size_t count = (size_t)((total + size - 1) / size);

	assert_true(count <= CHUNKS);
	for (size_t i = 0; i < count; i++) {
		chunks[i] = (struct chunk){at, size, (count - 1 - i) * size};
		at += size;
		if (gap_every && i % gap_every == gap_every - 1)
			at += size;
	}
	return count;
}

static const struct chunk *chunk_of(const struct layout_input *in, uint64_t offset)
{
	for (size_t i = 0; i < in->chunk_count; i++)
		if (offset - in->chunks[i].offset < in->chunks[i].size)
			return &in->chunks[i];
	fail_msg("piece outside the store");
	return NULL;
}

struct use {
	unsigned char *pages; /* of the store: how often each is used */
	uint64_t count;
};

static void check_pieces(const struct layout_input *in, struct use *use, const struct pieces *p,
			 uint64_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->count; i++) {
		sum += p->pieces[i].length;
		assert_int_equal(p->pieces[i].offset % PAGE, 0);
		for (uint64_t at = 0; at < p->pieces[i].length; at += PAGE) {
			uint64_t page = (p->pieces[i].offset + at) / PAGE;

			assert_true(page < use->count);
			assert_int_equal(use->pages[page]++, 0);
		}
	}
	assert_true(sum >= size);
	(void)in;
}

/* Pieces of what stays are its destination, byte after byte. */
static void check_in_place(const struct layout_input *in, const struct placed *p)
{
	uint64_t at = p->destination;

	for (size_t i = 0; i < p->pieces.count; i++)
		for (uint64_t o = 0; o < p->pieces.pieces[i].length; o += PAGE, at += PAGE) {
			uint64_t offset = p->pieces.pieces[i].offset + o;
			const struct chunk *c = chunk_of(in, offset);

			assert_int_equal(c->physical + (offset - c->offset), at);
		}
}

static bool overlap(struct range a, struct range b)
{
	return a.start < b.end && b.start < a.end;
}

static void check_apart(const struct layout_input *in)
{
	struct range places[] = {
		{out.kernel.destination, out.kernel.destination + in->kernel.memory_size},
		{out.initrd.destination, out.initrd.destination + in->initrd_size},
		{out.control, out.control + in->control_size},
	};

	for (size_t i = 0; i < 3; i++) {
		assert_true(range_set_contains(in->ram, places[i].start, places[i].end));
		assert_false(range_set_overlaps(in->avoid, places[i].start, places[i].end));
		for (size_t j = 0; j < i; j++)
			assert_false(overlap(places[i], places[j]));
	}
}

static void check(const struct layout_input *in)
{
	struct use use = {NULL, 0};

	for (size_t i = 0; i < in->chunk_count; i++)
		use.count += in->chunks[i].size / PAGE;
	use.pages = calloc(use.count, 1);
	check_pieces(in, &use, &out.kernel.pieces, in->kernel_size);
	check_pieces(in, &use, &out.initrd.pieces, in->initrd_size);
	check_pieces(in, &use, &out.control_copy, in->control_file_size);
	check_pieces(in, &use, &out.list, PAGE);
	check_apart(in);
	assert_int_equal(out.kernel.destination % (2 * MIB), in->kernel.text_offset);
	if (out.kernel.in_place)
		check_in_place(in, &out.kernel);
	if (out.initrd.in_place)
		check_in_place(in, &out.initrd);
	free(use.pages);
}

static uint64_t store_size(void)
{
	struct layout_input in = input(0);

	return layout_store_size(&in);
}

static bool over_store(const struct layout_input *in, const struct placed *p, uint64_t size)
{
	for (size_t i = 0; i < in->chunk_count; i++)
		if (overlap((struct range){p->destination, p->destination + size},
			    (struct range){in->chunks[i].physical,
					   in->chunks[i].physical + in->chunks[i].size}))
			return true;
	return false;
}

/* Enough pages side by side: nothing moves. */
static void test_side_by_side(void **state)
{
	struct layout_input in = input(make_chunks(GIB + 64 * MIB, 2 * MIB, store_size(), 0));

	(void)state;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	check(&in);
	assert_true(out.kernel.in_place && out.initrd.in_place);
	layout_free(&out);
}

/* None: all moves, to where no page of the store is, in as few runs as there are pages. */
static void test_scattered(void **state)
{
	struct layout_input in = input(make_chunks(GIB + 64 * MIB, 2 * MIB, store_size(), 1));

	(void)state;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	check(&in);
	assert_false(out.kernel.in_place || out.initrd.in_place);
	assert_false(over_store(&in, &out.kernel, in.kernel.memory_size));
	assert_false(over_store(&in, &out.initrd, in.initrd_size));
	assert_true(out.kernel.pieces.count <= 18);
	layout_free(&out);
}

static void test_small_pages(void **state)
{
	struct layout_input in = input(make_chunks(GIB + 64 * MIB, PAGE, 75 * MIB + 8 * MIB, 3));

	(void)state;
	in.kernel.memory_size = 34 * MIB;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	check(&in);
	layout_free(&out);
}

/* Pages that lie in what is to be avoided can be sources, and nothing else. */
static void test_pages_to_avoid(void **state)
{
	struct layout_input in = input(make_chunks(2 * GIB - 32 * MIB, 2 * MIB, store_size(), 0));

	(void)state;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	check(&in);
	layout_free(&out);
}

/* RAM without room beside the store: destinations lie over sources. */
static void test_over_sources(void **state)
{
	static struct range little[] = {{GIB, GIB + 130 * MIB}};
	static const struct range_set little_ram = {little, 1, 1};
	struct layout_input in = input(make_chunks(GIB + 4 * MIB, PAGE, 80 * MIB, 1000));

	(void)state;
	in.ram = &little_ram;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	check(&in);
	assert_true(over_store(&in, &out.kernel, in.kernel.memory_size) ||
		    over_store(&in, &out.initrd, in.initrd_size));
	layout_free(&out);
	little[0].end = GIB + 60 * MIB;
	assert_int_equal(layout_make(&in, &out, &why), KX_E_NO_ROOM);
}

static void test_no_initrd(void **state)
{
	struct layout_input in = input(make_chunks(GIB + 64 * MIB, 2 * MIB, store_size(), 0));

	(void)state;
	in.initrd_size = 0;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	assert_int_equal(out.initrd.pieces.count, 0);
	assert_true(out.kernel.in_place);
	layout_free(&out);
}

/* One that wants the start of RAM does not stay where it happens to be. */
static void test_low_kernel(void **state)
{
	struct layout_input in = input(make_chunks(2 * GIB + 64 * MIB, 2 * MIB, store_size(), 0));

	(void)state;
	in.kernel.anywhere = false;
	in.kernel.text_offset = 0x80000;
	assert_int_equal(layout_make(&in, &out, &why), KX_OK);
	assert_int_equal(out.kernel.destination, GIB + 2 * MIB + 0x80000);
	check(&in);
	layout_free(&out);
}

/* What is asked for suffices, whatever pages come. */
static void test_random(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (size_t round = 0; round < 300; round++) {
		uint64_t size = random_below(&seed, 2) ? 2 * MIB : 64 * 1024;
		struct layout_input in =
			input(make_chunks(GIB + 2 * MIB + random_below(&seed, 256) * 2 * MIB, size,
					  store_size(), random_below(&seed, 9)));

		if (layout_make(&in, &out, &why))
			fail_msg("%s", why.what);
		check(&in);
		layout_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_small_pages),  cmocka_unit_test(test_pages_to_avoid),
		cmocka_unit_test(test_over_sources), cmocka_unit_test(test_no_initrd),
		cmocka_unit_test(test_low_kernel),   cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
