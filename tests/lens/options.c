/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdlib.h>
#include <string.h>

static int read_address(const char *text, char terminator, uint64_t *value, const char **rest)
{
	char *end;

	*value = strtoull(text, &end, 0);
	*rest = end + 1;
	return end == text || *end != terminator ? -1 : 0;
}

static int read_switch(const char *text, bool *value)
{
	*value = !strcmp(text, "on");
	return *value || !strcmp(text, "off") ? 0 : -1;
}

static int read_range(struct options *o, const char *text)
{
	const char *rest;

	return read_address(text, '-', &o->range_first, &rest) ||
			       read_address(rest, '\0', &o->range_end, &rest)
		       ? -1
		       : 0;
}

static int read_mark(struct options *o, const char *text)
{
	const char *colon = strchr(text, ':');
	size_t length;
	const char *rest;

	if (!colon || o->mark_count == OPTION_MARKS)
		return -1;
	length = (size_t)(colon - text);
	if (!length || length >= OPTION_NAME)
		return -1;
	memcpy(o->marks[o->mark_count].name, text, length);
	return read_address(colon + 1, '\0', &o->marks[o->mark_count++].address, &rest);
}

static int read_one(struct options *o, const char *name, size_t length, const char *value)
{
	const struct {
		const char *name;
		const char **text;
		uint64_t *address;
		bool *on;
	} table[] = {
		{.name = "profile", .text = &o->profile},
		{.name = "ram", .text = &o->ram},
		{.name = "log", .text = &o->log},
		{.name = "elf", .text = &o->elf},
		{.name = "start_text", .text = &o->start_text},
		{.name = "stop_text", .text = &o->stop_text},
		{.name = "console", .address = &o->console},
		{.name = "ram_base", .address = &o->ram_base},
		{.name = "bias", .address = &o->bias},
		{.name = "start", .address = &o->start},
		{.name = "stop", .address = &o->stop},
		{.name = "kernel", .address = &o->kernel},
		{.name = "coherency", .on = &o->coherency},
		{.name = "verify", .on = &o->verify},
	};
	const char *rest;

	if (!strcmp(name, "kernel=image")) {
		o->images = true;
		return 0;
	}
	for (unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strlen(table[i].name) != length || memcmp(table[i].name, name, length) != 0)
			continue;
		if (table[i].address)
			return read_address(value, '\0', table[i].address, &rest);
		if (table[i].on)
			return read_switch(value, table[i].on);
		*table[i].text = value;
		return 0;
	}
	if (length == 5 && !memcmp(name, "range", length))
		return read_range(o, value);
	if (length == 4 && !memcmp(name, "mark", length))
		return read_mark(o, value);
	return -1;
}

int options_read(struct options *o, int argc, char **argv, const char **wrong)
{
	*o = (struct options){
		.ram_base = 0x40000000,
		.console = 0x9000000,
		.start = OPTION_NOWHERE,
		.stop = OPTION_NOWHERE,
		.kernel = OPTION_NOWHERE,
	};
	for (int i = 0; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		*wrong = argv[i];
		if (!equals || read_one(o, argv[i], (size_t)(equals - argv[i]), equals + 1))
			return -1;
	}
	*wrong = !o->profile ? "profile= is missing" : "ram= is missing";
	return o->profile && o->ram ? 0 : -1;
}
