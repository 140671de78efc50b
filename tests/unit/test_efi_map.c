/* SPDX-License-Identifier: MIT */
/* What of the memory that EFI firmware describes may be written to. */
#include "efi_memory.h"
#include "random.h"

#define RANGES	     64
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct range ranges[RANGES];
static struct range_set ram;
static struct kx_refusal why;

static enum kx_error read_ram(const struct efi_map *map, const struct range *kept, size_t count)
{
	ram = (struct range_set){ranges, 0, RANGES};
	return efi_map_ram(map, kept, count, &ram, &why);
}

static void assert_ram(const struct range *wanted, size_t count)
{
	assert_int_equal(ram.count, count);
	assert_memory_equal(ranges, wanted, count * sizeof(*wanted));
}

static void test_free_memory(void **state)
{
	static const struct range wanted[] = {
		{0x40000000, 0x44000000}, {0x48000000, 0x50000000}, {0x58000000, 0x80000000}};
	struct efi_map map = memory_usual();

	(void)state;
	assert_int_equal(read_ram(&map, NULL, 0), KX_OK);
	assert_ram(wanted, COUNT(wanted));
	free(map.descriptors);
}

static void test_kept(void **state)
{
	static const struct range kept[] = {{0x50100000, 0x50200000}, {0x44000000, 0x44001000}};
	static const struct range wanted[] = {{0x40000000, 0x44001000},
					      {0x48000000, 0x50000000},
					      {0x50100000, 0x50200000},
					      {0x58000000, 0x80000000}};
	struct efi_map map = memory_usual();

	(void)state;
	assert_int_equal(read_ram(&map, kept, COUNT(kept)), KX_OK);
	assert_ram(wanted, COUNT(wanted));
	free(map.descriptors);
}

static void test_kept_by_others(void **state)
{
	static const struct range kept[] = {
		{0x53000000, 0x53001000}, {0x54000000, 0x54001000}, {0x55000000, 0x55001000},
		{0x56000000, 0x56001000}, {0x57000000, 0x57001000}, {0x52fff000, 0x53001000},
		{0x3ffff000, 0x40001000}, {0x90000000, 0x90001000}, {0x50000000, 0x50000000}};
	struct efi_map map = memory_usual();

	(void)state;
	for (size_t i = 0; i < COUNT(kept); i++) {
		assert_int_equal(read_ram(&map, &kept[i], 1), KX_E_PAYLOAD_RANGE);
		assert_int_equal(why.start, kept[i].start);
	}
	free(map.descriptors);
}

/* Free says one, taken another, before it or behind it. */
static void test_overlap(void **state)
{
	static const struct range wanted[] = {{0x40000000, 0x40001000}, {0x40002000, 0x40003000}};
	struct efi_map map = {0};

	(void)state;
	memory_add(&map, RUNTIME_DATA, 0x40001000, 1, EFI_MEMORY_WB | EFI_MEMORY_RUNTIME);
	memory_add(&map, EFI_CONVENTIONAL, 0x40000000, 4, EFI_MEMORY_WB);
	memory_add(&map, RESERVED, 0x40003000, 1, EFI_MEMORY_WB);
	memory_add(&map, EFI_CONVENTIONAL, 0x40003000, 1, EFI_MEMORY_WB);
	assert_int_equal(read_ram(&map, NULL, 0), KX_OK);
	assert_ram(wanted, COUNT(wanted));
	free(map.descriptors);
}

static void test_wraps(void **state)
{
	static const struct {
		uint64_t start, pages;
	} cases[] = {{0xfffffffffffff000, 1},
		     {0x1000, 1ull << 52},
		     {0x1000, ~0ull},
		     {0x40000000, (1ull << 52) - 1}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct efi_map map = memory_usual();

		memory_add(&map, EFI_CONVENTIONAL, cases[i].start, cases[i].pages, EFI_MEMORY_WB);
		assert_int_equal(read_ram(&map, NULL, 0), KX_E_EFI);
		free(map.descriptors);
	}
}

static void test_odd_sizes(void **state)
{
	static const uint64_t sizes[] = {0, 8, 32, 44, 52, 56, ~0ull};
	struct efi_map map = memory_usual();

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		map.descriptor_size = sizes[i];
		assert_int_equal(read_ram(&map, NULL, 0), KX_E_EFI);
	}
	free(map.descriptors);
}

static void test_no_room(void **state)
{
	struct efi_map map = memory_usual();

	(void)state;
	ram = (struct range_set){ranges, 0, 2};
	assert_int_equal(efi_map_ram(&map, NULL, 0, &ram, &why), KX_E_RANGES);
	free(map.descriptors);
}

static void test_stay(void **state)
{
	struct efi_map map = memory_usual();
	struct efi_memory_descriptor *d = map.descriptors;

	(void)state;
	efi_map_stay(&map);
	for (uint64_t at = 0; at < map.size; at += DESCRIPTOR_SIZE) {
		d = (struct efi_memory_descriptor *)((char *)map.descriptors + at);
		assert_int_equal(d->virtual_start, d->type == RUNTIME_DATA ? d->start : 0);
	}
	free(map.descriptors);
}

/* Whatever the map says, no byte that it gives to somebody else is RAM. */
static void test_any_map(void **state)
{
	static const uint32_t types[] = {EFI_CONVENTIONAL, EFI_CONVENTIONAL, EFI_LOADER_DATA,
					 RUNTIME_DATA, RESERVED};
	uint64_t random = 7;

	(void)state;
	for (unsigned int round = 0; round < 5000; round++) {
		struct efi_map map = {0};
		size_t count = 1 + random_below(&random, 24);

		for (size_t i = 0; i < count; i++)
			memory_add(&map, types[random_below(&random, COUNT(types))],
				   random_below(&random, 64) << EFI_PAGE_SHIFT,
				   random_below(&random, 16), EFI_MEMORY_WB);
		assert_int_equal(read_ram(&map, NULL, 0), KX_OK);
		for (uint64_t at = 0; at < map.size; at += DESCRIPTOR_SIZE) {
			struct efi_memory_descriptor *d = (void *)((char *)map.descriptors + at);

			if (d->type != EFI_CONVENTIONAL)
				assert_false(range_set_overlaps(
					&ram, d->start, d->start + (d->pages << EFI_PAGE_SHIFT)));
		}
		free(map.descriptors);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_memory),    cmocka_unit_test(test_kept),
		cmocka_unit_test(test_kept_by_others), cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_wraps),	       cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_no_room),	       cmocka_unit_test(test_stay),
		cmocka_unit_test(test_any_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
