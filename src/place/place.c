/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <kexpress/list.h>

/* Start of the highest window that holds address, which has room above it. */
static uint64_t window_start_at(uint64_t address)
{
	return address & ~(PLACE_WINDOW_ALIGN - 1);
}

/* Start of the lowest window that reaches up to end. */
static uint64_t window_start_below(uint64_t end)
{
	uint64_t above = window_start_at(end - 1) + PLACE_WINDOW_ALIGN;

	return end > PLACE_WINDOW_SIZE ? above - PLACE_WINDOW_SIZE : 0;
}

enum kx_error place_kernel_choose(struct occupancy *o, const struct place_kernel *kernel,
				  uint64_t *at, struct kx_refusal *why)
{
	struct range window = {kernel->text_offset, PLACE_KERNEL_LIMIT};

	if (!occupancy_find(o, kernel->memory_size, PLACE_KERNEL_ALIGN, kernel->text_offset, window,
			    at))
		return kx_refuse(why, KX_E_NO_ROOM, "kernel", window.start, window.end);
	occupancy_take(o, *at, *at + kernel->memory_size);
	return KX_OK;
}

enum kx_error place_kernel_check(const struct range_set *ram, const struct place_kernel *kernel,
				 uint64_t at, struct kx_refusal *why)
{
	uint64_t end;

	if (at < kernel->text_offset || (at - kernel->text_offset) % PLACE_KERNEL_ALIGN)
		return kx_refuse(why, KX_E_ALIGN, "kernel not text_offset above a 2 MiB boundary",
				 at, at);
	if (__builtin_add_overflow(at, kernel->memory_size, &end) || end > PLACE_KERNEL_LIMIT)
		return kx_refuse(why, KX_E_ADDRESS, "kernel", at, at + kernel->memory_size);
	if (!range_set_overlaps(ram, at, at + 1))
		return kx_refuse(why, KX_E_DEST_RANGE, "kernel", at, end);
	if (!range_set_contains(ram, at, end))
		return kx_refuse(why, KX_E_BSS, "kernel", at, end);
	return KX_OK;
}

bool place_kernel_stays(const struct occupancy *o, const struct place_kernel *kernel, uint64_t at)
{
	struct range memory = {at, at + kernel->memory_size};
	struct kx_refusal why;

	return at % KX_PAGE_SIZE == 0 && !place_kernel_check(o->ram, kernel, at, &why) &&
	       occupancy_find(o, kernel->memory_size, 1, 0, memory, &at);
}

bool place_initrd_stays(const struct place_kernel *kernel, uint64_t kernel_at, struct range range)
{
	struct range memory = {kernel_at, kernel_at + kernel->memory_size};
	struct kx_refusal why;

	if (range.start < memory.end && (memory.start < range.end || !kernel->anywhere))
		return false;
	return !place_window_check(memory, range, &why);
}

enum kx_error place_initrd_choose(struct occupancy *o, const struct place_kernel *kernel,
				  uint64_t kernel_at, uint64_t size, uint64_t *at,
				  struct kx_refusal *why)
{
	uint64_t kernel_end = kernel_at + kernel->memory_size;
	struct range window = {
		.start = kernel->anywhere ? window_start_below(kernel_end) : kernel_end,
		.end = window_start_at(kernel_at) + PLACE_WINDOW_SIZE,
	};

	if (!occupancy_find(o, size, KX_PAGE_SIZE, 0, window, at))
		return kx_refuse(why, KX_E_NO_ROOM, "initramfs", window.start, window.end);
	occupancy_take(o, *at, *at + size);
	return KX_OK;
}

enum kx_error place_window_check(struct range kernel, struct range initrd, struct kx_refusal *why)
{
	uint64_t start = kernel.start < initrd.start ? kernel.start : initrd.start;
	uint64_t end = kernel.end > initrd.end ? kernel.end : initrd.end;

	if (end - window_start_at(start) > PLACE_WINDOW_SIZE)
		return kx_refuse(why, KX_E_WINDOW, "kernel and initramfs", start, end);
	return KX_OK;
}
