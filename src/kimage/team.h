/* SPDX-License-Identifier: MIT */
/*
 * How many cores a move is worth. No table of machines says: the rate of the chunks is measured
 * while they are moved, and the number of cores is doubled for as long as that is seen to pay.
 */
#ifndef KIMAGE_TEAM_H
#define KIMAGE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Less than this is left to one core (docs/cores.md). */
#define TEAM_BYTES_MIN ((uint64_t)10 << 20)

/* Times are in ticks of the counter. */
struct team {
	unsigned int cores; /* at work, the boot core among them */
	unsigned int max;
	size_t chunks_left;
	uint64_t cost;	       /* from a core's start until it works */
	uint64_t window_ticks; /* measured: so long took */
	size_t window_chunks;  /* so many chunks, on all cores */
	uint64_t before_ticks; /* the same with half as many cores; */
	size_t before_chunks;  /* 0: nothing to compare with */
};

/* Chunks after which a measurement counts. */
size_t team_window(const struct team *t);

/* Whether the number of cores is to be doubled. */
bool team_grows(const struct team *t);

#endif /* KIMAGE_TEAM_H */
