// SPDX-License-Identifier: MIT
#include "coherency.h"

#include "coherency_state.h"
#include "maintenance.h"

#include <stdlib.h>
#include <string.h>

#define SCTLR_M		 (1ull << 0)
#define SCTLR_C		 (1ull << 2)
#define HCR_VM		 (1ull << 0)
#define INSTRUCTION_SIZE 4u
#define DESCRIPTOR_SIZE	 8u
#define EL2		 2u

struct coherency *coherency_new(const struct coherency_options *options, struct report *report)
{
	struct coherency *coherency;

	if (options->cpus > BARRIERS_MAX_CPUS)
		return NULL;
	coherency = calloc(1, sizeof(*coherency));
	if (!coherency)
		return NULL;
	coherency->options = *options;
	coherency->report = report;
	coherency->barriers.cpus = options->cpus;
	coherency->lines = lines_new(options->ram_base, options->ram_size);
	coherency->tables = tables_new();
	if (!coherency->lines || !coherency->tables) {
		coherency_free(coherency);
		return NULL;
	}
	return coherency;
}

void coherency_free(struct coherency *coherency)
{
	if (!coherency)
		return;
	lines_free(coherency->lines);
	tables_free(coherency->tables);
	free(coherency);
}

void coherency_state(struct coherency *coherency, unsigned int cpu, const struct event_state *state)
{
	coherency->cpu[cpu].mmu_on = state->sctlr & SCTLR_M;
	coherency->cpu[cpu].dcache_off = !(state->sctlr & SCTLR_C);
	coherency->cpu[cpu].stage2 = state->el < EL2 && state->hcr & HCR_VM;
}

static void found(struct coherency *coherency, const char *name, const struct event_access *access,
		  const struct line *line)
{
	coherency_found_by(coherency, name, access, lines_cause(line));
}

/* --- The instruction side: Arm ARM B2.4.4 and D7.5.9 ---------------------------------------------
 */

/* What becomes of the written words when cpu fetches them through its instruction cache. */
static enum barriers_state fetch_state(const struct coherency *coherency, unsigned int cpu,
				       const struct line *line)
{
	const struct barriers *barriers = &coherency->barriers;
	uint64_t ctr = coherency->options.ctr;

	if (line->dirty_pou && !(ctr & CTR_IDC))
		return BARRIERS_NOT_ISSUED;
	if (line->ic || ctr & CTR_DIC)
		return barriers_executable(barriers, cpu, coherency_step(line));
	return barriers_icache_state(barriers, cpu, coherency_step(line));
}

void coherency_retire(struct coherency *coherency, struct line *line)
{
	if (!line->written || fetch_state(coherency, line->cpu, line) != BARRIERS_DONE)
		return;
	line->written = 0;
	line->ic = 0;
}

/* While a single instruction of live code is replaced, other CPUs may run the old or the new one
 * (Arm ARM B2.2.5), and so may the one that replaces it until it synchronises itself, or if both
 * are of the kinds that the manual names: Linux patches functions that patching calls. */
static bool is_being_patched(const struct coherency *coherency, unsigned int cpu,
			     const struct line *line)
{
	if (!line->patched)
		return false;
	return line->replaceable || line->cpu != cpu ||
	       !barriers_synchronised(&coherency->barriers, coherency_step(line));
}

static void fetch_cached(struct coherency *coherency, const struct event_access *access,
			 struct line *line, uint8_t words)
{
	static const char *const names[] = {
		[BARRIERS_NOT_ISSUED] = "fetch-stale",
		[BARRIERS_INCOMPLETE] = "maintenance-incomplete",
		[BARRIERS_NO_ISB] = "isb-missing",
	};
	enum barriers_state state;

	if (access->type == TYPE_WRITEBACK)
		line->cached = 1;
	if (line->wrong & words) {
		found(coherency, line->lost ? "ivac-loses-data" : "cached-read-stale", access,
		      line);
		line->wrong &= ~words;
	}
	if (!(line->written & words) || is_being_patched(coherency, access->cpu, line))
		return;
	state = fetch_state(coherency, access->cpu, line);
	if (state == BARRIERS_DONE)
		return;
	found(coherency, names[state], access, line);
	line->written &= ~words;
}

/* Past the caches, or with the MMU off: then a core may take cacheable fetches past them too. */
static bool is_seen_in_memory(struct coherency *coherency, const struct event_access *access,
			      struct line *line, uint8_t words)
{
	if (line->dirty & words) {
		found(coherency, "fetch-dirty", access, line);
		return false;
	}
	if (line->wrong & words && line->lost) {
		found(coherency, "ivac-loses-data", access, line);
		line->wrong &= ~words;
		return false;
	}
	if (line->cleaning && !coherency_is_completed(coherency, access->cpu, line)) {
		found(coherency, "maintenance-incomplete", access, line);
		line->cleaning = 0;
		return false;
	}
	return true;
}

static void fetch(struct coherency *coherency, const struct event_access *access, struct line *line,
		  uint8_t words)
{
	bool cacheable = coherency_is_cacheable(access->type);

	line->code = 1;
	if ((!cacheable || !access->mmu_on) && !is_seen_in_memory(coherency, access, line, words))
		return;
	if (cacheable)
		fetch_cached(coherency, access, line, words);
}

/* --- The data side -------------------------------------------------------------------------------
 */

static void load_cached(struct coherency *coherency, const struct event_access *access,
			struct line *line, uint8_t words)
{
	if (line->wrong & words) {
		found(coherency, line->lost ? "ivac-loses-data" : "cached-read-stale", access,
		      line);
		line->wrong &= ~words;
	} else if (line->invalidating) {
		if (!coherency_is_completed(coherency, access->cpu, line))
			found(coherency, "maintenance-incomplete", access, line);
		line->invalidating = 0;
	}
	line->cached = 1;
	line->touched = 1;
}

/* An uncached mapping of what a cacheable one has used. With the caches off there is only one. */
static void check_attributes(struct coherency *coherency, const struct event_access *access,
			     struct line *line)
{
	if (!line->touched || !access->mmu_on || coherency->cpu[access->cpu].dcache_off)
		return;
	found(coherency, "mismatched-attributes", access, line);
	line->touched = 0;
}

static void load_uncached(struct coherency *coherency, const struct event_access *access,
			  struct line *line, uint8_t words)
{
	if (line->dirty & words) {
		found(coherency, "uncached-read-dirty", access, line);
	} else if (line->wrong & words && line->lost) {
		found(coherency, "ivac-loses-data", access, line);
		line->wrong &= ~words;
	} else if (line->cleaning && !coherency_is_completed(coherency, access->cpu, line)) {
		found(coherency, "maintenance-incomplete", access, line);
		line->cleaning = 0;
	} else {
		check_attributes(coherency, access, line);
	}
}

/* Arm ARM B2.2.5. Of the instruction that was there before nothing is known; code that is patched
 * to and fro has both of these kinds. */
static bool is_replaceable(const struct coherency *coherency, uint64_t pa)
{
	static const struct {
		uint32_t mask, value;
	} kinds[] = {
		{0x7c000000, 0x14000000}, /* B, BL */
		{0xffffffff, 0xd503201f}, /* NOP */
		{0xfffff0ff, 0xd50330df}, /* ISB */
		{0xffe0001c, 0xd4000000}, /* SVC, HVC, SMC */
		{0xffe0001f, 0xd4200000}, /* BRK */
	};
	const struct coherency_options *options = &coherency->options;
	uint32_t word;

	memcpy(&word, (const char *)options->ram + (pa - options->ram_base), sizeof(word));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if ((word & kinds[i].mask) == kinds[i].value)
			return true;
	}
	return false;
}

static void note_store(struct coherency *coherency, const struct event_access *access,
		       struct line *line, uint8_t words)
{
	coherency->swept = false;
	coherency_retire(coherency, line);
	line->patched = line->code && access->size == INSTRUCTION_SIZE;
	line->replaceable = line->patched && (line->replaceable || !line->written) &&
			    is_replaceable(coherency, access->pa);
	line->code = line->patched;
	line->written |= words;
	line->ic = 0;
	coherency_set_step(coherency, line, access->cpu, false);
}

static void store_cached(struct coherency *coherency, const struct event_access *access,
			 struct line *line, uint8_t words)
{
	note_store(coherency, access, line, words);
	lines_blame(line, access->pc);
	line->wrong &= ~words;
	line->cleaning = 0;
	line->invalidating = 0;
	line->cached = 1;
	line->touched = 1;
	if (access->type == TYPE_WRITETHROUGH)
		return;
	line->dirty |= words;
	line->dirty_pou = 1;
}

static void store_uncached(struct coherency *coherency, const struct event_access *access,
			   struct line *line, uint8_t words)
{
	if ((line->cleaning || line->invalidating) &&
	    !coherency_is_completed(coherency, access->cpu, line))
		found(coherency, "maintenance-incomplete", access, line);
	else
		check_attributes(coherency, access, line);
	line->cleaning = 0;
	line->invalidating = 0;
	note_store(coherency, access, line, words);
	if (line->dirty) /* which is written back over it, some day */
		line->dirty |= words;
	else
		lines_blame(line, access->pc);
	if (line->cached && !line->lost)
		line->wrong |= words;
	else
		line->wrong &= ~words;
}

static void access_line(struct coherency *coherency, const struct event_access *access)
{
	struct line *line = lines_at(coherency->lines, access->pa);
	uint8_t words = lines_words(access->pa, access->size);
	bool cacheable = coherency_is_cacheable(access->type);

	if (!line)
		return;
	if (!line->wrong)
		line->lost = 0;
	switch (access->kind) {
	case ACCESS_LOAD:
		(cacheable ? load_cached : load_uncached)(coherency, access, line, words);
		break;
	case ACCESS_STORE:
		(cacheable ? store_cached : store_uncached)(coherency, access, line, words);
		break;
	case ACCESS_FETCH:
		fetch(coherency, access, line, words);
		break;
	}
}

void coherency_access_lines(struct coherency *coherency, const struct event_access *access)
{
	struct event_access part = *access;

	for (uint64_t left = access->size; left; left -= part.size) {
		uint64_t room = LINE_SIZE - part.pa % LINE_SIZE;

		part.size = left < room ? left : room;
		access_line(coherency, &part);
		part.pa += part.size;
		part.va += part.size;
	}
}

/* --- Tables -------------------------------------------------------------------------------------
 */

/* With every CPU's MMU off nobody walks, and former tables are only memory. */
static bool nobody_walks(const struct coherency *coherency)
{
	for (unsigned int i = 0; i < coherency->options.cpus; i++) {
		if (coherency->cpu[i].mmu_on)
			return false;
	}
	return true;
}

static void store_descriptors(struct coherency *coherency, const struct event_access *access)
{
	const struct coherency_options *options = &coherency->options;
	uint64_t end = access->pa + access->size;
	struct tables_store store = {.cpu = access->cpu};

	for (store.pa = access->pa & ~7ull; store.pa < end; store.pa += DESCRIPTOR_SIZE) {
		uint64_t offset = store.pa - options->ram_base;
		struct tables_verdict verdict;

		if (offset >= options->ram_size)
			return;
		memcpy(&store.descriptor, (const char *)options->ram + offset, DESCRIPTOR_SIZE);
		verdict = tables_store(coherency->tables, &store, coherency->lines,
				       &coherency->barriers);
		if (verdict.name)
			coherency_found_by(coherency, verdict.name, access, verdict.cause);
	}
}

void coherency_walk(struct coherency *coherency, const struct event_walk *walk)
{
	struct line *line = lines_at(coherency->lines, walk->pa);
	uint8_t words = lines_words(walk->pa, DESCRIPTOR_SIZE);
	struct event_access access = {.cpu = walk->cpu,
				      .pc = walk->pc,
				      .va = walk->va,
				      .pa = walk->pa,
				      .size = DESCRIPTOR_SIZE};

	if (!line)
		return;
	if (coherency_is_cacheable(walk->type))
		load_cached(coherency, &access, line, words);
	else if (line->dirty & words)
		found(coherency, "table-not-visible", &access, line);
	tables_walk(coherency->tables, walk);
}

void coherency_access(struct coherency *coherency, const struct event_access *access)
{
	if (access->exclusive && !coherency_is_cacheable(access->type))
		coherency_found_by(coherency, "exclusive-on-device", access, 0);
	if (!access->ram)
		return;
	coherency_access_lines(coherency, access);
	if (access->kind == ACCESS_STORE && !nobody_walks(coherency))
		store_descriptors(coherency, access);
}

/* --- Operations ---------------------------------------------------------------------------------
 */

static void prefetch(struct coherency *coherency, const struct event_op *op)
{
	struct line *line = lines_at(coherency->lines, op->pa);

	if (line && coherency_is_cacheable(op->type)) {
		line->cached = 1;
		line->touched = 1;
	}
}

void coherency_op(struct coherency *coherency, const struct event_op *op)
{
	struct barriers *barriers = &coherency->barriers;

	switch (op->kind) {
	case OP_DC_ZVA:
		maintenance_zero(coherency, op);
		break;
	case OP_DC_CVAC:
	case OP_DC_CVAU:
	case OP_DC_CIVAC:
	case OP_DC_IVAC:
	case OP_IC_IVAU:
		maintenance_by_address(coherency, op);
		break;
	case OP_DC_SETWAY:
		maintenance_by_set_way(coherency, op);
		break;
	case OP_IC_IALLU:
	case OP_IC_IALLUIS:
		barriers_ic_all(barriers, op->cpu, op->kind == OP_IC_IALLUIS);
		break;
	case OP_TLBI:
		tables_tlbi(coherency->tables, op, barriers->now);
		break;
	case OP_DSB:
		barriers_dsb(barriers, op);
		break;
	case OP_DMB:
		barriers_dmb(barriers, op);
		break;
	case OP_ISB:
		barriers_isb(barriers, op->cpu);
		break;
	case OP_PRFM:
		prefetch(coherency, op);
		break;
	}
}

/* --- Looking at a range -------------------------------------------------------------------------
 */

static void count(struct coherency_fault *fault, uint64_t pa, const struct line *line)
{
	if (!fault->lines++) {
		fault->pa = pa;
		fault->cause = lines_cause(line);
	}
}

void coherency_range(struct coherency *coherency, unsigned int cpu, uint64_t pa, uint64_t size,
		     struct coherency_range *range)
{
	uint64_t end = pa + size;

	*range = (struct coherency_range){0};
	for (pa &= ~(uint64_t)(LINE_SIZE - 1); pa < end; pa += LINE_SIZE) {
		const struct line *line = lines_known(coherency->lines, pa);

		if (!line)
			continue;
		if (line->dirty)
			count(&range->dirty, pa, line);
		else if (line->cleaning && !coherency_is_completed(coherency, cpu, line))
			count(&range->incomplete, pa, line);
		else if (line->written && fetch_state(coherency, cpu, line) != BARRIERS_DONE)
			count(&range->stale, pa, line);
		if (line->wrong && line->lost)
			count(&range->lost, pa, line);
	}
}
