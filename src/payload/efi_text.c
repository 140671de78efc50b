/* SPDX-License-Identifier: MIT */
#include "efi_text.h"

#define REPLACEMENT    0xfffd
#define SURROGATES     0xd800
#define SURROGATES_LOW 0xdc00
#define SURROGATES_END 0xe000
#define BEYOND_BMP     0x10000

struct efi_text efi_text_trim(struct efi_text text)
{
	size_t length = 0;

	while (length < text.length && text.text[length])
		length++;
	return (struct efi_text){text.text, length};
}

static bool is_space(uint16_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct efi_text skip(struct efi_text text, size_t count)
{
	return (struct efi_text){text.text + count, text.length - count};
}

/* Up to the space that ends a word. */
static size_t word_length(struct efi_text text)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < text.length && (quoted || !is_space(text.text[i])); i++)
		if (text.text[i] == '"')
			quoted = !quoted;
	return i;
}

struct efi_text efi_text_skip_word(struct efi_text text)
{
	text = skip(text, word_length(text));
	while (text.length && is_space(text.text[0]))
		text = skip(text, 1);
	return text;
}

static bool is_between(uint32_t c, uint32_t first, uint32_t end)
{
	return first <= c && c < end;
}

/* The next character, and how many units it takes. */
static uint32_t decode(struct efi_text text, size_t *units)
{
	uint32_t c = text.text[0];

	*units = 1;
	if (!is_between(c, SURROGATES, SURROGATES_END))
		return c;
	if (c >= SURROGATES_LOW || text.length < 2 ||
	    !is_between(text.text[1], SURROGATES_LOW, SURROGATES_END))
		return REPLACEMENT;
	*units = 2;
	return BEYOND_BMP + ((c - SURROGATES) << 10) + (text.text[1] - SURROGATES_LOW);
}

/* Writes the bytes of c, at most 4, and returns their number. */
static size_t encode(uint32_t c, unsigned char bytes[4])
{
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < BEYOND_BMP ? 3 : 4;

	for (size_t i = count; i-- > 1; c >>= 6)
		bytes[i] = 0x80 | (c & 0x3f);
	bytes[0] = count > 1 ? first[count] | c : c;
	return count;
}

bool efi_text_utf8(struct efi_text text, char *utf8, size_t size)
{
	size_t at = 0;

	while (text.length) {
		unsigned char bytes[4];
		size_t units;
		size_t count = encode(decode(text, &units), bytes);

		if (count >= size - at)
			return false;
		for (size_t i = 0; i < count; i++)
			utf8[at++] = (char)bytes[i];
		text = skip(text, units);
	}
	utf8[at] = '\0';
	return true;
}

static bool starts_with(struct efi_text text, const char *prefix)
{
	for (size_t i = 0; prefix[i]; i++)
		if (i >= text.length || text.text[i] != (unsigned char)prefix[i])
			return false;
	return true;
}

bool efi_text_initrd(struct efi_text options, uint16_t *path, size_t size)
{
	static const char name[] = "initrd=";
	struct efi_text value;

	while (options.length && !starts_with(options, name))
		options = efi_text_skip_word(options);
	if (!options.length)
		return false;
	value = skip(options, sizeof(name) - 1);
	value.length = word_length(value);
	if (!value.length || value.length >= size)
		return false;
	for (size_t i = 0; i < value.length; i++)
		path[i] = value.text[i] == '/' ? '\\' : value.text[i];
	path[value.length] = 0;
	return true;
}
