/* SPDX-License-Identifier: MIT */
/*
 * Ranges of physical addresses, and sorted sets of them in arrays that the caller provides.
 * A range is [start, end), start < end. A set keeps its ranges sorted, disjoint and not touching.
 */
#ifndef PLACE_RANGE_H
#define PLACE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start;
	uint64_t end;
};

struct range_set {
	struct range *ranges;
	size_t count;
	size_t max;
};

/* Adds [start, end), merged with what it overlaps or touches. Empty ranges change nothing.
 * Returns false, the set unchanged, if the array is full or end < start. */
bool range_set_add(struct range_set *set, uint64_t start, uint64_t end);

/* Takes [start, end) out of the set, splitting a range where it must.
 * Returns false, the set unchanged, if the array is full or end < start. */
bool range_set_remove(struct range_set *set, uint64_t start, uint64_t end);

/* Index of the first range that ends after address; set->count if there is none. */
size_t range_set_first(const struct range_set *set, uint64_t address);

/* Whether every byte of [start, end) is in the set; an empty range is in no set. */
bool range_set_contains(const struct range_set *set, uint64_t start, uint64_t end);

/* Whether any byte of [start, end) is in the set. */
bool range_set_overlaps(const struct range_set *set, uint64_t start, uint64_t end);

/* Shrinks each range to whole units, a power of two; what is less than one goes. */
void range_set_trim(struct range_set *set, uint64_t unit);

#endif /* PLACE_RANGE_H */
