/* SPDX-License-Identifier: MIT */
/*
 * kexpress status: what is loaded for the next reboot, and what kexpress did in this one. The
 * latter it has left in the device tree (kexpress/timing.h), whoever started it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <kexpress/timing.h>

#include "../payload/fdt_tree.h"
#include "commands.h"
#include "loaded.h"
#include "machine.h"

#define MS 1000.0

static const struct {
	const char *property;
	size_t member;
} fields[] = {
#define STATUS_FIELD(member, property) {property, offsetof(struct kx_timing, member)},
	KX_TIMING_FIELDS(STATUS_FIELD)
#undef STATUS_FIELD
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint64_t *field(struct kx_timing *t, size_t i)
{
	return (uint64_t *)((unsigned char *)t + fields[i].member);
}

static bool is_ticks(size_t i)
{
	const char *end = strrchr(fields[i].property, '-');

	return end && strcmp(end, "-ticks") == 0;
}

/* What an older kexpress did not write is 0. False: it was not kexpress that started this kernel.
 */
static bool read_timing(struct kx_timing *t)
{
	const void *tree = machine_tree();
	int node = fdt_path_offset(tree, "/chosen/kexpress");

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < FIELDS && node >= 0; i++)
		fdt_tree_number(tree, node, fields[i].property, field(t, i));
	return node >= 0 && t->frequency;
}

static double milliseconds(const struct kx_timing *t, uint64_t ticks)
{
	return (double)ticks * MS / (double)t->frequency;
}

static void put_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void put_loaded_json(const struct loaded *l)
{
	printf("{\"kernel\": ");
	put_quoted(l->name);
	printf(", \"segments\": [");
	for (uint32_t i = 0; i < l->segment_count; i++) {
		const struct kx_segment *s = &l->segments[i].is;

		printf("%s{\"destination\": %" PRIu64 ", \"size\": %" PRIu64 ", \"crc\": %" PRIu32
		       "}",
		       i ? ", " : "", s->destination, s->file_size, s->crc);
	}
	printf("], \"pages\": [");
	for (size_t i = 0; i < l->store.pool_count; i++) {
		const struct pool *p = &l->store.pools[i];

		printf("%s{\"size\": %" PRIu64 ", \"count\": %" PRIu64 "}", i ? ", " : "",
		       p->page_size, p->size / p->page_size);
	}
	printf("]}");
}

/* Numbers as the properties have them, times besides in milliseconds. */
static void put_timing_json(struct kx_timing *t)
{
	for (size_t i = 0; i < FIELDS; i++)
		printf("%s\"%s\": %" PRIu64, i ? ", " : "{", fields[i].property, *field(t, i));
	printf(", \"milliseconds\": {");
	for (size_t i = 0, n = 0; i < FIELDS; i++)
		if (is_ticks(i))
			printf("%s\"%.*s\": %.3f", n++ ? ", " : "",
			       (int)(strlen(fields[i].property) - strlen("-ticks")),
			       fields[i].property, milliseconds(t, *field(t, i)));
	printf("}}");
}

static void put_json(const struct loaded *l, struct kx_timing *t)
{
	printf("{\"loaded\": ");
	if (l)
		put_loaded_json(l);
	else
		printf("null");
	printf(", \"relocation\": ");
	if (t)
		put_timing_json(t);
	else
		printf("null");
	printf("}\n");
}

static void put_text(const struct loaded *l, struct kx_timing *t)
{
	if (l)
		printf("loaded for the next reboot: %s\n", l->name);
	else
		printf("nothing is loaded for the next reboot\n");
	if (!t) {
		printf("this boot was not relocated by kexpress\n");
		return;
	}
	printf("this boot was relocated by kexpress:\n");
	for (size_t i = 0; i < FIELDS; i++)
		if (is_ticks(i))
			printf("  %-18.*s %12.3f ms\n",
			       (int)(strlen(fields[i].property) - strlen("-ticks")),
			       fields[i].property, milliseconds(t, *field(t, i)));
		else if (fields[i].member > offsetof(struct kx_timing, entered))
			printf("  %-18s %12" PRIu64 "\n", fields[i].property, *field(t, i));
}

void command_status(const struct arguments *a)
{
	struct loaded loaded;
	struct kx_timing timing;
	const struct loaded *l = loaded_read(&loaded) ? &loaded : NULL;
	struct kx_timing *t = read_timing(&timing) ? &timing : NULL;

	if (a->json)
		put_json(l, t);
	else
		put_text(l, t);
}
