/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <arm64/sysreg.h>
#include <stdarg.h>
#include <stdio.h>

#define PL011_DR      0x00
#define PL011_FR      0x18
#define PL011_FR_TXFF BIT(5)
#define PL011_POLLS   0x10000 /* a dead console costs some milliseconds a character, no more */
#define LINE_MAX      512

static void crash_word(uint64_t mask, uint64_t value)
{
	sysreg_write(tpidrro_el0, (sysreg_read(tpidrro_el0) & ~mask) | value);
}

void console_set(uint64_t base)
{
	crash_word(~(uint64_t)CRASH_LOW_MASK, base);
}

uint64_t console_base(void)
{
	return sysreg_read(tpidrro_el0) & ~(uint64_t)CRASH_LOW_MASK;
}

void crash_step(enum step step)
{
	crash_word(BIT(CRASH_STEP_BITS) - 1, step);
}

void crash_action(unsigned int action, bool psci, bool hvc)
{
	uint64_t mask = FIELD(BIT(CRASH_ACTION_BITS) - 1, CRASH_ACTION_SHIFT) |
			BIT(CRASH_PSCI_BIT) | BIT(CRASH_HVC_BIT);

	crash_word(mask, FIELD(action, CRASH_ACTION_SHIFT) | FIELD(psci, CRASH_PSCI_BIT) |
				 FIELD(hvc, CRASH_HVC_BIT));
}

static void console_putc(char c)
{
	volatile uint32_t *pl011 = (volatile uint32_t *)console_base();

	for (unsigned int i = 0; i < PL011_POLLS && (pl011[PL011_FR / 4] & PL011_FR_TXFF); i++)
		;
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
