/* SPDX-License-Identifier: MIT */
/* What the clock keeps: shared by time.c, which moves it, and memory.c, which says how long memory
 * takes. Of no concern to anyone else. */
#ifndef LENS_TIME_MODEL_H
#define LENS_TIME_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "time.h"

/* The profile in picoseconds and counts. */
struct costs {
	uint64_t instruction; /* in 1/1024 ps, so that long blocks do not round */
	uint64_t l1, l2, llc, dram;
	uint64_t transfer;   /* one line over the bus */
	uint64_t write_line; /* one whole line of one core */
	uint64_t device, walk, clean, icache_line, icache_all, tlbi, dsb, dmb, isb, psci, cpu_on;
	unsigned int lines, stream_lines, noncacheable_lines, clean_lines, write_stream_after,
		tlb_entries;
	bool in_order;
};

/* Memory's bandwidth, dealt out in slices of time. A ring: a slice that time has passed is reused.
 */
#define SLICE_PS 1000000ull
#define SLICES	 65536

struct bandwidth {
	uint64_t bytes_per_slice;
	struct {
		uint64_t number;
		uint64_t used;
	} slices[SLICES];
};

enum { STREAMS = 8, MAX_LINES = 64 };

/* From the core outwards: its own caches, and the one that all cores share. */
enum cache_level { L1, L2, LLC, CACHE_LEVELS };

/* A sequential reader that the prefetcher follows. */
struct stream {
	uint64_t last;
	uint64_t ahead; /* last line asked for */
	uint64_t used;
	unsigned int length;
};

/* The line that stores are gathered in. */
struct merge {
	uint64_t line;
	uint64_t bytes;	    /* one bit each */
	uint64_t full_line; /* the last one that was filled wholly */
	unsigned int full_in_a_row;
	bool open;
};

struct core {
	uint64_t now;
	uint64_t fraction;		 /* of now, 1/1024 ps */
	uint64_t ready[EVENT_REGISTERS]; /* when what was loaded arrives */
	uint64_t fills[MAX_LINES];	 /* when each line buffer is free again */
	uint64_t noncacheable[MAX_LINES];
	uint64_t cleans[MAX_LINES]; /* when each maintenance operation under way is done; a ring */
	unsigned int clean_next;    /* the oldest of them */
	uint64_t cleaned;	    /* when the latest is */
	uint64_t transferred;	    /* when the bus is done with what this core sent or asked for */
	uint64_t written;	    /* when all that was written has reached memory */
	struct cache caches[LLC];
	struct stream streams[STREAMS];
	struct merge merge;
	uint64_t stream_clock;
	uint64_t seen; /* line that was loaded from last */
	uint64_t *tlb;
	uint64_t tlb_recent; /* entry used last: most often used again */
	struct time_counts counts;
};

struct time_model {
	struct costs costs;
	struct bandwidth bandwidth;
	struct cache llc;
	unsigned int core_count;
	struct core cores[];
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline void wait_until(struct core *c, uint64_t ps)
{
	c->now = later(c->now, ps);
}

#endif /* LENS_TIME_MODEL_H */
