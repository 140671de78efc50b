/* SPDX-License-Identifier: MIT */
/*
 * Radix sort: time is linear whatever the input's author intends, without recursion. A C library's
 * qsort may be quadratic on chosen input, and what is sorted here comes from outside.
 */
#ifndef PLACE_SORT_H
#define PLACE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts count items of size bytes by the ascending 64-bit key at offset key of each; both are whole
 * words of 8 bytes. Items with the same key keep their order. scratch has room for as many items,
 * aligned as they are, and is undefined afterwards.
 */
void sort_by_key(void *items, size_t count, size_t size, size_t key, void *scratch);

#endif /* PLACE_SORT_H */
