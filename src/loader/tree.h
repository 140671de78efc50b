/* SPDX-License-Identifier: MIT */
/* The device tree and the command line of the next kernel. */
#ifndef LOADER_TREE_H
#define LOADER_TREE_H

#include "machine.h"
#include "payload.h"

struct tree {
	void *data;
	size_t size;
};

/*
 * The machine's tree, or the payload's with what only the machine's knows; its command line begins
 * with what kexpress is to do on an error. The size does not hang on where the initramfs is.
 */
struct tree tree_make(const struct machine *machine, const struct loader_payload *payload,
		      const struct arguments *arguments, struct range initrd);

#endif /* LOADER_TREE_H */
