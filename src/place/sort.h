/* SPDX-License-Identifier: MIT */
/*
 * Heapsort: n log n whatever the input's author intends, in place, without recursion. A C library's
 * qsort may be quadratic on chosen input, and what is sorted here comes from outside.
 */
#ifndef PLACE_SORT_H
#define PLACE_SORT_H

#include <stddef.h>
#include <stdint.h>

#define SORT_ITEM_MAX 64 /* bytes */

/* Sorts count items of size bytes, at most SORT_ITEM_MAX, by ascending key. Not stable. */
void sort_by_key(void *items, size_t count, size_t size, uint64_t (*key)(const void *item));

#endif /* PLACE_SORT_H */
