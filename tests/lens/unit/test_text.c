/* SPDX-License-Identifier: MIT */
#include "../text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* How often it is there. */
static unsigned int times(const char *wanted, const char *characters)
{
	struct text text = {.wanted = wanted};
	unsigned int found = 0;

	for (; *characters; characters++)
		found += text_ends(&text, *characters);
	return found;
}

static void found_wherever_it_begins(void **state)
{
	char line[TEXT_LENGTH + 2];

	(void)state;
	assert_int_equal(times("Bye!", "Bye!"), 1);
	assert_int_equal(times("Bye!", "kexec: Bye! Bye!\n"), 2);
	assert_int_equal(times("aab", "aaab"), 1);
	assert_int_equal(times("aa", "aaa"), 2);
	assert_int_equal(times("Bye!", "Bye"), 0);
	assert_int_equal(times("", "Bye"), 0);
	assert_int_equal(times(NULL, "Bye"), 0);
	for (int i = 0; i < TEXT_LENGTH + 1; i++)
		line[i] = 'a';
	line[TEXT_LENGTH + 1] = '\0';
	assert_int_equal(times(line + 1, line), 2);
	assert_int_equal(times(line, line), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_wherever_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
