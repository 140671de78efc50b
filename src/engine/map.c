/* SPDX-License-Identifier: MIT */
/*
 * Step "map": the transitional tables, for exactly what the plan touches. Our own image, control
 * memory and the console are identity-mapped; sources and destinations are in the linear map, at
 * their physical address plus s->translation.linear.
 */
#include "console.h"
#include "control.h"
#include "regime.h"

#include "../place/cover.h"
#include "../place/page.h"
#include "../place/sort.h"

#include <arm64/sysreg.h>

/* Image, control memory, console, device tree, timing record. */
#define IDENTITY_MAX (STAGE_MAPPINGS + STAGE_CONTROL_RANGES + 3)

struct mappings {
	struct xlat_mapping *maps;
	size_t count;
};

static uint64_t va_of(const void *mapping)
{
	return ((const struct xlat_mapping *)mapping)->va;
}

static struct range whole_pages(uint64_t start, uint64_t end)
{
	return (struct range){page_down(start), page_up(end)};
}

static void add(struct mappings *m, struct range r, enum xlat_prot prot)
{
	m->maps[m->count++] = xlat_identity(r.start, r.end, prot);
}

static void add_identity(const struct stage *s, struct mappings *m)
{
	const struct plan *p = &s->plan;
	uint64_t console = console_base();

	boot_map_stage(m->maps + m->count, XLAT_READ);
	m->count += STAGE_MAPPINGS;
	for (size_t i = 0; i < p->control_count; i++)
		add(m, p->control[i], XLAT_WRITE);
	add(m, (struct range){console, console + CONSOLE_SIZE}, XLAT_DEVICE);
	if (p->fdt)
		add(m, p->fdt_room, XLAT_WRITE);
	if (p->timing)
		add(m, whole_pages(p->timing, p->timing + sizeof(s->timing)), XLAT_WRITE);
}

/* The most ranges that the runs read, or write together with the segments. */
static size_t moved_max(const struct stage *s)
{
	return s->plan.run_count + s->payload.segment_count;
}

/* The pages that the runs read. Ours is not among them unless we move ourselves. */
static size_t list_reads(const struct stage *s, struct range *reads)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan.run_count; i++) {
		const struct run *run = &s->plan.runs[i];

		if (run->kind == RUN_COPY)
			reads[n++] = whole_pages(run->source, run->source + run->length);
	}
	return cover_normalise(reads, n);
}

/* The pages that the runs write, and segments whose memory is cleaned though nothing is moved. */
static size_t list_writes(const struct stage *s, struct range *writes)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan.run_count; i++) {
		const struct run *run = &s->plan.runs[i];

		writes[n++] = whole_pages(run->destination, run->destination + run->length);
	}
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (g->flags & (KX_SEGMENT_EXEC | KX_SEGMENT_POC))
			writes[n++] = whole_pages(g->destination, g->destination + g->memory_size);
	}
	return cover_normalise(writes, n);
}

static void add_linear(const struct stage *s, struct mappings *m, struct range *scratch)
{
	size_t max = moved_max(s);
	struct range *reads = scratch, *writes = reads + max, *only_read = writes + max;
	size_t read_count = list_reads(s, reads);
	size_t write_count = list_writes(s, writes);

	read_count = cover_subtract(reads, read_count, writes, write_count, only_read);
	for (size_t i = 0; i < read_count; i++)
		add(m, only_read[i], XLAT_READ);
	for (size_t i = 0; i < write_count; i++)
		add(m, writes[i], XLAT_WRITE);
}

static uint64_t mapped_end(const struct mappings *m)
{
	uint64_t end = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->maps[i].pa + m->maps[i].size > end)
			end = m->maps[i].pa + m->maps[i].size;
	return end;
}

/* 39 bits where all that is mapped is below their end, or below half of it where one range holds
 * both maps; else 48. */
static enum kx_error choose_geometry(struct stage *s, uint64_t end, bool one_range,
				     enum xlat_va_bits *bits)
{
	unsigned int spare = one_range ? 1 : 0;

	*bits = end <= 1ull << (XLAT_39BIT - spare) ? XLAT_39BIT : XLAT_48BIT;
	if (end > 1ull << (*bits - spare) || end > 1ull << regime_pa_bits())
		return kx_refuse(&s->why, KX_E_ADDRESS, "memory beyond what this CPU can map", 0,
				 end);
	s->translation.linear = one_range ? 1ull << (*bits - 1) : ~0ull << *bits;
	return KX_OK;
}

/* Moves mappings [first, count) to the linear map. */
static void shift_linear(struct mappings *m, size_t first, uint64_t linear)
{
	for (size_t i = first; i < m->count; i++)
		m->maps[i].va += linear;
}

/* One tree of tables in a pool of its own, just large enough. */
static enum kx_error build(struct stage *s, struct xlat_mapping *maps, size_t count,
			   enum xlat_va_bits bits, uint64_t *ttbr)
{
	struct xlat_pool pool = {0};
	enum kx_error error;
	struct xlat x;

	sort_by_key(maps, count, sizeof(*maps), va_of);
	pool.max = xlat_count(maps, count, bits);
	pool.tables = control_take(s, pool.max * XLAT_PAGE_SIZE);
	pool.pa = (uint64_t)pool.tables;
	if (!pool.tables)
		return s->why.error;
	error = xlat_init(&x, &pool, bits, regime_xlat(), &s->why);
	for (size_t i = 0; i < count && !error; i++)
		error = xlat_map(&x, &maps[i], &s->why);
	s->timing.tables += pool.used;
	*ttbr = x.root_pa;
	return error;
}

enum kx_error map(struct stage *s)
{
	struct translation *t = &s->translation;
	bool one_range = regime_xlat() == XLAT_EL2;
	size_t max = moved_max(s), linear_first;
	struct mappings m = {control_take(s, (IDENTITY_MAX + 3 * max) * sizeof(*m.maps)), 0};
	struct range *scratch = control_take(s, 4 * max * sizeof(*scratch));
	enum xlat_va_bits bits;
	enum kx_error error;

	if (!m.maps || !scratch)
		return s->why.error;
	add_identity(s, &m);
	linear_first = m.count;
	add_linear(s, &m, scratch);
	error = choose_geometry(s, mapped_end(&m), one_range, &bits);
	if (error)
		return error;
	shift_linear(&m, linear_first, t->linear);

	s->timing.tables = 0;
	t->tcr = regime_tcr(bits, true);
	error = build(s, m.maps, one_range ? m.count : linear_first, bits, &t->ttbr0);
	if (!error && !one_range)
		error = build(s, m.maps + linear_first, m.count - linear_first, bits, &t->ttbr1);
	if (!error && s->options.debug)
		say("map: %u-bit, %llu tables", bits, (unsigned long long)s->timing.tables);
	return error;
}
