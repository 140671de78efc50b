/* SPDX-License-Identifier: MIT */
/* Static functions return 0, or an error of libfdt, which is negative. */
#include "fdt_efi.h"

#include <stdio.h>
#include <string.h>

#include "fdt_adopt.h"
#include "fdt_tree.h"

#define ROOM_FOR_NAMES 1024 /* of properties that are new, their tags, and a node */
#define NODE_NAME_MAX  32   /* "memory@" and 16 digits */

static uint64_t range_size(const struct range *r)
{
	return r->end - r->start;
}

static bool is_named(const struct range *r, struct fdt_cells cells)
{
	return fdt_tree_fits(r->start, cells.address) && fdt_tree_fits(range_size(r), cells.size);
}

/* One node for all: reg may have any number of ranges. */
static int add_memory(void *fdt, const struct range_set *ram)
{
	struct fdt_cells cells;
	char name[NODE_NAME_MAX];
	fdt32_t pair[4];
	int err = 0;
	int node;

	if (!fdt_tree_cells(fdt, 0, &cells))
		return -FDT_ERR_BADNCELLS;
	snprintf(name, sizeof(name), "memory@%llx",
		 (unsigned long long)(ram->count ? ram->ranges[0].start : 0));
	node = fdt_add_subnode(fdt, 0, name);
	if (node < 0)
		return node;
	for (size_t i = 0; i < ram->count && !err; i++) {
		const struct range *r = &ram->ranges[i];

		if (!is_named(r, cells))
			continue;
		fdt_tree_split(pair, cells.address, r->start);
		fdt_tree_split(pair + cells.address, cells.size, range_size(r));
		err = fdt_appendprop(fdt, node, "reg", pair,
				     (int)((cells.address + cells.size) * sizeof(*pair)));
	}
	return err ? err : fdt_setprop_string(fdt, node, "device_type", "memory");
}

static int set_efi(void *fdt, int chosen, const struct fdt_efi *f)
{
	int err = fdt_setprop_u64(fdt, chosen, "linux,uefi-system-table", f->system_table);

	if (!err)
		err = fdt_setprop_u64(fdt, chosen, "linux,uefi-mmap-start",
				      (uintptr_t)f->map.descriptors);
	if (!err)
		err = fdt_setprop_u32(fdt, chosen, "linux,uefi-mmap-size", (uint32_t)f->map.size);
	if (!err)
		err = fdt_setprop_u32(fdt, chosen, "linux,uefi-mmap-desc-size",
				      (uint32_t)f->map.descriptor_size);
	if (!err)
		err = fdt_setprop_u32(fdt, chosen, "linux,uefi-mmap-desc-ver",
				      f->map.descriptor_version);
	/* Not Linux's own: Debian's and Fedora's kernels take nothing of EFI where it is missing.
	 */
	if (!err)
		err = fdt_setprop_u32(fdt, chosen, "linux,uefi-secure-boot",
				      f->secure_boot ? FDT_EFI_SECURE_BOOT_ON
						     : FDT_EFI_SECURE_BOOT_OFF);
	return err;
}

static int complete_chosen(void *fdt, const struct fdt_efi *f)
{
	int chosen = fdt_adopt_chosen_node(fdt);
	int err = 0;

	if (chosen < 0)
		return chosen;
	if (f->bootargs)
		err = fdt_setprop_string(fdt, chosen, "bootargs", f->bootargs);
	if (!err)
		err = fdt_setprop_u64(fdt, chosen, "linux,initrd-start", f->initrd.start);
	if (!err)
		err = fdt_setprop_u64(fdt, chosen, "linux,initrd-end", f->initrd.end);
	return err ? err : set_efi(fdt, chosen, f);
}

static int write_tree(const struct fdt_efi *f, void *fdt, size_t size)
{
	int err = fdt_open_into(f->machine, fdt, (int)size);

	if (err)
		return err;
	fdt_adopt_drop_memory(fdt);
	err = add_memory(fdt, f->ram);
	if (!err)
		err = complete_chosen(fdt, f);
	return err ? err : fdt_pack(fdt);
}

size_t fdt_efi_room(const void *machine, const char *bootargs, size_t ranges)
{
	return fdt_totalsize(machine) + (bootargs ? strlen(bootargs) : 0) +
	       ranges * sizeof(struct range) + ROOM_FOR_NAMES;
}

enum kx_error fdt_efi(const struct fdt_efi *f, void *buffer, size_t size, struct kx_refusal *why)
{
	int err = write_tree(f, buffer, size);
	uint64_t start = (uintptr_t)f->machine;

	if (err)
		return kx_refuse(why, err == -FDT_ERR_NOSPACE ? KX_E_FDT_SPACE : KX_E_FDT,
				 "device tree cannot be completed", start,
				 start + fdt_totalsize(f->machine));
	return KX_OK;
}
