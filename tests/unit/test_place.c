/* SPDX-License-Identifier: MIT */
/* Placement rules of the arm64 boot protocol. */
#include "place/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define WORDS 4096

static uint64_t bits[WORDS];
static struct kx_refusal why;

static const struct place_kernel debian = {
	.text_offset = 0, .memory_size = 34 * MIB, .anywhere = true};
static const struct place_kernel old = {.text_offset = 0x80000, .memory_size = 20 * MIB};

static void test_kernel_lowest(void **state)
{
	struct range ranges[] = {{GIB, 3 * GIB}};
	struct range_set ram = {ranges, 1, 1};
	struct occupancy o;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	assert_int_equal(place_kernel_choose(&o, &old, &at, &why), KX_OK);
	assert_int_equal(at, GIB + 0x80000);
	assert_int_equal(place_kernel_choose(&o, &debian, &at, &why), KX_OK);
	assert_int_equal(at, GIB + 22 * MIB);
}

static void assert_kernel_at(struct range *ranges, size_t count, const struct place_kernel *kernel,
			     uint64_t want)
{
	struct range_set ram = {ranges, count, count};
	struct occupancy o;
	uint64_t at;

	occupancy_init(&o, &ram, bits, WORDS);
	assert_int_equal(place_kernel_choose(&o, kernel, &at, &why), KX_OK);
	assert_int_equal(at, want);
}

/* What the firmware keeps at the start of RAM lies below text_offset, as on a Raspberry Pi. */
static void test_kernel_above_firmware(void **state)
{
	struct range ram[] = {{512 * KIB, GIB}};

	(void)state;
	assert_kernel_at(ram, 1, &old, 512 * KIB);
}

/* A no-map hole near the start of RAM leaves a first range that is too small. */
static void test_kernel_second_range(void **state)
{
	struct range ram[] = {{0, 4 * MIB}, {5 * MIB, GIB}};

	(void)state;
	assert_kernel_at(ram, 2, &debian, 6 * MIB);
}

/* BSS, which no file shows, is part of what must be free, and of what is taken. */
static void test_kernel_bss(void **state)
{
	struct range ranges[] = {{GIB, 2 * GIB}};
	struct range_set ram = {ranges, 1, 1};
	struct occupancy o;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	occupancy_take(&o, GIB + debian.memory_size - 1, GIB + debian.memory_size);
	assert_int_equal(place_kernel_choose(&o, &debian, &at, &why), KX_OK);
	assert_int_equal(at, GIB + 34 * MIB);
	assert_false(occupancy_find(&o, 1, 1, 0, (struct range){at, at + debian.memory_size}, &at));
}

static void test_kernel_no_room(void **state)
{
	struct range ranges[] = {{GIB + 4 * KIB, GIB + 36 * MIB - 8 * KIB},
				 {1ull << 48, (1ull << 48) + GIB}};
	struct range_set ram = {ranges, 2, 2};
	struct place_kernel far = {.text_offset = 1ull << 40, .memory_size = MIB};
	struct occupancy o;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	assert_int_equal(place_kernel_choose(&o, &debian, &at, &why), KX_E_NO_ROOM);
	assert_int_equal(why.error, KX_E_NO_ROOM);
	assert_non_null(why.what);

	/* Its 2 MiB boundary would be below address 0. */
	assert_int_equal(place_kernel_choose(&o, &far, &at, &why), KX_E_NO_ROOM);
}

struct kernel_check {
	uint64_t text_offset;
	uint64_t memory_size;
	uint64_t at;
	enum kx_error error;
};

/* RAM is [1 GiB, 2 GiB), [8 GiB, 9 GiB) and a GiB to each side of 2^48. */
static const struct kernel_check kernel_checks[] = {
	{0, 34 * MIB, GIB, KX_OK},
	{0, GIB, GIB, KX_OK},
	{0, 34 * MIB, 2 * GIB - 34 * MIB, KX_OK},
	{0x80000, 20 * MIB, 8 * GIB + 0x80000, KX_OK},
	{0x280000, 20 * MIB, 8 * GIB + 0x80000, KX_OK},
	{0, 34 * MIB, GIB + 4 * KIB, KX_E_ALIGN}, /* a 64K-page kernel would die at random */
	{0, 34 * MIB, GIB + 64 * KIB, KX_E_ALIGN},
	{0, 34 * MIB, GIB + MIB, KX_E_ALIGN},
	{0x80000, 20 * MIB, GIB, KX_E_ALIGN},
	{GIB + 2 * MIB, 20 * MIB, GIB, KX_E_ALIGN},
	{0, GIB + 1, GIB, KX_E_BSS},
	{0, 34 * MIB, 2 * GIB - 32 * MIB, KX_E_BSS},
	{0, 7 * GIB, GIB, KX_E_BSS}, /* both ends in RAM */
	{0, 34 * MIB, 0, KX_E_DEST_RANGE},
	{0, GIB, 2 * GIB, KX_E_DEST_RANGE},
	{0, 2 * MIB, (1ull << 48) - 2 * MIB, KX_OK},
	{0, 2 * MIB + 1, (1ull << 48) - 2 * MIB, KX_E_ADDRESS},
	{0, UINT64_MAX, GIB, KX_E_ADDRESS},
	{0, UINT64_MAX - GIB + 1, GIB, KX_E_ADDRESS},
};

static void test_kernel_check(void **state)
{
	struct range ranges[] = {
		{GIB, 2 * GIB}, {8 * GIB, 9 * GIB}, {(1ull << 48) - GIB, (1ull << 48) + GIB}};
	const struct range_set ram = {ranges, 3, 3};

	(void)state;
	for (size_t i = 0; i < sizeof(kernel_checks) / sizeof(*kernel_checks); i++) {
		const struct kernel_check *c = &kernel_checks[i];
		struct place_kernel kernel = {.text_offset = c->text_offset,
					      .memory_size = c->memory_size};

		if (place_kernel_check(&ram, &kernel, c->at, &why) != c->error)
			fail_msg("case %zu: not error %d", i, c->error);
		if (c->error)
			assert_int_equal(why.error, c->error);
	}
}

/* 64 MiB of RAM that starts at no round address: nothing of the initramfs itself is 1 GiB aligned.
 */
static void test_initrd_small_board(void **state)
{
	struct range ranges[] = {{0x83000000, 0x87000000}};
	struct range_set ram = {ranges, 1, 1};
	struct occupancy o;
	uint64_t kernel;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	assert_int_equal(place_kernel_choose(&o, &debian, &kernel, &why), KX_OK);
	assert_int_equal(place_initrd_choose(&o, &debian, kernel, 29 * MIB + 5, &at, &why), KX_OK);
	assert_int_equal(at, 0x83000000 + 34 * MIB);
	assert_int_equal(place_initrd_choose(&o, &debian, kernel, MIB, &at, &why), KX_E_NO_ROOM);
	assert_int_equal(why.error, KX_E_NO_ROOM);
}

/* Only below the kernel there is room: good for a kernel that may lie anywhere, else no good. */
static void test_initrd_below_kernel(void **state)
{
	struct range ranges[] = {{0, 128 * MIB}};
	struct range_set ram = {ranges, 1, 1};
	struct occupancy o;
	uint64_t kernel;
	uint64_t at;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	occupancy_take(&o, 18 * MIB, 92 * MIB);
	assert_int_equal(place_kernel_choose(&o, &old, &kernel, &why), KX_OK);
	assert_int_equal(kernel, 92 * MIB + 0x80000);
	assert_int_equal(place_initrd_choose(&o, &old, kernel, 17 * MIB, &at, &why), KX_E_NO_ROOM);
	assert_int_equal(place_initrd_choose(&o, &debian, kernel, 17 * MIB, &at, &why), KX_OK);
	assert_int_equal(at, 0);
	assert_int_equal(place_initrd_choose(&o, &old, kernel, 15 * MIB, &at, &why), KX_OK);
	assert_int_equal(at, kernel + old.memory_size);
}

struct window_check {
	struct range kernel;
	struct range initrd;
	enum kx_error error;
};

static const struct window_check window_checks[] = {
	{{GIB, GIB + 34 * MIB}, {2 * GIB, 3 * GIB}, KX_OK},
	{{0, 34 * MIB}, {32 * GIB - 4 * KIB, 32 * GIB}, KX_OK},
	{{0, 34 * MIB}, {32 * GIB - 4 * KIB, 32 * GIB + 1}, KX_E_WINDOW},
	{{GIB - 2 * MIB, GIB}, {31 * GIB, 32 * GIB}, KX_OK},
	/* Less than 32 GiB apart, but not in one aligned window. */
	{{GIB - 2 * MIB, GIB}, {32 * GIB, 32 * GIB + 4 * KIB}, KX_E_WINDOW},
	{{GIB, GIB + 34 * MIB}, {32 * GIB, 33 * GIB}, KX_OK},
	/* The initramfs is below. */
	{{32 * GIB, 32 * GIB + 34 * MIB}, {GIB, GIB + 1}, KX_OK},
	{{32 * GIB, 32 * GIB + 34 * MIB}, {GIB - 1, GIB}, KX_E_WINDOW},
	{{TIB, TIB + 34 * MIB}, {GIB, 2 * GIB}, KX_E_WINDOW},
	{{UINT64_MAX - MIB, UINT64_MAX}, {UINT64_MAX - GIB, UINT64_MAX - MIB}, KX_OK},
	{{0, MIB}, {UINT64_MAX - MIB, UINT64_MAX}, KX_E_WINDOW},
};

static void test_window_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(window_checks) / sizeof(*window_checks); i++) {
		const struct window_check *c = &window_checks[i];

		if (place_window_check(c->kernel, c->initrd, &why) != c->error)
			fail_msg("case %zu: not error %d", i, c->error);
	}
}

/* Whether some window holds both, by trying them all. */
static bool shares_window(struct range a, struct range b)
{
	for (uint64_t start = 0; start <= a.start; start += PLACE_WINDOW_ALIGN) {
		uint64_t end = start + PLACE_WINDOW_SIZE;

		if (start <= b.start && a.end <= end && b.end <= end)
			return true;
	}
	return false;
}

/* The lowest place, by trying each GiB: all that counts here lies at whole GiB. */
static uint64_t initrd_by_trying(const struct occupancy *o, struct range kernel, uint64_t size)
{
	for (uint64_t at = 0; at < 128 * GIB; at += GIB) {
		uint64_t found;

		if (shares_window(kernel, (struct range){at, at + size}) &&
		    occupancy_find(o, size, GIB, 0, (struct range){at, at + size}, &found))
			return at;
	}
	return UINT64_MAX;
}

static void test_window_random(void **state)
{
	struct place_kernel kernel = {.anywhere = true};
	struct range ranges[] = {{0, 128 * GIB}};
	struct range_set ram = {ranges, 1, 1};
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint64_t kernel_at = random_below(&seed, 100) * GIB;
		uint64_t size = (1 + random_below(&seed, 3)) * GIB;
		struct occupancy o;
		uint64_t want;
		uint64_t at = UINT64_MAX;

		occupancy_init(&o, &ram, bits, WORDS / 32);
		for (size_t taken = random_below(&seed, 120); taken > 0; taken--) {
			uint64_t start = random_below(&seed, 128) * GIB;

			occupancy_take(&o, start, start + GIB);
		}
		kernel.memory_size = (1 + random_below(&seed, 2)) * GIB;
		occupancy_take(&o, kernel_at, kernel_at + kernel.memory_size);

		want = initrd_by_trying(
			&o, (struct range){kernel_at, kernel_at + kernel.memory_size}, size);
		if (place_initrd_choose(&o, &kernel, kernel_at, size, &at, &why) !=
			    (want == UINT64_MAX ? KX_E_NO_ROOM : KX_OK) ||
		    at != want)
			fail_msg("round %d: %llx, not %llx", round, (unsigned long long)at,
				 (unsigned long long)want);
	}
}

/* A kernel stays where its memory is free and the rules are kept. */
static void test_kernel_stays(void **state)
{
	struct range ranges[] = {{GIB, 2 * GIB}};
	struct range_set ram = {ranges, 1, 1};
	struct occupancy o;
	uint64_t at = GIB + 64 * MIB;

	(void)state;
	occupancy_init(&o, &ram, bits, WORDS);
	assert_true(place_kernel_stays(&o, &debian, at));
	assert_true(place_kernel_stays(&o, &old, at + 0x80000));
	assert_false(place_kernel_stays(&o, &debian, at + MIB));
	assert_false(place_kernel_stays(&o, &old, at));
	assert_false(place_kernel_stays(&o, &debian, 2 * GIB - 32 * MIB));
	occupancy_take(&o, at + 34 * MIB, at + 35 * MIB);
	assert_true(place_kernel_stays(&o, &debian, at));
	occupancy_take(&o, at + 33 * MIB, at + 34 * MIB);
	assert_false(place_kernel_stays(&o, &debian, at));
}

/* An initramfs stays outside the kernel's memory, in its window, and not where it can't be used. */
static void test_initrd_stays(void **state)
{
	struct range below = {4 * GIB - 7, 4 * GIB}, above = {4 * GIB + 34 * MIB, 5 * GIB + 1};
	struct range bss = {4 * GIB + 33 * MIB, 4 * GIB + 35 * MIB}, far = {40 * GIB, 41 * GIB};

	(void)state;
	assert_true(place_initrd_stays(&debian, 4 * GIB, above));
	assert_true(place_initrd_stays(&debian, 4 * GIB, below));
	assert_false(place_initrd_stays(&debian, 4 * GIB, bss));
	assert_false(place_initrd_stays(&debian, 4 * GIB, far));
	assert_false(place_initrd_stays(&old, 4 * GIB, below));
	assert_true(place_initrd_stays(&old, 4 * GIB, above));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_lowest),
		cmocka_unit_test(test_kernel_above_firmware),
		cmocka_unit_test(test_kernel_second_range),
		cmocka_unit_test(test_kernel_bss),
		cmocka_unit_test(test_kernel_no_room),
		cmocka_unit_test(test_kernel_check),
		cmocka_unit_test(test_initrd_small_board),
		cmocka_unit_test(test_initrd_below_kernel),
		cmocka_unit_test(test_window_check),
		cmocka_unit_test(test_window_random),
		cmocka_unit_test(test_kernel_stays),
		cmocka_unit_test(test_initrd_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
