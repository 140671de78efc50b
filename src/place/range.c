/* SPDX-License-Identifier: MIT */
#include "range.h"

#include <string.h>

size_t range_set_first(const struct range_set *set, uint64_t address)
{
	size_t low = 0;
	size_t high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts count ranges in the place of ranges[from..to). */
static bool range_set_splice(struct range_set *set, size_t from, size_t to,
			     const struct range *ranges, size_t count)
{
	size_t kept = set->count - (to - from);

	if (count > set->max - kept)
		return false;
	memmove(&set->ranges[from + count], &set->ranges[to],
		(set->count - to) * sizeof(*set->ranges));
	memcpy(&set->ranges[from], ranges, count * sizeof(*ranges));
	set->count = kept + count;
	return true;
}

bool range_set_add(struct range_set *set, uint64_t start, uint64_t end)
{
	struct range merged = {start, end};
	size_t from;
	size_t to;

	if (end <= start)
		return end == start;

	/* A range that ends at start touches, and is merged too. */
	from = start ? range_set_first(set, start - 1) : 0;
	for (to = from; to < set->count && set->ranges[to].start <= end; to++) {
		if (set->ranges[to].start < merged.start)
			merged.start = set->ranges[to].start;
		if (set->ranges[to].end > merged.end)
			merged.end = set->ranges[to].end;
	}
	return range_set_splice(set, from, to, &merged, 1);
}

bool range_set_remove(struct range_set *set, uint64_t start, uint64_t end)
{
	size_t from = range_set_first(set, start);
	size_t to = from;
	struct range left[2];
	size_t count = 0;

	if (end <= start)
		return end == start;

	while (to < set->count && set->ranges[to].start < end)
		to++;
	if (from == to)
		return true;

	if (set->ranges[from].start < start)
		left[count++] = (struct range){set->ranges[from].start, start};
	if (set->ranges[to - 1].end > end)
		left[count++] = (struct range){end, set->ranges[to - 1].end};
	return range_set_splice(set, from, to, left, count);
}

bool range_set_contains(const struct range_set *set, uint64_t start, uint64_t end)
{
	size_t i = range_set_first(set, start);

	return start < end && i < set->count && set->ranges[i].start <= start &&
	       end <= set->ranges[i].end;
}

bool range_set_overlaps(const struct range_set *set, uint64_t start, uint64_t end)
{
	size_t i = range_set_first(set, start);

	return start < end && i < set->count && set->ranges[i].start < end;
}

void range_set_trim(struct range_set *set, uint64_t unit)
{
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++) {
		uint64_t first = (set->ranges[i].start + unit - 1) / unit;
		uint64_t end = set->ranges[i].end / unit;

		/* Rounding up may have wrapped to 0: no whole unit follows then. */
		if (set->ranges[i].start > first * unit || first >= end)
			continue;
		set->ranges[n++] = (struct range){first * unit, end * unit};
	}
	set->count = n;
}
