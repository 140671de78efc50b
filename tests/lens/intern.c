/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FNV_OFFSET 0xcbf29ce484222325ull
#define FNV_PRIME  0x100000001b3ull

static size_t hash(const void *item, size_t size)
{
	const unsigned char *bytes = item;
	uint64_t value = FNV_OFFSET;

	for (size_t i = 0; i < size; i++)
		value = (value ^ bytes[i]) * FNV_PRIME;
	return (size_t)(value ^ value >> 32);
}

/* Where the item is, or belongs. */
static void **slot_of(const struct intern *table, const void *item)
{
	size_t at = hash(item, table->item_size);

	for (;; at++) {
		void **slot = &table->slots[at & (table->capacity - 1)];

		if (!*slot || !memcmp(*slot, item, table->item_size))
			return slot;
	}
}

static int grow(struct intern *table)
{
	struct intern larger = *table;

	larger.capacity = table->capacity ? 2 * table->capacity : 1024;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < table->capacity; i++) {
		if (table->slots[i])
			*slot_of(&larger, table->slots[i]) = table->slots[i];
	}
	free(table->slots);
	*table = larger;
	return 0;
}

const void *intern(struct intern *table, const void *item)
{
	void **slot;

	if (2 * table->count >= table->capacity && grow(table))
		return NULL;
	slot = slot_of(table, item);
	if (*slot)
		return *slot;
	*slot = malloc(table->item_size);
	if (!*slot)
		return NULL;
	memcpy(*slot, item, table->item_size);
	table->count++;
	return *slot;
}
