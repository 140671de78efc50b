/* SPDX-License-Identifier: MIT */
#include "time.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "time_model.h"

/* --- Set up ------------------------------------------------------------------------------ */

static uint64_t ps(double ns)
{
	return (uint64_t)(ns * 1000 + 0.5);
}

static unsigned int limit(double value)
{
	return value < 1 ? 1 : value > MAX_LINES ? MAX_LINES : (unsigned int)value;
}

static struct costs costs_of(const struct profile *p)
{
	return (struct costs){
		.instruction = (uint64_t)(1024 * 1000 / (p->clock_ghz * p->ipc) + 0.5),
		.l1 = ps(p->l1d.ns),
		.l2 = ps(p->l2.ns),
		.llc = ps(p->llc.ns),
		.dram = ps(p->dram_ns),
		.transfer = ps(TIME_LINE / p->dram_gbs),
		.write_line = ps(TIME_LINE / p->write_gbs),
		.device = ps(p->device_ns),
		.walk = ps(p->walk_ns),
		.clean = ps(p->clean_ns),
		.icache_line = ps(p->icache_line_ns),
		.icache_all = ps(p->icache_all_ns),
		.tlbi = ps(p->tlbi_ns),
		.dsb = ps(p->dsb_ns),
		.dmb = ps(p->dmb_ns),
		.isb = ps(p->isb_ns),
		.psci = ps(p->psci_ns),
		.cpu_on = ps(p->cpu_on_ns),
		.lines = limit(p->lines),
		.stream_lines = limit(p->stream_lines),
		.noncacheable_lines = limit(p->noncacheable_lines),
		.clean_lines = limit(p->clean_lines),
		.write_stream_after = (unsigned int)p->write_stream_after,
		.tlb_entries = p->tlb_entries < 1 ? 1 : (unsigned int)p->tlb_entries,
		.in_order = p->in_order != 0,
	};
}

static int core_new(struct core *c, const struct profile *p, unsigned int tlb_entries)
{
	int error = cache_new(&c->caches[L1], (size_t)p->l1d.kib, (size_t)p->l1d.ways);

	error |= cache_new(&c->caches[L2], (size_t)p->l2.kib, (size_t)p->l2.ways);
	c->tlb = calloc(tlb_entries, sizeof(*c->tlb));
	return c->tlb ? error : -1;
}

struct time_model *time_new(const struct profile *profile, unsigned int cores)
{
	struct time_model *m = calloc(1, sizeof(*m) + cores * sizeof(m->cores[0]));
	int error;

	if (!m)
		return NULL;
	m->costs = costs_of(profile);
	m->bandwidth.bytes_per_slice = (uint64_t)(profile->dram_gbs * SLICE_PS / 1000);
	m->core_count = cores;
	error = cache_new(&m->llc, (size_t)profile->llc.kib, (size_t)profile->llc.ways);
	for (unsigned int i = 0; i < cores; i++)
		error |= core_new(&m->cores[i], profile, m->costs.tlb_entries);
	if (!error)
		return m;
	time_free(m);
	return NULL;
}

void time_free(struct time_model *m)
{
	for (unsigned int i = 0; i < m->core_count; i++) {
		cache_free(&m->cores[i].caches[L1]);
		cache_free(&m->cores[i].caches[L2]);
		free(m->cores[i].tlb);
	}
	cache_free(&m->llc);
	free(m);
}

/* --- Accesses ---------------------------------------------------------------------------- */

/* Bits of the bytes [from, to) of a line. */
static uint64_t byte_bits(uint64_t from, uint64_t to)
{
	uint64_t up_to = to == TIME_LINE ? UINT64_MAX : (1ull << to) - 1;

	return up_to & ~((1ull << from) - 1);
}

static uint64_t cached_access(struct time_model *m, struct core *c, const struct event_access *a)
{
	uint64_t done = c->now;
	uint64_t end = a->pa + a->size;

	for (uint64_t at = a->pa, next; at < end; at = next) {
		uint64_t line = at / TIME_LINE;

		next = (line + 1) * TIME_LINE < end ? (line + 1) * TIME_LINE : end;
		if (a->kind == ACCESS_LOAD)
			done = later(done, memory_load(m, c, line));
		else
			memory_store(m, c, line,
				     byte_bits(at % TIME_LINE, next - line * TIME_LINE));
	}
	return done;
}

/* Loads go out together, as many as there is room for; stores are gathered to lines. */
static uint64_t noncacheable_access(struct time_model *m, struct core *c,
				    const struct event_access *a)
{
	if (a->kind == ACCESS_STORE) {
		if ((a->pa + a->size) % TIME_LINE == 0 || a->size > TIME_LINE)
			memory_write(m, c);
		return c->now;
	}
	return memory_load_noncacheable(m, c);
}

static void translate(struct time_model *m, struct core *c, const struct event_access *a)
{
	uint64_t page = a->va >> a->page_shift;
	uint64_t tag = page << 8 | a->page_shift;
	uint64_t *entry;

	if (!a->mmu_on || tag == c->tlb_recent)
		return;
	c->tlb_recent = tag;
	entry = &c->tlb[(page ^ page >> 16) % m->costs.tlb_entries];
	if (*entry == tag)
		return;
	*entry = tag;
	c->counts.walks++;
	c->now += m->costs.walk;
}

static void wait_for_registers(struct time_model *m, struct core *c, const struct event_access *a)
{
	wait_until(c, c->ready[a->base]);
	if (a->kind == ACCESS_STORE && m->costs.in_order)
		wait_until(c, later(c->ready[a->data[0]], c->ready[a->data[1]]));
}

static void registers_arrive(struct core *c, const struct event_access *a, uint64_t done)
{
	c->ready[a->data[0]] = done;
	c->ready[a->data[1]] = done;
	c->ready[EVENT_NO_REGISTER] = 0;
}

void time_access(struct time_model *m, const struct event_access *a)
{
	struct core *c = &m->cores[a->cpu];
	uint64_t done;

	(a->kind == ACCESS_LOAD ? c->counts.loads : c->counts.stores)[a->type]++;
	wait_for_registers(m, c, a);
	translate(m, c, a);
	if (a->type == TYPE_DEVICE) {
		c->now += m->costs.device;
		done = c->now;
	} else if (a->type == TYPE_NONCACHEABLE) {
		done = noncacheable_access(m, c, a);
	} else {
		done = cached_access(m, c, a);
	}
	if (a->kind == ACCESS_LOAD)
		registers_arrive(c, a, done);
}

void time_instructions(struct time_model *m, unsigned int cpu, unsigned int count)
{
	struct core *c = &m->cores[cpu];

	c->counts.instructions += count;
	c->fraction += count * m->costs.instruction;
	c->now += c->fraction / 1024;
	c->fraction %= 1024;
}

/* --- Operations -------------------------------------------------------------------------- */

static void zero_line(struct time_model *m, struct core *c, uint64_t line)
{
	struct cache_line *found = cache_find(&c->caches[L1], line);

	if (found)
		found->dirty = true;
	else
		memory_write_line(m, c, line);
}

static void zero_block(struct time_model *m, struct core *c, const struct event_op *op)
{
	for (uint64_t at = op->pa; at < op->pa + op->size; at += TIME_LINE) {
		if (op->type < TYPE_WRITETHROUGH)
			c->now += m->costs.device;
		else
			zero_line(m, c, at / TIME_LINE);
	}
}

static void flush_tlb(struct time_model *m, const struct event_op *op)
{
	for (unsigned int i = 0; i < m->core_count; i++) {
		if (!op->broadcast && i != op->cpu)
			continue;
		memset(m->cores[i].tlb, 0, m->costs.tlb_entries * sizeof(uint64_t));
		m->cores[i].tlb_recent = 0;
	}
	m->cores[op->cpu].now += m->costs.tlbi;
}

void time_op(struct time_model *m, const struct event_op *op)
{
	struct core *c = &m->cores[op->cpu];

	c->counts.ops[op->kind]++;
	switch (op->kind) {
	case OP_DC_ZVA:
		zero_block(m, c, op);
		return;
	case OP_DC_CVAC:
	case OP_DC_CVAU:
		memory_clean(m, c, op->pa / TIME_LINE, false);
		return;
	case OP_DC_CIVAC:
	case OP_DC_IVAC:
		memory_clean(m, c, op->pa / TIME_LINE, true);
		return;
	case OP_DC_SETWAY:
		c->now += m->costs.clean;
		return;
	case OP_IC_IVAU:
		c->now += m->costs.icache_line;
		return;
	case OP_IC_IALLU:
	case OP_IC_IALLUIS:
		c->now += m->costs.icache_all;
		return;
	case OP_TLBI:
		flush_tlb(m, op);
		return;
	case OP_DSB:
		memory_drain(m, c);
		c->now += m->costs.dsb;
		return;
	case OP_DMB:
		c->now += m->costs.dmb;
		return;
	case OP_ISB:
		c->now += m->costs.isb;
		return;
	case OP_PRFM:
		if (op->type >= TYPE_WRITETHROUGH && op->ram)
			memory_prefetch(m, c, op->pa / TIME_LINE);
		return;
	}
}

/* --- The clock itself -------------------------------------------------------------------- */

uint64_t time_now_ps(const struct time_model *m, unsigned int cpu)
{
	return m->cores[cpu].now;
}

void time_wake(struct time_model *m, unsigned int cpu, uint64_t when)
{
	wait_until(&m->cores[cpu], when);
}

void time_psci(struct time_model *m, unsigned int cpu)
{
	m->cores[cpu].now += m->costs.psci;
}

uint64_t time_start_ps(const struct time_model *m, unsigned int cpu)
{
	return m->cores[cpu].now + m->costs.cpu_on;
}

const struct time_counts *time_counts(const struct time_model *m, unsigned int cpu)
{
	return &m->cores[cpu].counts;
}
