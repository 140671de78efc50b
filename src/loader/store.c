/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "../place/page.h"
#include "hugepages.h"
#include "say.h"

#define PAGEMAP		"/proc/self/pagemap" /* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PFN	((1ull << 55) - 1)
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_AT_ONCE 512
#define STORE_ALIGN	(1ull << 30)	     /* the largest page that is used */
#define MEMORY_SPARE	((uint64_t)16 << 20) /* for who runs meanwhile, and kexec_load(2) */
#define HUGE_SHIFT	26		     /* of the page size's exponent in flags: linux/shm.h */

static uint64_t small_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Pools of larger pages come first: so each is aligned to its pages. */
static void insert(struct store *s, struct pool pool)
{
	size_t at = s->pool_count++;

	for (; at && s->pools[at - 1].page_size < pool.page_size; at--)
		s->pools[at] = s->pools[at - 1];
	s->pools[at] = pool;
	s->size += pool.size;
}

/* IPC_PRIVATE: no key of ours to clash with somebody's; the state remembers the number. */
static bool add_pool(struct store *s, uint64_t page_size, uint64_t size, int flags, uint64_t grown)
{
	int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600 | flags);

	if (id < 0)
		return false;
	insert(s, (struct pool){
			  .id = id,
			  .locked = !(flags & SHM_HUGETLB),
			  .page_size = page_size,
			  .size = size,
			  .pages_grown = grown,
		  });
	return true;
}

/* As many huge pages of one size as there are, or can be made. */
static uint64_t get_huge(struct store *s, uint64_t page_size, uint64_t size, bool may_grow)
{
	uint64_t wanted = round_up(size, page_size) / page_size, grown = 0;
	uint64_t free = hugepages_free(page_size);
	int flags = SHM_HUGETLB | __builtin_ctzll(page_size) << HUGE_SHIFT;

	if (may_grow && free < wanted) {
		grown = hugepages_grow(page_size, wanted - free);
		free = hugepages_free(page_size);
	}
	if (free < wanted && (!may_grow || !free)) {
		hugepages_shrink(page_size, grown);
		return 0;
	}
	wanted = free < wanted ? free : wanted;
	if (add_pool(s, page_size, wanted * page_size, flags, grown))
		return wanted * page_size;
	hugepages_shrink(page_size, grown);
	return 0;
}

/* Not swapped out once locked. Whether it gets transparent huge pages is the system's setting. */
static uint64_t get_small(struct store *s, uint64_t size)
{
	size = round_up(size, small_page());
	return add_pool(s, small_page(), size, 0, 0) ? size : 0;
}

/* In kB, of /proc/meminfo. */
static uint64_t available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

static uint64_t left(uint64_t size, uint64_t got)
{
	return got < size ? size - got : 0;
}

/* Pages are taken for good, so the system would have to kill for what it has not got. */
static bool fits(uint64_t size)
{
	return left(size, hugepages_free(HUGEPAGES_USUAL) * HUGEPAGES_USUAL) + MEMORY_SPARE <=
	       available();
}

static bool get(struct store *s, uint64_t size)
{
	uint64_t sizes[HUGEPAGES_SIZES];
	size_t count = hugepages_larger(sizes);

	if (!fits(size))
		return false;
	size = left(size, get_huge(s, HUGEPAGES_USUAL, size, true));
	for (size_t i = 0; i < count && size && s->pool_count < STORE_POOLS - 1; i++)
		if (sizes[i] <= STORE_ALIGN)
			size = left(size, get_huge(s, sizes[i], size, false));
	if (size)
		size = left(size, get_small(s, size));
	return !size;
}

/* One range of addresses for all, so that an offset says where. */
bool store_map(struct store *s)
{
	unsigned char *at;

	s->base = mmap(NULL, s->size + STORE_ALIGN, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->base == MAP_FAILED)
		return false;
	s->base = (unsigned char *)round_up((uintptr_t)s->base, STORE_ALIGN);
	at = s->base;
	for (size_t i = 0; i < s->pool_count; i++) {
		if (shmat(s->pools[i].id, at, SHM_REMAP) != at)
			return false;
		at += s->pools[i].size;
	}
	return true;
}

/* Pages are locked as they come. */
static bool lock(struct store *s)
{
	unsigned char *at = s->base;

	for (size_t i = 0; i < s->pool_count; i++) {
		const struct pool *p = &s->pools[i];

		if (p->locked && shmctl(p->id, SHM_LOCK, NULL))
			return false;
		if (p->locked)
			madvise(at, p->size, MADV_HUGEPAGE);
		at += p->size;
	}
	return true;
}

bool store_get(struct store *s, uint64_t size)
{
	*s = (struct store){0};
	if (get(s, size) && store_map(s) && lock(s))
		return true;
	store_remove(s);
	return false;
}

/* The entries of count small pages from first on, which are touched: only then are they there. */
static void read_pagemap(int fd, uint64_t first, uint64_t *entries, size_t count)
{
	const volatile unsigned char *at = (unsigned char *)(first * small_page());
	ssize_t size = (ssize_t)(count * sizeof(*entries));

	for (size_t i = 0; i < count; i++)
		at[i * small_page()];
	if (pread(fd, entries, (size_t)size, (off_t)(first * sizeof(*entries))) != size)
		fail_errno(FAILED, "cannot read " PAGEMAP);
}

static uint64_t physical_of(uint64_t entry)
{
	if (!(entry & PAGEMAP_PRESENT))
		fail(NO_MEMORY, "a page of the payload is not in memory");
	if (!(entry & PAGEMAP_PFN))
		fail(NOT_PERMITTED, PAGEMAP " hides addresses: CAP_SYS_ADMIN is needed");
	return (entry & PAGEMAP_PFN) * small_page();
}

static void locate_pool(const struct pool *p, int fd, uint64_t first, uint64_t *pages)
{
	uint64_t entries[PAGEMAP_AT_ONCE], step = p->page_size / small_page();
	size_t count = p->size / p->page_size, some = p->locked ? PAGEMAP_AT_ONCE : 1;

	for (size_t i = 0; i < count; i += some) {
		if (some > count - i)
			some = count - i;
		read_pagemap(fd, first + i * step, entries, some);
		for (size_t j = 0; j < some; j++)
			pages[i + j] = physical_of(entries[j]);
	}
}

size_t store_page_count(const struct store *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->pool_count; i++)
		count += s->pools[i].size / s->pools[i].page_size;
	return count;
}

void store_locate(struct store *s)
{
	int fd = open(PAGEMAP, O_RDONLY | O_CLOEXEC);
	uint64_t first = (uintptr_t)s->base / small_page();
	uint64_t *pages;

	if (fd < 0)
		fail_errno(FAILED, "cannot open " PAGEMAP);
	s->pages = realloc(s->pages, store_page_count(s) * sizeof(*s->pages));
	pages = s->pages;
	if (!pages)
		fail(NO_MEMORY, "no memory for the addresses of the payload's pages");
	for (size_t i = 0; i < s->pool_count; i++) {
		const struct pool *p = &s->pools[i];

		locate_pool(p, fd, first, pages);
		first += p->size / small_page();
		pages += p->size / p->page_size;
	}
	close(fd);
}

static int by_physical(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return x->physical < y->physical ? -1 : x->physical > y->physical;
}

struct chunk *store_chunks(const struct store *s, size_t *count)
{
	struct chunk *chunks = calloc(store_page_count(s), sizeof(*chunks));
	uint64_t offset = 0;

	if (!chunks)
		fail(NO_MEMORY, "no memory for the layout");
	*count = 0;
	for (size_t i = 0; i < s->pool_count; i++) {
		const struct pool *p = &s->pools[i];

		for (uint64_t at = 0; at < p->size; at += p->page_size, ++*count)
			chunks[*count] =
				(struct chunk){s->pages[*count], p->page_size, offset + at};
		offset += p->size;
	}
	qsort(chunks, *count, sizeof(*chunks), by_physical);
	return chunks;
}

uint64_t store_physical(const struct store *s, uint64_t offset, uint64_t *length)
{
	const uint64_t *pages = s->pages;
	const struct pool *p = s->pools;

	for (; offset >= p->size; p++) {
		pages += p->size / p->page_size;
		offset -= p->size;
	}
	*length = p->page_size - offset % p->page_size;
	return pages[offset / p->page_size] + offset % p->page_size;
}

void store_remove(struct store *s)
{
	for (size_t i = 0; i < s->pool_count; i++)
		shmctl(s->pools[i].id, IPC_RMID, NULL);
	if (s->base)
		munmap(s->base, s->size);
	for (size_t i = 0; i < s->pool_count; i++)
		hugepages_shrink(s->pools[i].page_size, s->pools[i].pages_grown);
	free(s->pages);
	*s = (struct store){0};
}
