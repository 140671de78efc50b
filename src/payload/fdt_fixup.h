/* SPDX-License-Identifier: MIT */
/*
 * The device tree that the kernel gets: a copy, completed. Everything that can fail is done by
 * fdt_fixup, before the point of no return; afterwards only values of fixed size are stored.
 */
#ifndef PAYLOAD_FDT_FIXUP_H
#define PAYLOAD_FDT_FIXUP_H

#include <kexpress/error.h>
#include <kexpress/timing.h>
#include <stdbool.h>
#include <stddef.h>

#include "../place/range.h"

/* machine has passed fdt_check_tree. payload need not have, and may have any alignment. */
struct fdt_fixup {
	const void *machine;  /* the tree we were given: memory, reservations, console, seeds */
	const void *payload;  /* the payload's own tree, or NULL: machine is used for everything */
	size_t payload_size;  /* of the image it comes from; the tree may be shorter */
	const char *bootargs; /* for the kernel, complete */
	struct range initrd;  /* exact; start == end: none, and stale properties are removed */
	const uint8_t *entropy; /* fresh random bytes, or NULL: seeds stay as they are */
	size_t entropy_size;	/* at least 8 + 32 where entropy is not NULL */
	struct range landing;	/* page to be reserved for other cores (fdt_cpus.h), or empty */
};

/*
 * Writes the kernel's tree to [buffer, buffer + size), 8-byte aligned:
 * - initrd start and end exact, bootargs, kaslr-seed and rng-seed from entropy (without entropy a
 *   kaslr-seed of zero is removed);
 * - properties that speak of the previous boot removed, and the memory reservation of its initrd
 *   (linux,elfcorehdr and linux,usable-memory-range stay: a kdump kernel needs them);
 * - where the payload brings its own tree: /memory nodes taken from the machine's where it has
 *   none of a size, memory reservations and /reserved-memory children with reg added, stdout-path
 *   where it has none, seeds and kdump's properties;
 * - /chosen/kexpress with one zeroed 64-bit property per timing field, and compatible
 *   "kexpress,timing";
 * - the landing page reserved, and 64-bit release addresses where there is one;
 * - boot_cpuid_phys of the machine.
 * The result is packed, and at most 2 MiB. Errors: FDT, FDT_SPACE.
 */
enum kx_error fdt_fixup(const struct fdt_fixup *f, void *buffer, size_t size,
			struct kx_refusal *why);

/* Stores the timing record in a tree made by fdt_fixup. Cannot fail. */
void fdt_fixup_timing(void *fdt, const struct kx_timing *timing);

#endif /* PAYLOAD_FDT_FIXUP_H */
