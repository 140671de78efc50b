/* SPDX-License-Identifier: MIT */
#include "guest.h"

#define PL011_BASE    0x09000000ull
#define PL011_DR      0x00
#define PL011_FR      0x18
#define PL011_FR_TXFF 0x20

static void put(char c)
{
	volatile uint32_t *pl011 = (volatile uint32_t *)PL011_BASE;

	while (pl011[PL011_FR / 4] & PL011_FR_TXFF)
		;
	pl011[PL011_DR / 4] = (unsigned char)c;
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
