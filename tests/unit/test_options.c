/* SPDX-License-Identifier: MIT */
/* kexpress.* options: which are taken, and what the kernel gets. */
#include "payload/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define UNKNOWN_MAX 4

struct parsed {
	struct options options;
	char rest[256];
	struct options_unknown unknown[UNKNOWN_MAX];
	size_t unknown_count;
};

static struct parsed parse(const char *bootargs)
{
	struct parsed p;

	assert_true(options_parse(bootargs, &p.options, p.rest, sizeof(p.rest), p.unknown,
				  UNKNOWN_MAX, &p.unknown_count));
	return p;
}

static void test_defaults(void **state)
{
	struct parsed p = parse("");

	(void)state;
	assert_true(p.options.mmu);
	assert_false(p.options.debug);
	assert_true(p.options.verify);
	assert_int_equal(p.options.cores, UINT64_MAX);
	assert_int_equal(p.options.on_error, ON_ERROR_HALT);
	assert_int_equal(p.options.initrd.start, 0);
	assert_int_equal(p.options.initrd.end, 0);
	assert_int_equal(p.unknown_count, 0);
	assert_string_equal(p.rest, "");
}

static void test_each_option(void **state)
{
	(void)state;
	assert_false(parse("kexpress.mmu=off").options.mmu);
	assert_true(parse("kexpress.mmu=on").options.mmu);
	assert_true(parse("kexpress.debug").options.debug);
	assert_false(parse("kexpress.verify=off").options.verify);
	assert_true(parse("kexpress.verify=on").options.verify);
	assert_int_equal(parse("kexpress.onerror=halt").options.on_error, ON_ERROR_HALT);
	assert_int_equal(parse("kexpress.onerror=reset").options.on_error, ON_ERROR_RESET);
	assert_int_equal(parse("kexpress.onerror=poweroff").options.on_error, ON_ERROR_POWEROFF);
	assert_false(parse("kexpress.mmu=\"off\"").options.mmu);
}

static void test_cores(void **state)
{
	static const char *const bad[] = {
		"kexpress.cores",    "kexpress.cores=",	  "kexpress.cores=0",
		"kexpress.cores=-1", "kexpress.cores=2x", "kexpress.cores=18446744073709551616",
	};

	(void)state;
	assert_int_equal(parse("kexpress.cores=1").options.cores, 1);
	assert_int_equal(parse("kexpress.cores=0x10").options.cores, 16);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct parsed p = parse(bad[i]);

		assert_int_equal(p.options.cores, UINT64_MAX);
		assert_int_equal(p.unknown_count, 1);
	}
}

static void test_last_counts(void **state)
{
	struct parsed p = parse("kexpress.mmu=off kexpress.onerror=reset kexpress.mmu=on "
				"kexpress.onerror=halt kexpress.onerror=never");

	(void)state;
	assert_true(p.options.mmu);
	assert_int_equal(p.options.on_error, ON_ERROR_HALT);
	assert_int_equal(p.unknown_count, 1);
}

struct initrd {
	const char *value;
	bool good;
	struct range range;
};

static const struct initrd initrds[] = {
	{"0x48000000,0x1000", true, {0x48000000, 0x48001000}},
	{"1207959552,4096", true, {0x48000000, 0x48001000}},
	{"0X48aBcDeF,1", true, {0x48abcdef, 0x48abcdf0}},
	{"0,1", true, {0, 1}},
	{"010,010", true, {10, 20}},
	{"0xffffffffffffffff,0", false, {0, 0}},
	{"0xfffffffffffffffe,1", true, {UINT64_MAX - 1, UINT64_MAX}},
	{"18446744073709551614,0x1", true, {UINT64_MAX - 1, UINT64_MAX}},
	{"0xffffffffffffffff,1", false, {0, 0}},
	{"0x10000000000000000,1", false, {0, 0}},
	{"18446744073709551616,1", false, {0, 0}},
	{"1,18446744073709551616", false, {0, 0}},
	{"99999999999999999999999999,1", false, {0, 0}},
	{"0x1000,0", false, {0, 0}},
	{"0x1000", false, {0, 0}},
	{"0x1000,", false, {0, 0}},
	{",0x1000", false, {0, 0}},
	{",", false, {0, 0}},
	{"", false, {0, 0}},
	{"0x,0x1", false, {0, 0}},
	{"1,0x", false, {0, 0}},
	{"1000,4K", false, {0, 0}},
	{"12a,1", false, {0, 0}},
	{"-1,1", false, {0, 0}},
	{"1,2,3", false, {0, 0}},
	{"1:2", false, {0, 0}},
};

static void test_initrd(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(initrds) / sizeof(*initrds); i++) {
		const struct initrd *in = &initrds[i];
		char line[64] = "kexpress.initrd=";
		struct parsed p;

		p = parse(strcat(line, in->value));
		if (p.unknown_count != !in->good || p.options.initrd.start != in->range.start ||
		    p.options.initrd.end != in->range.end)
			fail_msg("%s", line);
		assert_string_equal(p.rest, "");
	}
}

/* A bad value leaves what a good one has set. */
static void test_initrd_kept(void **state)
{
	struct parsed p = parse("kexpress.initrd=1,2 kexpress.initrd=7,0");

	(void)state;
	assert_int_equal(p.options.initrd.start, 1);
	assert_int_equal(p.options.initrd.end, 3);
	assert_int_equal(p.unknown_count, 1);
}

struct line {
	const char *bootargs;
	const char *rest;
	size_t unknown_count;
};

static const struct line lines[] = {
	{"console=ttyAMA0 quiet", "console=ttyAMA0 quiet", 0},
	{"console=ttyAMA0 kexpress.debug quiet", "console=ttyAMA0 quiet", 0},
	{"kexpress.debug quiet", "quiet", 0},
	{"quiet kexpress.debug", "quiet", 0},
	{"a  b\tc", "a  b\tc", 0},
	{"a kexpress.debug\n\tb", "a\n\tb", 0},
	{"  ", "", 0},
	{"kexpress=1 kexpress. xkexpress.debug kexpressx.debug",
	 "kexpress=1 xkexpress.debug kexpressx.debug", 1},
	{"dyndbg=\"a kexpress.mmu=off b\" c", "dyndbg=\"a kexpress.mmu=off b\" c", 0},
	{"\"kexpress.debug\" a", "\"kexpress.debug\" a", 0},
	{"a\" kexpress.debug", "a\" kexpress.debug", 0},
	{"kexpress.x=\"a b\" c", "c", 1},
	{"kexpress.x=\"a b", "", 1},
	/* What is for init passes to the last space. */
	{"a -- kexpress.debug  b ", "a -- kexpress.debug  b ", 0},
	{"kexpress.debug -- kexpress.bad", "-- kexpress.bad", 0},
	{"a \"--\" kexpress.bad", "a \"--\" kexpress.bad", 0},
	{"a --", "a --", 0},
	{"a --x kexpress.bad -- b", "a --x -- b", 1},
	{"a x=\"b -- c\" kexpress.bad", "a x=\"b -- c\"", 1},
	/* Not values that these take. */
	{"kexpress.debug=on", "", 1},
	{"kexpress.debug=", "", 1},
	{"kexpress.mmu", "", 1},
	{"kexpress.mmu=", "", 1},
	{"kexpress.mmu=o", "", 1},
	{"kexpress.mmu=onn", "", 1},
	{"kexpress.mmu=on|off", "", 1},
	{"kexpress.mmu=ON", "", 1},
	{"kexpress.mmu=\"", "", 1},
	{"kexpress.mm=on kexpress.mmuu=on KEXPRESS.mmu=off", "KEXPRESS.mmu=off", 2},
	{"kexpress.initrd", "", 1},
	{"kexpress.initrd=ADDRESS,SIZE", "", 1},
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct parsed p = parse(lines[i].bootargs);

		if (strcmp(p.rest, lines[i].rest) || p.unknown_count != lines[i].unknown_count)
			fail_msg("%s: '%s', %zu unknown", lines[i].bootargs, p.rest,
				 p.unknown_count);
		assert_true(p.options.mmu);
	}
}

static void test_unknown(void **state)
{
	const char *bootargs =
		"a kexpress.one=\"x y\" kexpress.mmu=2 b kexpress.three kexpress.four";
	struct options_unknown unknown[3] = {{0}};
	struct options options;
	char rest[8];
	size_t count;

	(void)state;
	assert_true(options_parse(bootargs, &options, rest, sizeof(rest), unknown, 2, &count));
	assert_int_equal(count, 4);
	assert_ptr_equal(unknown[0].text, strstr(bootargs, "kexpress.one"));
	assert_int_equal(unknown[0].length, strlen("kexpress.one=\"x y\""));
	assert_ptr_equal(unknown[1].text, strstr(bootargs, "kexpress.mmu"));
	assert_int_equal(unknown[1].length, strlen("kexpress.mmu=2"));
	assert_null(unknown[2].text);
	assert_string_equal(rest, "a b");

	assert_true(options_parse(bootargs, &options, rest, sizeof(rest), NULL, 0, &count));
	assert_int_equal(count, 4);
}

static void test_rest_too_small(void **state)
{
	struct options options;
	size_t count;

	(void)state;
	for (size_t size = 0; size <= 8; size++) {
		char *rest = malloc(size);

		assert_int_equal(options_parse("abc kexpress.debug def", &options, rest, size, NULL,
					       0, &count),
				 size == 8);
		assert_true(size == 0 || strlen(rest) < size);
		free(rest);
	}
}

static const char *const pieces[] = {
	" ",
	"  ",
	"\t",
	"\"",
	"--",
	"=",
	",",
	"kexpress.",
	"kexpress.mmu=",
	"kexpress.debug",
	"on",
	"off",
	"0x",
	"1",
	"ff",
	"root",
	"\n",
	"|",
	"kexpress.initrd=",
	"-",
};

/* Lines made of pieces, in buffers of exactly their size. */
static void random_line(uint64_t *seed)
{
	char text[512] = "";
	struct options_unknown unknown[2];
	struct options options;
	size_t count;
	size_t size;
	char *bootargs;
	char *rest;

	for (size_t n = random_below(seed, 24); n > 0; n--)
		strcat(text, pieces[random_below(seed, sizeof(pieces) / sizeof(*pieces))]);
	size = strlen(text) + 1;
	bootargs = malloc(size);
	rest = malloc(size);
	memcpy(bootargs, text, size);

	assert_true(options_parse(bootargs, &options, rest, size, unknown, 2, &count));
	assert_true(strlen(rest) < size);
	for (size_t i = 0; i < count && i < 2; i++) {
		assert_true(unknown[i].length >= strlen("kexpress."));
		assert_memory_equal(unknown[i].text, "kexpress.", strlen("kexpress."));
		assert_true(unknown[i].text >= bootargs);
		assert_true(unknown[i].text + unknown[i].length < bootargs + size);
	}

	/* Nothing is left that would be taken now. */
	assert_true(options_parse(rest, &options, text, sizeof(text), NULL, 0, &count));
	assert_string_equal(rest, text);
	free(bootargs);
	free(rest);
}

static void test_random(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 200000; i++)
		random_line(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),       cmocka_unit_test(test_each_option),
		cmocka_unit_test(test_cores),	       cmocka_unit_test(test_last_counts),
		cmocka_unit_test(test_initrd),	       cmocka_unit_test(test_initrd_kept),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_rest_too_small), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
