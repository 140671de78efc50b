/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>

/* A piece of the command line. */
struct text {
	const char *start;
	const char *end;
};

enum option_id {
	OPTION_MMU,
	OPTION_DEBUG,
	OPTION_VERIFY,
	OPTION_CORES,
	OPTION_ONERROR,
	OPTION_INITRD
};

#define OPTION_PREFIX "kexpress."

/* All there is. To Linux '-' and '_' in a name are the same; no name here has either. */
static const struct {
	const char *name;
	const char *values; /* choices, numbered from 0, or a form; NULL: takes no value */
} option_table[] = {
	[OPTION_MMU] = {"kexpress.mmu", "on|off"},
	[OPTION_DEBUG] = {"kexpress.debug", NULL},
	[OPTION_VERIFY] = {"kexpress.verify", "on|off"},
	[OPTION_CORES] = {"kexpress.cores", "N"},
	[OPTION_ONERROR] = {"kexpress.onerror", "halt|reset|poweroff"},
	[OPTION_INITRD] = {"kexpress.initrd", "ADDRESS,SIZE"},
};

#define OPTION_COUNT (sizeof(option_table) / sizeof(*option_table))

static size_t text_length(struct text text)
{
	return (size_t)(text.end - text.start);
}

static bool text_is(struct text text, const char *string, size_t length)
{
	return text_length(text) == length && !memcmp(text.start, string, length);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word at or after s, empty at the end. Double quotes, which cannot be escaped, keep
 * spaces inside a word (Linux lib/cmdline.c, next_arg). */
static struct text next_word(const char *s)
{
	struct text word;
	bool quoted = false;

	while (is_space(*s))
		s++;
	word.start = s;
	for (; *s && (quoted || !is_space(*s)); s++)
		if (*s == '"')
			quoted = !quoted;
	word.end = s;
	return word;
}

/* Linux leaves what follows to init (kernel/params.c, parse_args), and sees no quotes here. */
static bool ends_options(struct text word)
{
	return text_is(word, "--", 2) || text_is(word, "\"--\"", 4);
}

static struct text unquote(struct text value)
{
	if (value.start < value.end && value.start[0] == '"') {
		value.start++;
		if (value.start < value.end && value.end[-1] == '"')
			value.end--;
	}
	return value;
}

/* Value of a digit of bases up to 16; 16 if c is none. */
static unsigned int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 16;
}

/* Reads a number, decimal or with 0x hexadecimal, from the start of text, which moves behind it. */
static bool read_number(struct text *text, uint64_t *number)
{
	unsigned int base = 10;
	const char *first;

	if (text_length(*text) > 2 && text->start[0] == '0' && (text->start[1] | 0x20) == 'x') {
		base = 16;
		text->start += 2;
	}
	first = text->start;
	for (*number = 0; text->start < text->end; text->start++) {
		unsigned int digit = digit_value(*text->start);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return false;
	}
	return text->start > first;
}

static bool read_count(struct text value, uint64_t *count)
{
	uint64_t number;

	if (!read_number(&value, &number) || value.start < value.end || !number)
		return false;
	*count = number;
	return true;
}

static bool read_range(struct text value, struct range *range)
{
	uint64_t start;
	uint64_t size;
	uint64_t end;

	if (!read_number(&value, &start) || value.start == value.end || *value.start++ != ',')
		return false;
	if (!read_number(&value, &size) || value.start < value.end || !size)
		return false;
	if (__builtin_add_overflow(start, size, &end))
		return false;
	*range = (struct range){start, end};
	return true;
}

/* Number of value among choices; -1 if it is none of them. */
static int find_choice(const char *choices, struct text value)
{
	for (int number = 0;; number++) {
		size_t length = strcspn(choices, "|");

		if (text_is(value, choices, length))
			return number;
		if (!choices[length])
			return -1;
		choices += length + 1;
	}
}

static bool read_switch(const char *choices, struct text value, bool *on)
{
	int choice = find_choice(choices, value);

	if (choice >= 0)
		*on = choice == 0;
	return choice >= 0;
}

static bool read_on_error(const char *choices, struct text value, enum on_error *on_error)
{
	int choice = find_choice(choices, value);

	if (choice >= 0)
		*on_error = (enum on_error)choice;
	return choice >= 0;
}

/* value.start is NULL where the option has none. False: not a value for this option. */
static bool set_option(struct options *options, enum option_id id, struct text value)
{
	const char *values = option_table[id].values;

	if (!values != !value.start)
		return false;
	switch (id) {
	case OPTION_MMU:
		return read_switch(values, value, &options->mmu);
	case OPTION_DEBUG:
		return options->debug = true;
	case OPTION_VERIFY:
		return read_switch(values, value, &options->verify);
	case OPTION_CORES:
		return read_count(value, &options->cores);
	case OPTION_ONERROR:
		return read_on_error(values, value, &options->on_error);
	case OPTION_INITRD:
		return read_range(value, &options->initrd);
	}
	return false;
}

static bool is_option(struct text word)
{
	size_t length = sizeof(OPTION_PREFIX) - 1;

	return text_length(word) >= length && !memcmp(word.start, OPTION_PREFIX, length);
}

/* False: not an option that there is, or not with this value. */
static bool take_option(struct options *options, struct text word)
{
	const char *equals = memchr(word.start, '=', text_length(word));
	struct text name = {word.start, equals ? equals : word.end};
	struct text value = {NULL, NULL};

	if (equals)
		value = unquote((struct text){equals + 1, word.end});
	for (size_t id = 0; id < OPTION_COUNT; id++)
		if (text_is(name, option_table[id].name, strlen(option_table[id].name)))
			return set_option(options, (enum option_id)id, value);
	return false;
}

/* Appends text to the string in buffer, of size bytes and *length characters. */
static bool append(char *buffer, size_t size, size_t *length, struct text text)
{
	if (text_length(text) >= size - *length)
		return false;
	memcpy(buffer + *length, text.start, text_length(text));
	*length += text_length(text);
	buffer[*length] = '\0';
	return true;
}

bool options_parse(const char *bootargs, struct options *options, char *rest, size_t rest_size,
		   struct options_unknown *unknown, size_t unknown_max, size_t *unknown_count)
{
	const char *done = bootargs;
	size_t rest_length = 0;

	*options = (struct options){
		.mmu = true, .verify = true, .cores = UINT64_MAX, .on_error = ON_ERROR_HALT};
	*unknown_count = 0;
	if (!rest_size)
		return false;
	rest[0] = '\0';

	for (;;) {
		struct text word = next_word(done);
		/* Spaces go along with the word behind them. */
		struct text kept = {rest_length ? done : word.start, word.end};

		if (word.start == word.end)
			return true;
		if (ends_options(word))
			kept.end += strlen(kept.end);
		done = kept.end;

		if (!is_option(word)) {
			if (!append(rest, rest_size, &rest_length, kept))
				return false;
		} else if (!take_option(options, word)) {
			if (*unknown_count < unknown_max)
				unknown[*unknown_count] =
					(struct options_unknown){word.start, text_length(word)};
			++*unknown_count;
		}
	}
}
