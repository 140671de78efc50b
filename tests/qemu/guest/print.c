/* SPDX-License-Identifier: MIT */
#include <board.h>

#include "../../../src/payload/console_model.h"
#include "guest.h"

struct model {
	uint32_t status, mask, ready, data;
};

#define MODEL(name, compatible, shift, status, mask, ready, data, access) \
	{status, mask, ready, data},
static const struct model models[] = {CONSOLE_MODELS(MODEL)};
#undef MODEL

/* All UARTs of our boards take accesses of 32 bits. */
static void put(char c)
{
	const struct model *m = &models[BOARD_EARLY_CONSOLE_MODEL];
	volatile uint32_t *registers = (volatile uint32_t *)BOARD_EARLY_CONSOLE;

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
