/* SPDX-License-Identifier: MIT */
/*
 * The device tree that kexpress is started with under EFI firmware: the firmware's, with memory as
 * the firmware's map has it, and what Linux's own EFI stub would tell the kernel
 * (Documentation/arch/arm/uefi.rst), so that it keeps its runtime services.
 */
#ifndef PAYLOAD_FDT_EFI_H
#define PAYLOAD_FDT_EFI_H

#include <kexpress/error.h>
#include <stddef.h>

#include "efi_map.h"

/* Values of linux,uefi-secure-boot, as in Linux's enum efi_secureboot_mode. */
#define FDT_EFI_SECURE_BOOT_OFF 2
#define FDT_EFI_SECURE_BOOT_ON	3

struct fdt_efi {
	const void *machine;  /* the firmware's tree, which has passed fdt_check_tree */
	const char *bootargs; /* NULL: those of the firmware's tree */
	struct range initrd;
	const struct range_set *ram;
	uint64_t system_table;
	bool secure_boot;
	struct efi_map map; /* which will stay where it is */
};

/* Bytes that the tree may need with that many ranges of RAM. */
size_t fdt_efi_room(const void *machine, const char *bootargs, size_t ranges);

/*
 * Writes it to [buffer, buffer + size), 8-byte aligned. RAM that the root's cells are too few to
 * name is left out. Errors: FDT, FDT_SPACE.
 */
enum kx_error fdt_efi(const struct fdt_efi *f, void *buffer, size_t size, struct kx_refusal *why);

#endif /* PAYLOAD_FDT_EFI_H */
