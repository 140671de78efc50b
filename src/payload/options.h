/* SPDX-License-Identifier: MIT */
/*
 * kexpress.* options on the command line. The table in options.c is the list of what there is;
 * README.md shows it to users, and a test compares the two.
 */
#ifndef PAYLOAD_OPTIONS_H
#define PAYLOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../place/range.h"

enum on_error { ON_ERROR_HALT, ON_ERROR_RESET, ON_ERROR_POWEROFF };

struct options {
	bool mmu;		/* kexpress.mmu=on|off: copy with the MMU on; default on */
	bool debug;		/* kexpress.debug: a line a step */
	bool verify;		/* kexpress.verify=on|off: check a FIT's hashes; default on */
	uint64_t cores;		/* kexpress.cores=N: at most so many move; 1 or more; default any */
	enum on_error on_error; /* kexpress.onerror=halt|reset|poweroff; default halt */
	struct range initrd; /* kexpress.initrd=ADDRESS,SIZE: initramfs of a plain Image payload */
};

/* An option that was not taken, for a warning: [text, text + length) in the command line. */
struct options_unknown {
	const char *text;
	size_t length;
};

/*
 * Reads and removes kexpress.* options from bootargs; what is for the kernel, other words and
 * everything after " -- " or inside double quotes included, goes unchanged and in order to rest (of
 * rest_size bytes, NUL-terminated). The last of repeated options counts. Unknown options and bad
 * values are listed in unknown (at most unknown_max; *unknown_count is the number found).
 * Returns false if rest is too small.
 */
bool options_parse(const char *bootargs, struct options *options, char *rest, size_t rest_size,
		   struct options_unknown *unknown, size_t unknown_max, size_t *unknown_count);

#endif /* PAYLOAD_OPTIONS_H */
