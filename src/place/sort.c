/* SPDX-License-Identifier: MIT */
#include "sort.h"

#include <stdbool.h>

#define DIGIT_BITS 6u
#define DIGITS	   (1u << DIGIT_BITS)

/* Items are moved by words, whatever their type: calls of memcpy would take longer. */
typedef uint64_t word __attribute__((may_alias));

struct array {
	word *items;
	size_t count;
	size_t words; /* an item */
	size_t key;   /* which of them */
};

/* Bits of the keys that one pass sorts by. */
struct digit {
	unsigned int shift;
	uint64_t mask;
};

static uint64_t key_of(const struct array *a, size_t i)
{
	return a->items[i * a->words + a->key];
}

static void copy_words(word *to, const word *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[i];
}

/* The bits that are not the same in all keys; 0 where the items are in order already. */
static uint64_t bits_to_sort_by(const struct array *a)
{
	uint64_t before = a->count ? key_of(a, 0) : 0, varying = 0;
	bool sorted = true;

	for (size_t i = 1; i < a->count; i++) {
		uint64_t key = key_of(a, i);

		sorted &= before <= key;
		varying |= before ^ key;
		before = key;
	}
	return sorted ? 0 : varying;
}

/* Leaves in first, for each value of the digit, the number of items with a lower one. */
static void count_lower(const struct array *a, struct digit digit, size_t first[DIGITS])
{
	size_t lower = 0;

	for (size_t value = 0; value < DIGITS; value++)
		first[value] = 0;
	for (size_t i = 0; i < a->count; i++)
		first[key_of(a, i) >> digit.shift & digit.mask]++;
	for (size_t value = 0; value < DIGITS; value++) {
		size_t same = first[value];

		first[value] = lower;
		lower += same;
	}
}

/* Copies the items to out in the order of the digit. */
static void deal(const struct array *a, struct digit digit, word *out)
{
	size_t next[DIGITS];

	count_lower(a, digit, next);
	for (size_t i = 0; i < a->count; i++) {
		size_t to = next[key_of(a, i) >> digit.shift & digit.mask]++;

		copy_words(out + to * a->words, a->items + i * a->words, a->words);
	}
}

/* Lowest digit first: each pass keeps the order of the one before among equals. */
void sort_by_key(void *items, size_t count, size_t size, size_t key, void *scratch)
{
	struct array a = {items, count, size / sizeof(word), key / sizeof(word)};
	uint64_t bits = bits_to_sort_by(&a);
	word *other = scratch;

	while (bits) {
		struct digit digit = {(unsigned int)__builtin_ctzll(bits), DIGITS - 1};
		word *from = a.items;

		deal(&a, digit, other);
		a.items = other;
		other = from;
		bits &= ~(digit.mask << digit.shift);
	}
	if (a.items != items)
		copy_words(items, a.items, count * a.words);
}
