/* SPDX-License-Identifier: MIT */
/* Files, as memory. */
#ifndef LOADER_INPUT_H
#define LOADER_INPUT_H

#include <stddef.h>

struct input {
	const char *name;
	const unsigned char *data; /* page-aligned */
	size_t size;
};

/* Maps a file; one that cannot be read, or not to its end, ends the process. */
struct input input_open(const char *name);

/* A file of proc or sysfs, which tells no size: read, with a 0 behind it. NULL: it is not there. */
char *input_read_text(const char *name, size_t *size);

/* What gzip data holds, where input is that; otherwise as it is. */
struct input input_unpack(struct input input);

#endif /* LOADER_INPUT_H */
