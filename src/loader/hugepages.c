/* SPDX-License-Identifier: MIT */
#include "hugepages.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define POOLS	  "/sys/kernel/mm/hugepages"
#define PATH_ROOM 128

static void path_of(char path[PATH_ROOM], uint64_t size, const char *what)
{
	snprintf(path, PATH_ROOM, POOLS "/hugepages-%" PRIu64 "kB/%s", size >> 10, what);
}

/* 0 where there is no such pool. */
static uint64_t read_count(uint64_t size, const char *what)
{
	char path[PATH_ROOM];
	uint64_t value = 0;
	FILE *file;

	path_of(path, size, what);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

/* What cannot be set stays as it is: the caller looks at what came of it. */
static void set_pages(uint64_t size, uint64_t count)
{
	char path[PATH_ROOM];
	FILE *file;

	path_of(path, size, "nr_hugepages");
	file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "%" PRIu64, count);
	fclose(file);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

size_t hugepages_larger(uint64_t sizes[HUGEPAGES_SIZES])
{
	DIR *directory = opendir(POOLS);
	const struct dirent *entry;
	size_t count = 0;
	uint64_t kib;

	if (!directory)
		return 0;
	while ((entry = readdir(directory)) && count < HUGEPAGES_SIZES)
		if (sscanf(entry->d_name, "hugepages-%" SCNu64 "kB", &kib) == 1 &&
		    kib << 10 > HUGEPAGES_USUAL)
			sizes[count++] = kib << 10;
	closedir(directory);
	qsort(sizes, count, sizeof(*sizes), by_size);
	return count;
}

uint64_t hugepages_free(uint64_t size)
{
	uint64_t free = read_count(size, "free_hugepages");
	uint64_t reserved = read_count(size, "resv_hugepages");

	return free > reserved ? free - reserved : 0;
}

uint64_t hugepages_grow(uint64_t size, uint64_t count)
{
	uint64_t before = read_count(size, "nr_hugepages");
	uint64_t after;

	set_pages(size, before + count);
	after = read_count(size, "nr_hugepages");
	return after > before ? after - before : 0;
}

void hugepages_shrink(uint64_t size, uint64_t count)
{
	uint64_t now = read_count(size, "nr_hugepages");

	if (count)
		set_pages(size, now > count ? now - count : 0);
}
