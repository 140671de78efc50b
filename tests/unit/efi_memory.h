/* SPDX-License-Identifier: MIT */
/* Memory maps as EFI firmware makes them, on the heap to the byte. */
#ifndef TESTS_UNIT_EFI_MEMORY_H
#define TESTS_UNIT_EFI_MEMORY_H

#include "payload/efi_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR_SIZE 48 /* 8 more than what we know of: edk2 does so */

#define RUNTIME_DATA 6
#define RESERVED     0
#define ACPI_RECLAIM 9

static inline void memory_add(struct efi_map *map, uint32_t type, uint64_t start, uint64_t pages,
			      uint64_t attributes)
{
	struct efi_memory_descriptor d = {
		.type = type, .start = start, .pages = pages, .attributes = attributes};
	char *bytes = realloc(map->descriptors, map->size + DESCRIPTOR_SIZE);

	assert_non_null(bytes);
	memset(bytes + map->size, 0xa5, DESCRIPTOR_SIZE);
	memcpy(bytes + map->size, &d, sizeof(d));
	map->descriptors = bytes;
	map->size += DESCRIPTOR_SIZE;
	map->descriptor_size = DESCRIPTOR_SIZE;
	map->descriptor_version = 1;
}

/* 1 GiB from 0x40000000 on, not in the order of addresses. */
static inline struct efi_map memory_usual(void)
{
	struct efi_map map = {0};

	memory_add(&map, EFI_CONVENTIONAL, 0x48000000, 0x8000, EFI_MEMORY_WB);
	memory_add(&map, EFI_CONVENTIONAL, 0x40000000, 0x4000, EFI_MEMORY_WB);
	memory_add(&map, EFI_BOOT_DATA, 0x44000000, 0x4000, EFI_MEMORY_WB);
	memory_add(&map, EFI_LOADER_DATA, 0x50000000, 0x1000, EFI_MEMORY_WB);
	memory_add(&map, EFI_LOADER_CODE, 0x51000000, 0x1000, EFI_MEMORY_WB);
	memory_add(&map, EFI_BOOT_CODE, 0x52000000, 0x1000, EFI_MEMORY_WB);
	memory_add(&map, ACPI_RECLAIM, 0x53000000, 0x1000, EFI_MEMORY_WB);
	memory_add(&map, RUNTIME_DATA, 0x54000000, 0x1000, EFI_MEMORY_WB | EFI_MEMORY_RUNTIME);
	memory_add(&map, RESERVED, 0x55000000, 0x1000, EFI_MEMORY_WB);
	memory_add(&map, EFI_CONVENTIONAL, 0x56000000, 0x1000, EFI_MEMORY_WB | EFI_MEMORY_SP);
	memory_add(&map, EFI_CONVENTIONAL, 0x57000000, 0x1000, 0);
	memory_add(&map, EFI_CONVENTIONAL, 0x58000000, 0x28000, EFI_MEMORY_WB);
	return map;
}

#endif /* TESTS_UNIT_EFI_MEMORY_H */
