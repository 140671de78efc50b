/* SPDX-License-Identifier: MIT */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

struct heap {
	char *items;
	size_t size;
	uint64_t (*key)(const void *item);
};

static void *item(const struct heap *h, size_t i)
{
	return h->items + i * h->size;
}

static uint64_t key_of(const struct heap *h, size_t i)
{
	return h->key(item(h, i));
}

static bool is_sorted(const struct heap *h, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (key_of(h, i - 1) > key_of(h, i))
			return false;
	return true;
}

static void sift_down(const struct heap *h, size_t root, size_t count)
{
	char sunk[SORT_ITEM_MAX];
	size_t child;

	memcpy(sunk, item(h, root), h->size);
	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && key_of(h, child) < key_of(h, child + 1))
			child++;
		if (key_of(h, child) <= h->key(sunk))
			break;
		memcpy(item(h, root), item(h, child), h->size);
		root = child;
	}
	memcpy(item(h, root), sunk, h->size);
}

static void swap_with_first(const struct heap *h, size_t i)
{
	char first[SORT_ITEM_MAX];

	memcpy(first, item(h, 0), h->size);
	memcpy(item(h, 0), item(h, i), h->size);
	memcpy(item(h, i), first, h->size);
}

void sort_by_key(void *items, size_t count, size_t size, uint64_t (*key)(const void *item))
{
	const struct heap h = {items, size, key};

	if (is_sorted(&h, count))
		return;
	for (size_t root = count / 2; root-- > 0;)
		sift_down(&h, root, count);
	for (size_t end = count; end-- > 1;) {
		swap_with_first(&h, end);
		sift_down(&h, 0, end);
	}
}
