/* SPDX-License-Identifier: MIT */
/* All that the steps know and hand to each other. There is one of it, in main.c. */
#ifndef ENGINE_STAGE_H
#define ENGINE_STAGE_H

#include <kexpress/error.h>
#include <kexpress/handoff.h>
#include <kexpress/timing.h>

#include "../kimage/run.h"
#include "../payload/fdt_gic.h"
#include "../payload/fit.h"
#include "../payload/image.h"
#include "../payload/options.h"
#include "../place/occupancy.h"
#include "../xlat/xlat.h"
#include "boot_map.h"

#define STAGE_CONTROL_RANGES 12
#define STAGE_SEGMENTS	     KX_HANDOFF_SEGMENTS
#define STAGE_SOURCES	     2
#define STAGE_CONFIGS_MAX    16 /* of a FIT, tried one after the other */
#define PLAN_RELEASE_PAGES   4
#define PLAN_NO_SPARE	     (~0ull)

/* Where a payload is. */
struct source {
	const char *name;
	struct range data;
};

/* Something to place. */
struct segment {
	uint64_t source; /* of a payload; unused with an entry list, which has the sources */
	uint64_t destination;
	uint64_t file_size;
	uint64_t memory_size;
	uint32_t flags;	 /* KX_SEGMENT_* */
	uint32_t crc;	 /* with KX_SEGMENT_CRC */
	uint64_t copied; /* bytes of its file, in whole pages, that runs copy */
	bool folded;	 /* copies bring all of its file, and clean it */
};

/* Whether its user reads it past the caches. */
static inline bool segment_is_cleaned(const struct segment *g)
{
	return g->flags & (KX_SEGMENT_EXEC | KX_SEGMENT_POC);
}

/* What the payload's own configuration asks for, made by open. */
struct payload {
	struct segment segments[STAGE_SEGMENTS];
	size_t segment_count;
	struct image_info kernel; /* of the KX_SEGMENT_KERNEL segment of a FIT or plain Image */
	struct fit_image fdt;	  /* its own device tree, or NULL */
	const char *bootargs;	  /* its own, or NULL */
};

/* Where the stage goes in the end. */
struct jump {
	uint64_t x[4];
	uint64_t entry;
	unsigned int el;
};

struct plan {
	struct occupancy occupancy;
	struct range control[STAGE_CONTROL_RANGES]; /* ours during the move, beside our image */
	size_t control_count;
	size_t list_runs; /* of an entry list, at most */
	uint64_t list_pages;
	struct run *runs; /* in the order to execute them */
	size_t run_count;
	size_t ordered;	      /* runs that come first, one after the other; with a landing page */
	struct range landing; /* page where other cores arrive (landing.h); or empty */
	uint64_t release[PLAN_RELEASE_PAGES]; /* pages that spin tables' release addresses lie in */
	size_t release_count;
	uint64_t spare;		 /* a page for breaking circles, or PLAN_NO_SPARE */
	void *fdt;		 /* the kernel's device tree, NULL while we move ourselves */
	struct range fdt_room;	 /* where it lies */
	struct range_set folded; /* fold.h */
	struct range folded_ranges[STAGE_SEGMENTS];
	uint64_t timing; /* where a caller wants the timing record; 0: nowhere */
	struct jump jump;
};

struct translation {
	uint64_t ttbr0;
	uint64_t ttbr1;
	uint64_t tcr;
	uint64_t linear; /* add to a physical address for its place in the linear map */
};

struct stage {
	const struct entry_state *entry;
	const void *fdt;		  /* as given */
	const struct kx_handoff *handoff; /* or NULL */
	struct source sources[STAGE_SOURCES];
	size_t source_count;
	size_t source; /* the one that is tried */
	struct options options;
	const char *bootargs; /* for the kernel */
	struct range_set ram;
	struct range_set reserved;
	struct fdt_gic gic;
	struct range own;    /* our image, .bss included */
	size_t config_count; /* of a FIT; 1 otherwise */
	size_t config;	     /* the one that is tried */
	struct payload payload;
	struct plan plan;
	struct translation translation;
	struct kx_timing timing;
	uint64_t marked; /* counter value up to which time is accounted for */
	struct kx_refusal why;
};

/* From start.c, once C may run. */
void stage_main(const struct entry_state *entry) __attribute__((noreturn));

/* The steps (docs/boot.md), each in the file of its name. Those that return an error have filled in
 * stage->why and written to no destination. */
enum kx_error discover(struct stage *s);
enum kx_error open_payload(struct stage *s);
enum kx_error plan(struct stage *s);
enum kx_error map(struct stage *s);
void move(struct stage *s);
void settle(struct stage *s);
void hand_over(struct stage *s) __attribute__((noreturn));

#endif /* ENGINE_STAGE_H */
