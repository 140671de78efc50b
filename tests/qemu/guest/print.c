/* SPDX-License-Identifier: MIT */
#include <board.h>

#include "../../../src/payload/console_model.h"
#include "guest.h"

#define XEN_CONSOLE_IO	  18
#define XEN_CONSOLE_WRITE 0

struct model {
	uint32_t status, mask, ready, data;
};

#define MODEL(name, compatible, shift, status, mask, ready, data, access) \
	{status, mask, ready, data},
static const struct model models[] = {CONSOLE_MODELS(MODEL)};
#undef MODEL

/* A test that has Xen start us writes CONSOLE_XEN here, into the file. */
static const volatile uint32_t print_model = BOARD_EARLY_CONSOLE_MODEL;

static void put_by_xen(char c)
{
	register uint64_t x0 __asm__("x0") = XEN_CONSOLE_WRITE;
	register uint64_t x1 __asm__("x1") = 1;
	register const char *x2 __asm__("x2") = &c;
	register uint64_t x16 __asm__("x16") = XEN_CONSOLE_IO;

	__asm__ volatile("hvc #0xea1" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x16) : : "memory");
}

/* All UARTs of our boards take accesses of 32 bits. */
static void put(char c)
{
	const struct model *m = &models[print_model];
	volatile uint32_t *registers = (volatile uint32_t *)BOARD_EARLY_CONSOLE;

	if (m == &models[CONSOLE_XEN]) {
		put_by_xen(c);
		return;
	}
	while ((registers[m->status / 4] & m->mask) != m->ready)
		;
	registers[m->data / 4] = (unsigned char)c;
}

void print(const char *text)
{
	while (*text)
		put(*text++);
}

void print_hex(uint64_t value)
{
	print("0x");
	for (int shift = 60; shift >= 0; shift -= 4) {
		unsigned int digit = value >> shift & 0xf;

		put((char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
	}
}

void print_value(const char *name, uint64_t value)
{
	print(name);
	print("=");
	print_hex(value);
	print(" ");
}

void print_line(const char *name, uint64_t value)
{
	print(name);
	print("=");
	print_hex(value);
	print("\r\n");
}
