/* SPDX-License-Identifier: MIT */
/* Load options of EFI firmware. */
#include "payload/efi_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define TEXT(string) \
	((struct efi_text){(const uint16_t *)(string), sizeof(string) / sizeof(uint16_t) - 1})

static void assert_utf8(struct efi_text text, const char *wanted)
{
	char *utf8 = malloc(strlen(wanted) + 1); /* ends where it should */

	assert_true(efi_text_utf8(text, utf8, strlen(wanted) + 1));
	assert_string_equal(utf8, wanted);
	if (*wanted)
		assert_false(efi_text_utf8(text, utf8, strlen(wanted)));
	free(utf8);
}

static void test_utf8(void **state)
{
	static const uint16_t halves[] = {0xd83d, 'a', 0xde00, 0xdbff};

	(void)state;
	assert_utf8(TEXT(u""), "");
	assert_utf8(TEXT(u"console=ttyAMA0 quiet"), "console=ttyAMA0 quiet");
	assert_utf8(TEXT(u"\x7f\x80\x7ff\x800\xffff"),
		    "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
	assert_utf8(TEXT(u"\xd800\xdc00\xdbff\xdfff"), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
	assert_utf8((struct efi_text){halves, 4}, "\xef\xbf\xbd"
						  "a\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_trim(void **state)
{
	(void)state;
	assert_utf8(efi_text_trim(TEXT(u"a b\0c")), "a b");
	assert_utf8(efi_text_trim(TEXT(u"a b")), "a b");
	assert_utf8(efi_text_trim((struct efi_text){NULL, 0}), "");
}

static void test_skip_word(void **state)
{
	(void)state;
	assert_utf8(efi_text_skip_word(TEXT(u"BOOTAA64.EFI  quiet  debug")), "quiet  debug");
	assert_utf8(efi_text_skip_word(TEXT(u"\"fs0:\\a b.efi\" quiet")), "quiet");
	assert_utf8(efi_text_skip_word(TEXT(u"fs0:\"a b\".efi quiet")), "quiet");
	assert_utf8(efi_text_skip_word(TEXT(u"alone.efi")), "");
	assert_utf8(efi_text_skip_word(TEXT(u"\"open quiet")), "");
	assert_utf8(efi_text_skip_word(TEXT(u"")), "");
}

static void assert_path(struct efi_text options, const char *wanted)
{
	uint16_t path[16];
	char utf8[32];
	size_t length = 0;

	assert_true(efi_text_initrd(options, path, 16));
	while (path[length])
		length++;
	assert_true(efi_text_utf8((struct efi_text){path, length}, utf8, sizeof(utf8)));
	assert_string_equal(utf8, wanted);
}

static void test_initrd(void **state)
{
	uint16_t path[4];

	(void)state;
	assert_path(TEXT(u"quiet initrd=\\a\\b.itb debug"), "\\a\\b.itb");
	assert_path(TEXT(u"initrd=/a/b.itb initrd=c"), "\\a\\b.itb");
	assert_path(TEXT(u"noinitrd=x rd.initrd=y initrd=z"), "z");
	assert_false(efi_text_initrd(TEXT(u"quiet initrd"), path, 4));
	assert_false(efi_text_initrd(TEXT(u"initrd= quiet"), path, 4));
	assert_false(efi_text_initrd(TEXT(u"initrd="), path, 4));
	assert_true(efi_text_initrd(TEXT(u"initrd=abc"), path, 4));
	assert_int_equal(path[3], 0);
	assert_false(efi_text_initrd(TEXT(u"initrd=abcd"), path, 4));
	assert_false(efi_text_initrd(TEXT(u"a \"initrd=b c\""), path, 4));
}

/* Whatever they are, nothing is read or written outside. */
static void test_any_text(void **state)
{
	static const uint16_t units[] = {' ', '"', '/', 'i', 0, 0x80, 0xd800, 0xdc00, 0xffff};
	uint64_t random = 1;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		size_t length = random_below(&random, 24), size = 1 + random_below(&random, 24);
		uint16_t *text = malloc(length * sizeof(*text) + 1);
		uint16_t *path = malloc(size * sizeof(*path));
		char *utf8 = malloc(size);
		struct efi_text options = {text, length};

		for (size_t i = 0; i < length; i++)
			text[i] = units[random_below(&random, sizeof(units) / sizeof(units[0]))];
		if (length > 8 && round % 2)
			memcpy(text, u"initrd=", 14);
		efi_text_initrd(options, path, size);
		options = efi_text_skip_word(efi_text_trim(options));
		if (efi_text_utf8(options, utf8, size))
			assert_true(strlen(utf8) < size);
		free(text);
		free(path);
		free(utf8);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8),	  cmocka_unit_test(test_trim),
		cmocka_unit_test(test_skip_word), cmocka_unit_test(test_initrd),
		cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
