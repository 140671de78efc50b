/* SPDX-License-Identifier: MIT */
/* /proc/iomem as kernels print it. */
#include "loader/iomem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define RANGES 32

static struct range ram[RANGES], avoid[RANGES];
static struct iomem iomem;

static bool read_text(const char *text, uint64_t page_size)
{
	iomem = (struct iomem){{ram, 0, RANGES}, {avoid, 0, RANGES}};
	return iomem_read(text, page_size, &iomem);
}

static void assert_set(const struct range_set *set, const struct range *want, size_t count)
{
	assert_int_equal(set->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(set->ranges[i].start, want[i].start);
		assert_int_equal(set->ranges[i].end, want[i].end);
	}
}

/* Of a Debian 6.1 under EFI and ACPI, shortened. */
static void test_real(void **state)
{
	static const char text[] = "09000000-09000fff : pl011@9000000\n"
				   "  09000000-09000fff : 9000000.pl011 pl011@9000000\n"
				   "40000000-bffbffff : System RAM\n"
				   "  40210000-419dffff : Kernel code\n"
				   "  419e0000-41ffffff : reserved\n"
				   "  42000000-4264ffff : Kernel data\n"
				   "  48000000-4a6fffff : reserved\n"
				   "  aa000000-b9ffffff : Crash kernel\n"
				   "bffc0000-bffdffff : reserved\n"
				   "bffe0000-bfffffff : System RAM\n"
				   "4010000000-401fffffff : PCI ECAM\n";
	const struct range want_ram[] = {{0x40000000, 0xbffc0000}, {0xbffe0000, 0xc0000000}};
	const struct range want_avoid[] = {
		{0x419e0000, 0x42000000}, {0x48000000, 0x4a700000}, {0xaa000000, 0xba000000}};

	(void)state;
	assert_true(read_text(text, 4096));
	assert_set(&iomem.ram, want_ram, 2);
	assert_set(&iomem.avoid, want_avoid, 3);
}

/* What a driver has added may go when the driver goes; what is plugged in as RAM is RAM. */
static void test_hotplug(void **state)
{
	static const char text[] = "40000000-7fffffff : System RAM\n"
				   "100000000-13fffffff : virtio0\n"
				   "  100000000-107ffffff : System RAM (virtio_mem)\n"
				   "140000000-14fffffff : System RAM (kmem)\n"
				   "  140000000-140000fff : reserved\n"
				   "180000000-18fffffff : System RAM\n";
	const struct range want[] = {{0x40000000, 0x80000000}, {0x180000000, 0x190000000}};

	(void)state;
	assert_true(read_text(text, 4096));
	assert_set(&iomem.ram, want, 2);
	assert_int_equal(iomem.avoid.count, 0);
}

/* Half a page of RAM is none; half a page to avoid is one. */
static void test_pages(void **state)
{
	static const char text[] = "40001000-8000ffff : System RAM\n"
				   "  50000000-500000ff : reserved\n"
				   "    50000000-5000000f : anything inside\n";
	const struct range want_ram = {0x40010000, 0x80010000};
	const struct range want_avoid = {0x50000000, 0x50010000};

	(void)state;
	assert_true(read_text(text, 0x10000));
	assert_set(&iomem.ram, &want_ram, 1);
	assert_set(&iomem.avoid, &want_avoid, 1);
}

static void test_hidden(void **state)
{
	(void)state;
	assert_false(read_text("00000000-00000000 : System RAM\n"
			       "  00000000-00000000 : Kernel code\n",
			       4096));
	assert_false(read_text("", 4096));
}

static void test_full(void **state)
{
	char text[RANGES * 48] = "";

	(void)state;
	for (unsigned int i = 0; i <= RANGES; i++)
		snprintf(text + strlen(text), 48, "%x0000000-%x0001fff : System RAM\n", i + 1,
			 i + 1);
	assert_false(read_text(text, 4096));
}

/* Any text is read without harm. */
static void test_anything(void **state)
{
	static const char some[] = "0123456789abcdef--:: \n\nSystem RAM";
	uint64_t seed = 3;
	char text[200];

	(void)state;
	for (size_t round = 0; round < 100000; round++) {
		size_t length = random_below(&seed, sizeof(text));

		for (size_t i = 0; i < length; i++)
			text[i] = some[random_below(&seed, sizeof(some) - 1)];
		text[length] = 0;
		read_text(text, 4096);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real),  cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_pages), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_full),  cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
