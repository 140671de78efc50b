/* SPDX-License-Identifier: MIT */
/*
 * What is loaded, and where. It is remembered in a file, so that a later run can check it, load it
 * again where its pages have moved, and remove it.
 */
#ifndef LOADER_LOADED_H
#define LOADER_LOADED_H

#include <kexpress/handoff.h>

#include "control.h"
#include "store.h"

#define LOADED_NAME 256

struct loaded_segment {
	struct kx_segment is;
	struct pieces pieces;
};

struct loaded {
	char name[LOADED_NAME]; /* of the kernel's file, for people */
	struct store store;
	struct loaded_segment segments[CONTROL_SEGMENTS];
	uint32_t segment_count;
	uint64_t control;	 /* where it is to be */
	uint64_t control_size;	 /* of what the kernel is handed */
	uint64_t control_memory; /* with what the stage needs behind it */
	struct pieces control_copy;
	struct pieces list;
	uint32_t where; /* sum of the pages' addresses, as the entry list has them */
};

/* Reads the file. False: nothing is loaded. What is allocated is for the rest of the process. */
bool loaded_read(struct loaded *l);

/* Copies to pieces of the store, which have room for it. */
void loaded_put(const struct loaded *l, const struct pieces *to, const void *data, size_t size);

/* Makes the entry list for where the pages are now, and hands all to the kernel. */
void loaded_commit(struct loaded *l);

/* Whether the pages are where the entry list says; where they are now is known afterwards. */
bool loaded_is_in_place(struct loaded *l);

/* The first segment that is not, byte for byte, what was loaded; NULL: all are. */
const struct loaded_segment *loaded_find_damage(const struct loaded *l);

/* Unloads it, gives its memory back and forgets it. */
void loaded_remove(struct loaded *l);

#endif /* LOADER_LOADED_H */
