/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <stdarg.h>
#include <stdio.h>

#include "crash.h"

#define PL011_DR      0x00
#define PL011_FR      0x18
#define PL011_FR_TXFF BIT(5)
#define PL011_POLLS   0x10000 /* some milliseconds */
#define LINE_MAX      768     /* the timing line, with every number at its longest */

void console_set(uint64_t base)
{
	crash_word_set(~(uint64_t)CRASH_LOW_MASK, base);
}

uint64_t console_base(void)
{
	return crash_word() & ~(uint64_t)CRASH_LOW_MASK;
}

/* A console that does not take a character in time is not asked again: it must not hold the boot
 * for each character of each line. */
static bool console_ready(volatile uint32_t *pl011)
{
	if (crash_word() >> CRASH_MUTE_BIT & 1)
		return false;
	for (unsigned int i = 0; i < PL011_POLLS; i++)
		if (!(pl011[PL011_FR / 4] & PL011_FR_TXFF))
			return true;
	crash_word_set(0, BIT(CRASH_MUTE_BIT));
	return false;
}

static void console_putc(char c)
{
	volatile uint32_t *pl011 = (volatile uint32_t *)console_base();

	if (console_ready(pl011))
		pl011[PL011_DR / 4] = (unsigned char)c;
}

static void console_puts(const char *text)
{
	while (*text)
		console_putc(*text++);
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
