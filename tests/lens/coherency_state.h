/* SPDX-License-Identifier: MIT */
/*
 * What coherency.c and maintenance.c share: the state that accesses and maintenance both change,
 * and the steps that both take. Nobody else includes it.
 */
#ifndef LENS_COHERENCY_STATE_H
#define LENS_COHERENCY_STATE_H

#include "barriers.h"
#include "coherency.h"
#include "lines.h"
#include "tables.h"

#include <stdbool.h>

#define CTR_IDC		  (1ull << 28)
#define CTR_DIC		  (1ull << 29)
#define CTR_DMINLINE(ctr) ((ctr) >> 16 & 0xf) /* log2 of 4-byte words */
#define CTR_IMINLINE(ctr) ((ctr)&0xf)

struct coherency_cpu {
	bool mmu_on;
	bool dcache_off;
	bool stage2;
};

struct coherency {
	struct coherency_options options;
	struct report *report;
	struct lines *lines;
	struct tables *tables;
	struct barriers barriers;
	struct coherency_cpu cpu[BARRIERS_MAX_CPUS];
	bool swept; /* by set and way, and nothing stored since */
};

static inline bool coherency_is_cacheable(enum event_type type)
{
	return type == TYPE_WRITEBACK || type == TYPE_WRITETHROUGH;
}

static inline void coherency_found_by(struct coherency *coherency, const char *name,
				      const struct event_access *access, uint64_t cause)
{
	report_add(coherency->report,
		   &(struct finding){name, access->cpu, access->pc, access->va, access->pa, cause,
				     access->kind == ACCESS_FETCH});
}

static inline void coherency_set_step(struct coherency *coherency, struct line *line,
				      unsigned int cpu, bool maintenance)
{
	line->cpu = cpu;
	line->time = coherency->barriers.now;
	line->maintained = maintenance;
}

static inline struct barriers_step coherency_step(const struct line *line)
{
	return (struct barriers_step){line->cpu, line->time, line->maintained};
}

static inline bool coherency_is_completed(const struct coherency *coherency, unsigned int cpu,
					  const struct line *line)
{
	return barriers_completed(&coherency->barriers, cpu, coherency_step(line));
}

/* Before the line takes its next step: what has been made visible need not be again. */
void coherency_retire(struct coherency *coherency, struct line *line);

/* An access to RAM that may reach over several lines. */
void coherency_access_lines(struct coherency *coherency, const struct event_access *access);

#endif /* LENS_COHERENCY_STATE_H */
