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

struct boot_translation boot_map(const struct entry_state *entry);

/* Our own image's mappings: text, constants, what relocation writes, and data without the guard
 * page below the stack. relro says what may be done with the third. */
#define STAGE_MAPPINGS 5
void boot_map_stage(struct xlat_mapping maps[STAGE_MAPPINGS], enum xlat_prot relro);

#endif /* ENGINE_BOOT_MAP_H */
