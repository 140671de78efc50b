/* SPDX-License-Identifier: MIT */
/* The memory map of EFI firmware (UEFI specification 2.10, 7.2.3), taken for nothing but bytes. */
#ifndef PAYLOAD_EFI_MAP_H
#define PAYLOAD_EFI_MAP_H

#include <efi/uefi.h>
#include <kexpress/error.h>
#include <stdbool.h>

#include "../place/range.h"

/* As GetMemoryMap gives it. */
struct efi_map {
	void *descriptors; /* 8-byte aligned */
	uint64_t size;	   /* bytes, of all of them */
	uint64_t descriptor_size;
	uint32_t descriptor_version;
};

/*
 * Adds to ram what is free already, and what of kept will be once boot services have gone. Memory
 * of the loader and of boot services is free then too, but the tables that firmware leaves to the
 * kernel may lie there (UEFI specification 2.10, 4.6; Linux reads them after it has started), so it
 * does not count. Nor does what cannot be cached, or is for specific users. What any descriptor
 * gives to somebody else is not free, whatever another says.
 * Errors: EFI (malformed), RANGES, PAYLOAD_RANGE (kept by somebody else as well).
 */
enum kx_error efi_map_ram(const struct efi_map *map, const struct range *kept, size_t kept_count,
			  struct range_set *ram, struct kx_refusal *why);

/* Tells the kernel that runtime services are where they are: nobody has moved them to another
 * virtual address (SetVirtualAddressMap). As Linux's stub does with efi=novamap. */
void efi_map_stay(const struct efi_map *map);

#endif /* PAYLOAD_EFI_MAP_H */
