/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETER(field)                                \
	{                                               \
#field, offsetof(struct profile, field) \
	}

static const struct parameter {
	const char *name;
	size_t offset;
} parameters[] = {
	PARAMETER(clock_ghz),	   PARAMETER(ipc),
	PARAMETER(in_order),	   PARAMETER(l1d.kib),
	PARAMETER(l1d.ways),	   PARAMETER(l1d.ns),
	PARAMETER(l2.kib),	   PARAMETER(l2.ways),
	PARAMETER(l2.ns),	   PARAMETER(llc.kib),
	PARAMETER(llc.ways),	   PARAMETER(llc.ns),
	PARAMETER(dram_ns),	   PARAMETER(dram_gbs),
	PARAMETER(lines),	   PARAMETER(stream_lines),
	PARAMETER(write_gbs),	   PARAMETER(write_stream_after),
	PARAMETER(device_ns),	   PARAMETER(noncacheable_lines),
	PARAMETER(tlb_entries),	   PARAMETER(walk_ns),
	PARAMETER(clean_ns),	   PARAMETER(clean_lines),
	PARAMETER(icache_line_ns), PARAMETER(icache_all_ns),
	PARAMETER(tlbi_ns),	   PARAMETER(dsb_ns),
	PARAMETER(dmb_ns),	   PARAMETER(isb_ns),
	PARAMETER(psci_ns),	   PARAMETER(cpu_on_ns),
};

enum { PARAMETERS = sizeof(parameters) / sizeof(*parameters) };

static int find(const char *name)
{
	for (int i = 0; i < PARAMETERS; i++) {
		if (!strcmp(parameters[i].name, name))
			return i;
	}
	return -1;
}

/* One line; empty ones and comments are none. */
static int read_line(struct profile *profile, bool seen[], const char *line, char *error,
		     size_t size)
{
	char name[32];
	double value;
	char source[8];
	int fields = sscanf(line, "%31s %lf # %7s", name, &value, source);
	int at;

	if (fields < 1 || name[0] == '#')
		return 0;
	at = find(name);
	if (at < 0 || fields < 3 || value < 0 || seen[at]) {
		snprintf(error, size, "%s: %s", name,
			 at < 0	      ? "no such parameter"
			 : fields < 3 ? "not \"name value # source\""
			 : seen[at]   ? "given twice"
				      : "negative");
		return -1;
	}
	seen[at] = true;
	memcpy((char *)profile + parameters[at].offset, &value, sizeof(value));
	return 0;
}

int profile_read(struct profile *profile, FILE *file, char *error, size_t size)
{
	bool seen[PARAMETERS] = {false};
	char line[256];

	while (fgets(line, sizeof(line), file)) {
		if (read_line(profile, seen, line, error, size))
			return -1;
	}
	for (int i = 0; i < PARAMETERS; i++) {
		if (!seen[i]) {
			snprintf(error, size, "%s: missing", parameters[i].name);
			return -1;
		}
	}
	return 0;
}
