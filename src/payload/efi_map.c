/* SPDX-License-Identifier: MIT */
#include "efi_map.h"

/* What is asked of the memory that a descriptor describes. */
enum efi_use { USE_FREE, USE_FREE_LATER };

static struct efi_memory_descriptor *descriptor_at(const struct efi_map *map, uint64_t offset)
{
	return (struct efi_memory_descriptor *)((char *)map->descriptors + offset);
}

static enum kx_error refuse(const struct efi_map *map, const char *what, struct kx_refusal *why)
{
	uint64_t start = (uintptr_t)map->descriptors;

	return kx_refuse(why, KX_E_EFI, what, start, start + map->size);
}

static enum kx_error check(const struct efi_map *map, struct kx_refusal *why)
{
	if (map->descriptor_size < sizeof(struct efi_memory_descriptor) ||
	    map->descriptor_size % sizeof(uint64_t) || map->size % map->descriptor_size)
		return refuse(map, "memory map with descriptors of an odd size", why);
	return KX_OK;
}

/* False: wraps, or ends in the last page. An empty one is one. */
static bool descriptor_range(const struct efi_memory_descriptor *d, struct range *r)
{
	r->start = d->start;
	return d->pages < 1ull << (64 - EFI_PAGE_SHIFT) &&
	       !__builtin_add_overflow(d->start, d->pages << EFI_PAGE_SHIFT, &r->end);
}

static bool is_usable(const struct efi_memory_descriptor *d, enum efi_use use)
{
	if (!(d->attributes & EFI_MEMORY_WB) ||
	    d->attributes & (EFI_MEMORY_SP | EFI_MEMORY_RUNTIME))
		return false;
	switch (d->type) {
	case EFI_CONVENTIONAL:
		return true;
	case EFI_LOADER_CODE:
	case EFI_LOADER_DATA:
	case EFI_BOOT_CODE:
	case EFI_BOOT_DATA:
		return use == USE_FREE_LATER;
	default:
		return false;
	}
}

/* Adds what is usable, or removes what is not. */
static enum kx_error apply(const struct efi_map *map, enum efi_use use, bool usable,
			   struct range_set *set, struct kx_refusal *why)
{
	for (uint64_t at = 0; at < map->size; at += map->descriptor_size) {
		const struct efi_memory_descriptor *d = descriptor_at(map, at);
		struct range r;

		if (!descriptor_range(d, &r))
			return refuse(map, "memory map with a range that wraps", why);
		if (is_usable(d, use) != usable)
			continue;
		if (!(usable ? range_set_add(set, r.start, r.end)
			     : range_set_remove(set, r.start, r.end)))
			return kx_refuse(why, KX_E_RANGES, "no room for this range", r.start,
					 r.end);
	}
	return KX_OK;
}

static enum kx_error collect(const struct efi_map *map, enum efi_use use, struct range_set *set,
			     struct kx_refusal *why)
{
	enum kx_error error = apply(map, use, true, set, why);

	return error ? error : apply(map, use, false, set, why);
}

enum kx_error efi_map_ram(const struct efi_map *map, const struct range *kept, size_t kept_count,
			  struct range_set *ram, struct kx_refusal *why)
{
	enum kx_error error = check(map, why);

	if (!error)
		error = collect(map, USE_FREE_LATER, ram, why);
	for (size_t i = 0; i < kept_count && !error; i++)
		if (!range_set_contains(ram, kept[i].start, kept[i].end))
			error = kx_refuse(why, KX_E_PAYLOAD_RANGE, "not in memory that is freed",
					  kept[i].start, kept[i].end);
	if (error)
		return error;
	ram->count = 0;
	error = collect(map, USE_FREE, ram, why);
	for (size_t i = 0; i < kept_count && !error; i++)
		if (!range_set_add(ram, kept[i].start, kept[i].end))
			error = kx_refuse(why, KX_E_RANGES, "no room for this range", kept[i].start,
					  kept[i].end);
	return error;
}

void efi_map_stay(const struct efi_map *map)
{
	for (uint64_t at = 0; at < map->size; at += map->descriptor_size) {
		struct efi_memory_descriptor *d = descriptor_at(map, at);

		if (d->attributes & EFI_MEMORY_RUNTIME)
			d->virtual_start = d->start;
	}
}
