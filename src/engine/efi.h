/* SPDX-License-Identifier: MIT */
/*
 * The start by EFI firmware, up to the entry of the boot protocol. All of it runs as an application
 * of the firmware does: on its stack, by its map. Nothing here is static and written, as not every
 * loader leaves room for .bss (GRUB has started kernels without). What was allocated is given back
 * where the start fails.
 */
#ifndef ENGINE_EFI_H
#define ENGINE_EFI_H

#include <efi/uefi.h>
#include <kexpress/error.h>

#include "../payload/efi_text.h"
#include "../place/range.h"

#define EFI_ALLOCATIONS 8

struct efi {
	efi_handle image;
	const struct efi_system_table *system;
	const struct efi_boot_services *boot;
	const struct efi_loaded_image *loaded;
	const void *machine;	 /* the firmware's device tree */
	struct efi_text options; /* without the name that a shell puts before them */
	const char *bootargs;	 /* the same; NULL: no load options */
	bool verify;		 /* kexpress.verify */
	struct range payload;
	struct range allocated[EFI_ALLOCATIONS];
	size_t allocated_count;
	efi_status status; /* what firmware is told of an error */
	struct kx_refusal why;
};

/* Fills in e->why and e->status, and returns error. */
enum kx_error efi_refuse(struct efi *e, efi_status status, enum kx_error error, const char *what,
			 uint64_t start, uint64_t end);

/* Whole pages for size bytes; align is a power of two. Error: NO_ROOM. */
enum kx_error efi_allocate(struct efi *e, uint64_t size, uint64_t align, uint64_t *start);

/* A protocol of a handle, or NULL. */
void *efi_protocol(const struct efi *e, efi_handle handle, const struct efi_guid *name);

/*
 * Finds the payload (e->payload): the initrd that the boot loader provides (LoadFile2), the file
 * that initrd= names on the volume that we come from, the initrd of the firmware's device tree, or
 * the file \kexpress.itb of our volume; the first that there is.
 */
enum kx_error efi_payload_find(struct efi *e);

/* Looks whether one of its configurations might boot. It must be known to be in memory. */
enum kx_error efi_payload_check(struct efi *e);

/* From asm/efi.S; returns where the start has failed. */
efi_status efi_main(efi_handle image, const struct efi_system_table *system);

#endif /* ENGINE_EFI_H */
