/* SPDX-License-Identifier: MIT */
/*
 * Step "map": the transitional tables, for exactly what the plan touches. Our own image, control
 * memory and the console are identity-mapped; sources and destinations are in the linear map, at
 * their physical address plus s->translation.linear.
 */
#include "console.h"
#include "control.h"
#include "cores.h"
#include "regime.h"

#include "../kimage/share.h"
#include "../place/cover.h"
#include "../place/sort.h"

#include <arm64/sysreg.h>

/* Image, control memory, console, device tree, timing record, landing page, release addresses. */
#define IDENTITY_MAX (STAGE_MAPPINGS + STAGE_CONTROL_RANGES + 4 + PLAN_RELEASE_PAGES)

/* Control memory, device tree, timing record, release addresses. */
#define OWN_MAX (STAGE_CONTROL_RANGES + 2 + PLAN_RELEASE_PAGES)

/* Ranges of scratch memory for each that is read or written: read, written, only read (two), both
 * (two), and as much as a run takes. */
#define SCRATCH (6 + sizeof(struct run) / sizeof(struct range))

struct mappings {
	struct xlat_mapping *maps;
	size_t count;
};

/* The units that something touches; size is a power of two. */
static struct range whole(uint64_t start, uint64_t end, uint64_t size)
{
	return (struct range){start & ~(size - 1), (end + size - 1) & ~(size - 1)};
}

static void add(struct mappings *m, struct range r, enum xlat_prot prot)
{
	m->maps[m->count++] = xlat_identity(r.start, r.end, prot);
}

/* What of our own is written beside our image. Of two parts that share a granule one range is made.
 */
static size_t list_own(const struct stage *s, struct range *own, uint64_t size)
{
	struct range scratch[OWN_MAX];
	const struct plan *p = &s->plan;
	size_t n = 0;

	for (size_t i = 0; i < p->control_count; i++)
		own[n++] = whole(p->control[i].start, p->control[i].end, size);
	for (size_t i = 0; i < p->release_count; i++)
		own[n++] = whole(p->release[i], p->release[i] + KX_PAGE_SIZE, size);
	if (p->fdt)
		own[n++] = whole(p->fdt_room.start, p->fdt_room.end, size);
	if (p->timing)
		own[n++] = whole(p->timing, p->timing + sizeof(s->timing), size);
	return cover_normalise(own, n, scratch);
}

/* By virtual address, as tables are counted. */
static void add_identity(const struct stage *s, struct mappings *m, struct xlat_geometry g)
{
	uint64_t size = geometry_page_size(g);
	struct console console = console_now();
	struct range registers = console_registers(&console, size);
	struct range own[OWN_MAX];
	size_t own_count = list_own(s, own, size);

	m->count += boot_map_stage(m->maps + m->count, g, XLAT_READ);
	for (size_t i = 0; i < own_count; i++)
		add(m, own[i], XLAT_WRITE);
	if (registers.end)
		add(m, registers, XLAT_DEVICE);
	if (s->plan.landing.end)
		add(m, whole(s->plan.landing.start, s->plan.landing.end, size), XLAT_DEVICE);
	sort_by_key(m->maps, m->count, sizeof(*m->maps), offsetof(struct xlat_mapping, va),
		    m->maps + m->count);
}

/* The most ranges that the runs read, or write together with the segments. */
static size_t moved_max(const struct stage *s)
{
	return s->plan.run_count + s->payload.segment_count;
}

/* The pages that the runs read. Ours is not among them unless we move ourselves. */
static size_t list_reads(const struct stage *s, struct range *reads, struct range *scratch,
			 uint64_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan.run_count; i++) {
		const struct run *run = &s->plan.runs[i];

		if (run->kind == RUN_COPY)
			reads[n++] = whole(run->source, run->source + run->length, size);
	}
	return cover_normalise(reads, n, scratch);
}

/* The pages that the runs write, and segments whose memory is cleaned though nothing is moved. */
static size_t list_writes(const struct stage *s, struct range *writes, struct range *scratch,
			  uint64_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan.run_count; i++) {
		const struct run *run = &s->plan.runs[i];

		writes[n++] = whole(run->destination, run->destination + run->length, size);
	}
	/* First by themselves: mostly sorted, and few are left. */
	n = cover_normalise(writes, n, scratch);
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (segment_is_cleaned(g))
			writes[n++] = whole(g->destination, g->destination + g->memory_size, size);
	}
	return cover_normalise(writes, n, scratch);
}

/* What is read and not among what is only read is written too. */
static void share(struct stage *s, const struct range *reads, size_t read_count,
		  const struct range *only_read, size_t only_count, struct range *scratch)
{
	struct plan *p = &s->plan;
	size_t both = cover_subtract(reads, read_count, only_read, only_count, scratch);

	cores_share(s, share_partition(p->runs, p->run_count, scratch, both,
				       (struct run *)(scratch + 2 * moved_max(s))));
}

static void add_linear(struct stage *s, struct mappings *m, struct range *scratch, uint64_t size)
{
	size_t max = moved_max(s), all_reads;
	struct range *reads = scratch, *writes = reads + max, *only_read = writes + max;
	size_t read_count = list_reads(s, reads, only_read, size);
	size_t write_count = list_writes(s, writes, only_read, size);
	size_t r = 0, w = 0;

	all_reads = read_count;
	read_count = cover_subtract(reads, read_count, writes, write_count, only_read);
	while (r < read_count || w < write_count)
		if (w == write_count || (r < read_count && only_read[r].start < writes[w].start))
			add(m, only_read[r++], XLAT_READ);
		else
			add(m, writes[w++], XLAT_WRITE);
	if (s->plan.landing.end)
		share(s, reads, all_reads, only_read, read_count, only_read + 2 * max);
}

static uint64_t mapped_end(const struct mappings *m)
{
	uint64_t end = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->maps[i].pa + m->maps[i].size > end)
			end = m->maps[i].pa + m->maps[i].size;
	return end;
}

/*
 * Lists what is to be mapped, first in pages of 4 KiB: where it ends decides the granule, which may
 * be a larger one. Returns where the linear map begins among the mappings.
 */
static enum kx_error list_mappings(struct stage *s, struct mappings *m, struct range *scratch,
				   struct xlat_geometry *g, size_t *linear_first)
{
	struct xlat_geometry next = {.page_shift = KX_PAGE_SHIFT};

	do {
		*g = next;
		m->count = 0;
		add_identity(s, m, *g);
		*linear_first = m->count;
		add_linear(s, m, scratch, geometry_page_size(*g));
		if (!regime_geometry(mapped_end(m), true, &next))
			return kx_refuse(&s->why, KX_E_ADDRESS,
					 "memory beyond what this CPU can map", 0, mapped_end(m));
	} while (next.page_shift != g->page_shift);
	*g = next;
	return KX_OK;
}

/* Moves mappings [first, count) to the linear map: its half of the one range, or the upper range.
 */
static void shift_linear(struct mappings *m, size_t first, uint64_t linear)
{
	for (size_t i = first; i < m->count; i++)
		m->maps[i].va += linear;
}

/* One tree of tables, for sorted mappings, in a pool of its own, just large enough. */
static enum kx_error build(struct stage *s, struct xlat_mapping *maps, size_t count,
			   struct xlat_geometry g, uint64_t *ttbr)
{
	uint64_t size = geometry_page_size(g), taken;
	struct xlat_pool pool = {0};
	enum kx_error error;
	struct xlat x;

	pool.max = xlat_count(maps, count, g);
	taken = (uint64_t)control_take(s, pool.max * size + size - KX_PAGE_SIZE);
	if (!taken)
		return s->why.error;
	pool.pa = whole(taken, taken, size).end;
	pool.tables = (uint64_t *)pool.pa;
	error = xlat_init(&x, &pool, g, regime_xlat(), &s->why);
	for (size_t i = 0; i < count && !error; i++)
		error = xlat_map(&x, &maps[i], &s->why);
	s->timing.tables += pool.used;
	*ttbr = TTBR_BADDR(x.root_pa);
	return error;
}

enum kx_error map(struct stage *s)
{
	struct translation *t = &s->translation;
	bool one_range = regime_xlat() == XLAT_EL2;
	size_t max = moved_max(s), linear_first;
	struct mappings m = {control_take(s, (2 * IDENTITY_MAX + 3 * max) * sizeof(*m.maps)), 0};
	struct range *scratch = control_take(s, SCRATCH * max * sizeof(*scratch));
	struct xlat_geometry g;
	enum kx_error error;

	if (!m.maps || !scratch)
		return s->why.error;
	error = list_mappings(s, &m, scratch, &g, &linear_first);
	if (error)
		return error;
	t->linear = one_range ? 1ull << (g.va_bits - 1) : ~0ull << g.va_bits;
	shift_linear(&m, linear_first, t->linear);

	s->timing.tables = 0;
	t->tcr = regime_tcr(g, true);
	error = build(s, m.maps, one_range ? m.count : linear_first, g, &t->ttbr0);
	if (!error && !one_range)
		error = build(s, m.maps + linear_first, m.count - linear_first, g, &t->ttbr1);
	if (!error && s->options.debug)
		say("map: %u-bit, %lluK granule, %llu tables", g.va_bits,
		    (unsigned long long)geometry_page_size(g) / 1024,
		    (unsigned long long)s->timing.tables);
	return error;
}
