/* SPDX-License-Identifier: MIT */
/* Names of addresses, from the symbol tables of 64-bit little-endian ELF files. */
#ifndef LENS_SYMBOLS_H
#define LENS_SYMBOLS_H

#include <stdint.h>

struct symbols;

struct symbols_place {
	const char *name; /* NULL: none */
	uint64_t offset;
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* bias is what is added to the file's addresses. 0, or -1 where there are no symbols to read. */
int symbols_add(struct symbols *symbols, const char *elf_path, uint64_t bias);

/* The last symbol at or below an address, in the last file added that has one near. */
struct symbols_place symbols_find(const struct symbols *symbols, uint64_t address);

#endif /* LENS_SYMBOLS_H */
