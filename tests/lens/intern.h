/* SPDX-License-Identifier: MIT */
/*
 * Keeps one copy of equal items, for good: QEMU translates the same code again and again, and what
 * is handed to its callbacks must stay. Items are compared bytewise: clear their padding.
 */
#ifndef LENS_INTERN_H
#define LENS_INTERN_H

#include <stddef.h>

struct intern {
	size_t item_size;
	void **slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* The kept copy; NULL where memory is short. */
const void *intern(struct intern *table, const void *item);

#endif /* LENS_INTERN_H */
