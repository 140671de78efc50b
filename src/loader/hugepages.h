/* SPDX-License-Identifier: MIT */
/* The kernel's pools of huge pages (Linux Documentation/admin-guide/mm/hugetlbpage.rst). Sizes are
 * in bytes. */
#ifndef LOADER_HUGEPAGES_H
#define LOADER_HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

#define HUGEPAGES_SIZES 8

/* Small enough to be had at run time. Every arm64 kernel has it, whatever its page size (Linux
 * Documentation/arch/arm64/hugetlbpage.rst). */
#define HUGEPAGES_USUAL ((uint64_t)2 << 20)

/* The larger sizes that the kernel has pools of, smallest first; how many. */
size_t hugepages_larger(uint64_t sizes[HUGEPAGES_SIZES]);

/* Pages that are free and that nobody has reserved. */
uint64_t hugepages_free(uint64_t size);

/* Asks for so many more; returns how many came. */
uint64_t hugepages_grow(uint64_t size, uint64_t count);

/* Gives so many free ones back. */
void hugepages_shrink(uint64_t size, uint64_t count);

#endif /* LOADER_HUGEPAGES_H */
