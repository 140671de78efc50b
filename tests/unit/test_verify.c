/* SPDX-License-Identifier: MIT */
/* Segments read where their bytes are now. */
#include "list_arena.h"

#include "kimage/verify.h"
#include "payload/crc32.h"

#define SEGMENT 20 /* destination, a page */

static struct kx_refusal why;

static void fill(void)
{
	uint64_t seed = 7;

	for (size_t i = 0; i < ARENA_PAGES * PAGE; i++)
		arena[i] = (uint8_t)random_next(&seed);
}

/* What a segment of these pages, in order, sums up to. */
static uint32_t crc_of(const uint64_t *pages, size_t count, uint64_t size)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < count && size; i++) {
		uint64_t some = size < PAGE ? size : PAGE;

		crc = crc32_update(crc, arena + pages[i] * PAGE, some);
		size -= some;
	}
	assert_int_equal(size, 0);
	return crc;
}

static enum kx_error verify(uint64_t size, uint32_t crc, const struct run *list, size_t count)
{
	struct verify v = {P(SEGMENT), size, crc};

	return verify_segment(&v, list, count, arena_bias(), &why);
}

static void check(const uint64_t *pages, size_t page_count, uint64_t size, const struct run *list,
		  size_t count)
{
	uint32_t crc = crc_of(pages, page_count, size);

	assert_int_equal(verify(size, crc, list, count), KX_OK);
	assert_int_equal(verify(size, crc ^ 1, list, count), KX_E_HASH);
	assert_int_equal(why.start, P(SEGMENT));
	assert_int_equal(why.end, P(SEGMENT) + size);
}

static void test_whole(void **state)
{
	const struct run list[] = {COPY(3, SEGMENT, 2), COPY(9, SEGMENT + 2, 1)};
	const uint64_t pages[] = {3, 4, 9};

	(void)state;
	check(pages, 3, 3 * PAGE, list, 2);
	check(pages, 3, 3 * PAGE - 1, list, 2);
	check(pages, 2, PAGE + 1, list, 2);
}

/* What no run brings is there already, before, between and behind. */
static void test_in_place(void **state)
{
	const struct run list[] = {COPY(3, SEGMENT + 1, 1), STAY(SEGMENT + 3, 1)};
	const uint64_t pages[] = {SEGMENT, 3, SEGMENT + 2, SEGMENT + 3, SEGMENT + 4};

	(void)state;
	check(pages, 5, 5 * PAGE, list, 2);
	check(pages, 5, 5 * PAGE, (const struct run[]){COPY(3, SEGMENT + 1, 1)}, 1);
	check((const uint64_t[]){SEGMENT, SEGMENT + 1}, 2, PAGE + 77, NULL, 0);
}

/* Runs of other segments, and one that goes through this segment and its neighbours. */
static void test_others(void **state)
{
	const struct run list[] = {COPY(2, 40, 3), COPY(5, SEGMENT - 2, 6), COPY(1, 50, 1)};
	const uint64_t pages[] = {7, 8, 9};

	(void)state;
	check(pages, 3, 3 * PAGE, list, 3);
	check(pages, 3, 2 * PAGE + 5, list, 3);
}

static void test_order(void **state)
{
	const struct run list[] = {COPY(3, SEGMENT + 1, 1), COPY(4, SEGMENT, 1)};

	(void)state;
	assert_int_equal(verify(2 * PAGE, crc_of((const uint64_t[]){4, 3}, 2, 2 * PAGE), list, 2),
			 KX_E_HANDOFF);
}

/* Each byte counts, and none beyond. */
static void test_every_byte(void **state)
{
	const struct run list[] = {COPY(3, SEGMENT + 1, 1)};
	const uint64_t pages[] = {SEGMENT, 3};
	const uint64_t size = PAGE + 100;
	uint32_t crc = crc_of(pages, 2, size);

	(void)state;
	for (uint64_t i = 0; i < 2 * PAGE; i++) {
		uint8_t *byte = arena + pages[i / PAGE] * PAGE + i % PAGE;

		*byte ^= 0x10;
		assert_int_equal(verify(size, crc, list, 1), i < size ? KX_E_HASH : KX_OK);
		*byte ^= 0x10;
	}
}

/* zlib's check value. */
static void test_crc32(void **state)
{
	(void)state;
	assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_update(crc32_update(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static int make(void **state)
{
	int result = arena_make(state);

	fill();
	return result;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	   cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_others),	   cmocka_unit_test(test_order),
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_crc32),
	};

	return cmocka_run_group_tests(tests, make, arena_free);
}
