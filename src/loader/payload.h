/* SPDX-License-Identifier: MIT */
/* What is to be started: read from files, checked. */
#ifndef LOADER_PAYLOAD_H
#define LOADER_PAYLOAD_H

#include "../payload/image.h"

#include "arguments.h"
#include "input.h"

struct loader_payload {
	struct input kernel;
	struct input initrd;  /* size 0: none */
	struct input tree;    /* its own device tree; size 0: that of the machine */
	const char *bootargs; /* its own, or NULL */
	struct image_info image;
};

/* Of an arm64 Image, plain or packed by gzip, or a FIT. Whatever is wrong ends the process. */
void payload_open(const struct arguments *arguments, struct loader_payload *payload);

#endif /* LOADER_PAYLOAD_H */
