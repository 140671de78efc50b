/* SPDX-License-Identifier: MIT */
#include "occupancy.h"

#include <kexpress/list.h>
#include <string.h>

#define WORD_BITS 64u

/* For bits_next: XORed to each word, turns the bits looked for into ones. */
#define TAKEN 0ull
#define FREE  (~0ull)

/* What occupancy_find looks for. */
struct request {
	uint64_t size;
	uint64_t align;
	uint64_t offset;
	struct range window;
};

static void bits_set(uint64_t *bits, size_t first, size_t count)
{
	while (count) {
		size_t shift = first % WORD_BITS;
		size_t n = WORD_BITS - shift < count ? WORD_BITS - shift : count;

		bits[first / WORD_BITS] |= (~0ull >> (WORD_BITS - n)) << shift;
		first += n;
		count -= n;
	}
}

/* Number of the first bit in [from, to) that is as wanted; to if there is none. */
static size_t bits_next(const uint64_t *bits, size_t from, size_t to, uint64_t wanted)
{
	while (from < to) {
		uint64_t word = (bits[from / WORD_BITS] ^ wanted) >> (from % WORD_BITS);

		if (word) {
			from += (size_t)__builtin_ctzll(word);
			break;
		}
		from += WORD_BITS - from % WORD_BITS;
	}
	return from < to ? from : to;
}

/* Empty (start == end, or start > end) where the two do not meet. */
static struct range intersect(struct range a, struct range b)
{
	return (struct range){
		.start = a.start > b.start ? a.start : b.start,
		.end = a.end < b.end ? a.end : b.end,
	};
}

/* Numbers, counted from address 0, of the units that lie wholly inside range. */
static struct range whole_units(struct range range, unsigned int shift)
{
	uint64_t first = range.start >> shift;
	uint64_t end = range.end >> shift;

	if (first << shift != range.start)
		first++;
	return (struct range){first, end > first ? end : first};
}

static size_t count_units(const struct occupancy *o, size_t index)
{
	struct range units = whole_units(o->ram->ranges[index], o->unit_shift);

	return units.end - units.start;
}

/* Bit of the first unit of RAM range index. Marks keep this short for thousands of ranges. */
static size_t first_bit(const struct occupancy *o, size_t index)
{
	size_t i = index - index % o->stride;
	size_t bit = o->marks[index / o->stride];

	for (; i < index; i++)
		bit += count_units(o, i);
	return bit;
}

/* Counts the units of all RAM, and leaves the marks. */
static size_t number_units(struct occupancy *o)
{
	size_t bit = 0;

	for (size_t i = 0; i < o->ram->count; i++) {
		if (i % o->stride == 0)
			o->marks[i / o->stride] = bit;
		bit += count_units(o, i);
	}
	return bit;
}

void occupancy_init(struct occupancy *o, const struct range_set *ram, uint64_t *bits, size_t words)
{
	o->ram = ram;
	o->near = (struct occupancy_part){0};
	o->bits = bits;
	o->unit_shift = KX_PAGE_SHIFT;
	o->stride = ram->count / OCCUPANCY_MARKS + 1;
	while ((o->bit_count = number_units(o)) > words * WORD_BITS)
		o->unit_shift++;
	memset(bits, 0, words * sizeof(*bits));
}

/* Takes the units of RAM range i that [start, end) touches, the first of which has the bit. */
static void take_units(struct occupancy *o, struct range units, size_t bit, uint64_t start,
		       uint64_t end)
{
	struct range touched = {start >> o->unit_shift, ((end - 1) >> o->unit_shift) + 1};
	struct range hit = intersect(touched, units);

	if (hit.start < hit.end)
		bits_set(o->bits, bit + (hit.start - units.start), hit.end - hit.start);
}

/* Apart, so that occupancy_take has nothing to save for it. */
static __attribute__((noinline)) void take_anywhere(struct occupancy *o, uint64_t start,
						    uint64_t end)
{
	size_t i = range_set_first(o->ram, start), bit;

	if (end <= start || i == o->ram->count)
		return;
	for (bit = first_bit(o, i); i < o->ram->count && o->ram->ranges[i].start < end; i++) {
		struct range units = whole_units(o->ram->ranges[i], o->unit_shift);

		take_units(o, units, bit, start, end);
		o->near = (struct occupancy_part){units.start << o->unit_shift,
						  (units.end - units.start) << o->unit_shift, bit};
		bit += units.end - units.start;
	}
}

/* Mostly a page, near the last one. */
void occupancy_take(struct occupancy *o, uint64_t start, uint64_t end)
{
	const struct occupancy_part *p = &o->near;
	uint64_t offset = start - p->start, last = end - 1 - p->start;
	size_t first = offset >> o->unit_shift, bit = p->bit + first;

	if (offset < p->size && offset <= last && first == last >> o->unit_shift)
		o->bits[bit / WORD_BITS] |= 1ull << bit % WORD_BITS;
	else
		take_anywhere(o, start, end);
}

/*
 * Looks for the request in units, the first of which is bit. Goes from one free stretch to the
 * next, so that no bit is read more than twice.
 */
static bool find_in_units(const struct occupancy *o, struct range units, size_t bit,
			  const struct request *r, uint64_t *at)
{
	unsigned int shift = o->unit_shift;
	struct range all = {units.start << shift, units.end << shift};
	struct range space = intersect(all, r->window);
	uint64_t low = space.start;

	for (;;) {
		uint64_t start = low + ((r->offset - low) & (r->align - 1));
		size_t from;
		size_t to;
		size_t taken;

		if (start < low || start >= space.end || r->size > space.end - start)
			return false;

		from = bit + ((start >> shift) - units.start);
		to = bit + (((start + r->size - 1) >> shift) - units.start) + 1;
		taken = bits_next(o->bits, from, to, TAKEN);
		if (taken == to) {
			*at = start;
			return true;
		}
		taken = bits_next(o->bits, taken, bit + (units.end - units.start), FREE);
		low = (units.start + (taken - bit)) << shift;
	}
}

bool occupancy_find(const struct occupancy *o, uint64_t size, uint64_t align, uint64_t offset,
		    struct range window, uint64_t *at)
{
	const struct request request = {size, align, offset, window};
	size_t i = range_set_first(o->ram, window.start);
	size_t bit;

	if (!size || i == o->ram->count)
		return false;

	bit = first_bit(o, i);
	for (; i < o->ram->count && o->ram->ranges[i].start < window.end; i++) {
		struct range units = whole_units(o->ram->ranges[i], o->unit_shift);

		if (find_in_units(o, units, bit, &request, at))
			return true;
		bit += units.end - units.start;
	}
	return false;
}
