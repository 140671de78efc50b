// SPDX-License-Identifier: MIT
#include "symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REACH 0x100000u /* bytes beyond a symbol that are still called by its name */

struct symbol {
	uint64_t address;
	const char *name;
};

struct file {
	struct file *next;
	char *bytes;
	size_t count;
	struct symbol symbol[];
};

struct symbols {
	struct file *files;
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	struct file *next;

	for (struct file *file = symbols->files; file; file = next) {
		next = file->next;
		free(file->bytes);
		free(file);
	}
	free(symbols);
}

/* The whole file, with a zero after it; NULL where it can't be read. */
static char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	long end = -1;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0)
		bytes = calloc(1, (size_t)end + 1);
	rewind(file);
	*size = (size_t)end;
	if (bytes && fread(bytes, 1, *size, file) != *size) {
		free(bytes);
		bytes = NULL;
	}
	fclose(file);
	return bytes;
}

static const void *part(const char *bytes, size_t size, uint64_t offset, uint64_t length)
{
	return offset <= size && length <= size - offset ? bytes + offset : NULL;
}

static const Elf64_Shdr *section(const char *bytes, size_t size, uint32_t type, uint32_t index)
{
	const Elf64_Ehdr *header = part(bytes, size, 0, sizeof(*header));
	const Elf64_Shdr *sections;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	sections = part(bytes, size, header->e_shoff, header->e_shnum * sizeof(*sections));
	if (!sections)
		return NULL;
	if (index)
		return index < header->e_shnum ? &sections[index] : NULL;
	for (uint32_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == type)
			return &sections[i];
	return NULL;
}

static bool is_place(const Elf64_Sym *symbol)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_NOTYPE || type == STT_OBJECT);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* Mapping symbols ($x, $d) are no names. */
static void collect(struct file *file, const Elf64_Sym *table, size_t count, const char *names,
		    size_t names_size, uint64_t bias)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = names + table[i].st_name;

		if (!is_place(&table[i]) || table[i].st_name >= names_size || *name == '$' ||
		    !*name)
			continue;
		file->symbol[file->count++] = (struct symbol){table[i].st_value + bias, name};
	}
	qsort(file->symbol, file->count, sizeof(file->symbol[0]), by_address);
}

static struct file *parse(const char *bytes, size_t size, uint64_t bias)
{
	const Elf64_Shdr *symtab = section(bytes, size, SHT_SYMTAB, 0);
	const Elf64_Shdr *strtab = symtab ? section(bytes, size, 0, symtab->sh_link) : NULL;
	const Elf64_Sym *table;
	const char *names;
	struct file *file;
	size_t count;

	if (!strtab)
		return NULL;
	count = symtab->sh_size / sizeof(*table);
	table = part(bytes, size, symtab->sh_offset, symtab->sh_size);
	names = part(bytes, size, strtab->sh_offset, strtab->sh_size);
	if (!table || !names)
		return NULL;
	file = calloc(1, sizeof(*file) + count * sizeof(file->symbol[0]));
	if (file)
		collect(file, table, count, names, strtab->sh_size, bias);
	return file;
}

int symbols_add(struct symbols *symbols, const char *elf_path, uint64_t bias)
{
	size_t size;
	char *bytes = read_all(elf_path, &size);
	struct file *file = bytes ? parse(bytes, size, bias) : NULL;

	if (!file) {
		free(bytes);
		return -1;
	}
	file->bytes = bytes;
	file->next = symbols->files;
	symbols->files = file;
	return 0;
}

/* The number of symbols at or below address. */
static size_t rank(const struct file *file, uint64_t address)
{
	size_t low = 0, high = file->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbol[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct symbols_place symbols_find(const struct symbols *symbols, uint64_t address)
{
	for (const struct file *file = symbols->files; file; file = file->next) {
		size_t below = rank(file, address);
		const struct symbol *symbol = below ? &file->symbol[below - 1] : NULL;

		if (symbol && address - symbol->address < REACH)
			return (struct symbols_place){symbol->name, address - symbol->address};
	}
	return (struct symbols_place){0};
}
