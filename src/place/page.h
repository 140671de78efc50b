/* SPDX-License-Identifier: MIT */
/* Addresses and sizes in whole 4 KiB pages. Rounding up wraps to 0 within the last page of the
 * address space; callers keep below it or check. */
#ifndef PLACE_PAGE_H
#define PLACE_PAGE_H

#include <kexpress/list.h>
#include <stdint.h>

static inline uint64_t page_down(uint64_t address)
{
	return address & ~(uint64_t)(KX_PAGE_SIZE - 1);
}

static inline uint64_t page_up(uint64_t address)
{
	return page_down(address + KX_PAGE_SIZE - 1);
}

/* To a multiple of unit, of any size. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

#endif /* PLACE_PAGE_H */
