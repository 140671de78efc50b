/* SPDX-License-Identifier: MIT */
/*
 * What lies in which page of the store, and where it goes. Pages come from wherever the kernel had
 * some free; where enough of them lie side by side a segment's place is there, and it never moves.
 */
#ifndef LOADER_LAYOUT_H
#define LOADER_LAYOUT_H

#include <kexpress/error.h>

#include "../place/place.h"

/* Physically contiguous memory of the store. */
struct chunk {
	uint64_t physical;
	uint64_t size;
	uint64_t offset; /* in the store */
};

/* Part of the store, in which something lies. */
struct piece {
	uint64_t offset;
	uint64_t length;
};

struct pieces {
	struct piece *pieces;
	size_t count;
	size_t max;
};

struct layout_input {
	const struct range_set *ram;   /* of the running and of the next kernel */
	const struct range_set *avoid; /* nothing goes there */
	const struct chunk *chunks;    /* sorted by physical address */
	size_t chunk_count;
	struct place_kernel kernel;
	uint64_t kernel_size;	    /* bytes of its file */
	uint64_t initrd_size;	    /* 0: none */
	uint64_t control_size;	    /* what kexec_load(2) brings, and its memory beyond that */
	uint64_t control_file_size; /* what it brings: a copy is kept */
	uint64_t page_size;	    /* of the running kernel */
};

struct placed {
	uint64_t destination;
	struct pieces pieces; /* in order; the kernel's last one includes its BSS if in place */
	bool in_place;	      /* they are the destination */
};

struct layout {
	struct placed kernel;
	struct placed initrd;
	uint64_t control; /* where it goes */
	struct pieces control_copy;
	struct pieces list; /* whole pages for the entry list, enough of them */
};

/* How much of a store a payload needs: chunks of up to chunk_size may be cut at every boundary. */
uint64_t layout_store_size(const struct layout_input *in);

/*
 * Lays everything out. What is at the pieces is allocated, for layout_free. Error: NO_ROOM, where
 * the store is too small or RAM has no place for a destination.
 */
enum kx_error layout_make(const struct layout_input *in, struct layout *out,
			  struct kx_refusal *why);
void layout_free(struct layout *out);

#endif /* LOADER_LAYOUT_H */
