/* SPDX-License-Identifier: MIT */
/*
 * The first map, built with the MMU off: our own image, what x0 points to, and the board's early
 * console; nothing else.
 */
#ifndef ENGINE_BOOT_MAP_H
#define ENGINE_BOOT_MAP_H

#include "../place/range.h"
#include "../xlat/xlat.h"
#include "entry.h"

enum argument_kind { ARGUMENT_NONE, ARGUMENT_FDT, ARGUMENT_HANDOFF };

/* What x0 was, found before the MMU was on. Ranges are page-grown only in the map, not here; sizes
 * are the headers' own words, limited but not checked. */
struct boot_argument {
	enum argument_kind kind;
	struct range handoff;
	struct range fdt;
};

extern struct boot_argument boot_argument;

/* Values for mmu_switch, in x0 and x1. ttbr0 0: our own image could not be mapped. */
struct boot_translation {
	uint64_t ttbr0;
	uint64_t tcr;
};

/* The map with which the MMU goes on: that of boot_map_complete where granules are larger than
 * 4 KiB, else of our own image alone, without what is not needed yet. */
struct boot_translation boot_map(const struct entry_state *entry);

/* Replaces it, with the caches on, by one of all that this file is about. */
void boot_map_complete(void);

/* Whether the image was relocated before the MMU was on, as its file part is not writable. Hidden:
 * it is read before the GOT is relocated. */
extern bool boot_map_relocated __attribute__((visibility("hidden")));

/*
 * Our own image's mappings: text, constants, what relocation writes, and data without the guard
 * page below the stack. relro says what may be done with the third. In granules larger than 4 KiB
 * the first three, all of the file, are one: a page of it may hold more than one of them. Returns
 * how many mappings there are.
 */
#define STAGE_MAPPINGS 5
size_t boot_map_stage(struct xlat_mapping maps[STAGE_MAPPINGS], struct xlat_geometry g,
		      enum xlat_prot relro);

/*
 * Tables of the map of all RAM. The first map's are here too, at the end, where their granule is
 * larger than 4 KiB.
 */
#define WORK_TABLES_SIZE 0x200000ull
extern uint64_t work_tables[];

/* How much of it is free for the map that replaces the first. */
uint64_t boot_map_work_size(void);

#endif /* ENGINE_BOOT_MAP_H */
