/* SPDX-License-Identifier: MIT */
/*
 * Where a kernel and its initramfs may lie: the placement rules of the arm64 boot protocol
 * (Linux Documentation/arch/arm64/booting.rst), checked for given destinations and used to choose
 * free ones.
 */
#ifndef PLACE_PLACE_H
#define PLACE_PLACE_H

#include <kexpress/error.h>

#include "occupancy.h"

#define PLACE_KERNEL_ALIGN 0x200000ull	  /* base of text_offset */
#define PLACE_KERNEL_LIMIT (1ull << 48)	  /* where the kernel's memory ends at the latest */
#define PLACE_WINDOW_SIZE  0x800000000ull /* 32 GiB that hold kernel and initramfs */
#define PLACE_WINDOW_ALIGN 0x40000000ull  /* the window's own alignment */

/* What placement needs to know of an arm64 Image. */
struct place_kernel {
	uint64_t text_offset;
	uint64_t memory_size; /* from the first byte, BSS included */
	bool anywhere; /* header flag bit 3; clear: RAM below the kernel is of no use to it */
};

/*
 * Chooses and takes a free place for a kernel: text_offset above a 2 MiB boundary, the lowest,
 * which is as near to the start of RAM as possible. Error: NO_ROOM.
 */
enum kx_error place_kernel_choose(struct occupancy *o, const struct place_kernel *kernel,
				  uint64_t *at, struct kx_refusal *why);

/*
 * Checks a kernel's given place: alignment, and [at, at + memory_size) inside RAM. Errors: ALIGN,
 * ADDRESS (beyond PLACE_KERNEL_LIMIT), DEST_RANGE (at not in RAM), BSS (in RAM, but not to its
 * end).
 */
enum kx_error place_kernel_check(const struct range_set *ram, const struct place_kernel *kernel,
				 uint64_t at, struct kx_refusal *why);

/* Whether a kernel may stay at `at`, with all its memory: by the rules above, and free in o. */
bool place_kernel_stays(const struct occupancy *o, const struct place_kernel *kernel, uint64_t at);

/* Whether an initramfs, of any alignment, may stay in range with a kernel at kernel_at. */
bool place_initrd_stays(const struct place_kernel *kernel, uint64_t kernel_at, struct range range);

/*
 * Chooses and takes a free place of size bytes, 4 KiB aligned, that shares a window with a kernel
 * at kernel_at, checked or chosen before, whose memory is taken already: the lowest, above a kernel
 * that cannot use what is below it. Error: NO_ROOM.
 */
enum kx_error place_initrd_choose(struct occupancy *o, const struct place_kernel *kernel,
				  uint64_t kernel_at, uint64_t size, uint64_t *at,
				  struct kx_refusal *why);

/* Checks that one 32 GiB window, 1 GiB aligned, covers both kernel and initrd. Error: WINDOW. */
enum kx_error place_window_check(struct range kernel, struct range initrd, struct kx_refusal *why);

#endif /* PLACE_PLACE_H */
