/* SPDX-License-Identifier: MIT */
#include "sort.h"

#include <stdbool.h>

#define DIGIT_BITS 6u
#define DIGITS	   (1u << DIGIT_BITS)

/* Items are moved by words, whatever their type: calls of memcpy would take longer. */
typedef uint64_t word __attribute__((may_alias));

struct array {
	word *items;
	word *end;
	size_t words; /* an item */
	size_t key;   /* which of them */
};

/* What one pass sorts by: DIGIT_BITS of the keys, from this bit. */
static size_t digit_of(uint64_t key, unsigned int shift)
{
	return key >> shift & (DIGITS - 1);
}

static void copy_words(word *to, const word *from, size_t count)
{
	const word *end = from + count;

	while (from < end)
		*to++ = *from++;
}

/* The bits that are not the same in all keys; 0 where the items are in order already. */
static uint64_t bits_to_sort_by(struct array a)
{
	uint64_t before = a.items < a.end ? a.items[a.key] : 0, varying = 0;
	bool sorted = true;

	for (const word *item = a.items; item < a.end; item += a.words) {
		uint64_t key = item[a.key];

		sorted &= before <= key;
		varying |= before ^ key;
		before = key;
	}
	return sorted ? 0 : varying;
}

/* Leaves in next where, in out, the items with each value of the digit go. */
static void share_out(struct array a, unsigned int shift, word *out, word *next[DIGITS])
{
	size_t counts[DIGITS] = {0};

	for (const word *item = a.items; item < a.end; item += a.words)
		counts[digit_of(item[a.key], shift)]++;
	for (size_t value = 0; value < DIGITS; value++) {
		next[value] = out;
		out += counts[value] * a.words;
	}
}

/* Copies the items to out in the order of the digit. */
static void deal(struct array a, unsigned int shift, word *out)
{
	word *next[DIGITS];

	share_out(a, shift, out, next);
	for (const word *item = a.items; item < a.end; item += a.words) {
		size_t value = digit_of(item[a.key], shift);
		word *to = next[value];

		next[value] += a.words;
		copy_words(to, item, a.words);
	}
}

/* Lowest digit first: each pass keeps the order of the one before among equals. */
void sort_by_key(void *items, size_t count, size_t size, size_t key, void *scratch)
{
	size_t words = size / sizeof(word);
	struct array a = {items, (word *)items + count * words, words, key / sizeof(word)};
	word *other = scratch;

	for (uint64_t bits = bits_to_sort_by(a); bits;) {
		unsigned int shift = (unsigned int)__builtin_ctzll(bits);
		word *from = a.items;

		deal(a, shift, other);
		a.items = other;
		a.end = other + count * words;
		other = from;
		bits &= ~((DIGITS - 1ull) << shift);
	}
	if (a.items != items)
		copy_words(items, a.items, count * words);
}
