/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <stdarg.h>
#include <stdio.h>

#include "crash.h"
#include "lowlevel.h"

#define LINE_MAX 768 /* the timing line, with every number at its longest */

_Static_assert(CONSOLE_MODEL_COUNT <= BIT(CRASH_MODEL_BITS), "entry.h");
_Static_assert(CONSOLE_ALIGN == BIT(CRASH_OFFSET_UNIT), "entry.h");
_Static_assert(CONSOLE_PAGE / CONSOLE_ALIGN <= BIT(CRASH_OFFSET_BITS), "entry.h");

void console_set(const struct console *console)
{
	uint64_t model = console->model;

	crash_word_set(CRASH_CONSOLE(~0ull, BIT(CRASH_MODEL_BITS) - 1),
		       CRASH_CONSOLE(console->base, model));
}

static void console_puts(const char *text)
{
	while (*text)
		console_put(*text++);
}

void say(const char *format, ...)
{
	char line[LINE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	console_puts("kexpress: ");
	console_puts(line);
	console_puts("\r\n");
}
