// SPDX-License-Identifier: MIT
#include "barriers.h"

static void advance(struct barriers_clock *clock, uint64_t time, enum event_domain domain)
{
	clock->local = time;
	if (domain != DOMAIN_NONSHAREABLE)
		clock->shared = time;
}

void barriers_dsb(struct barriers *barriers, const struct event_op *op)
{
	struct barriers_cpu *cpu = &barriers->cpu[op->cpu];

	if (op->order == ORDER_LOADS)
		return;
	barriers->now++;
	cpu->ordered = barriers->now;
	advance(&cpu->stores, barriers->now, op->domain);
	if (op->order == ORDER_ALL)
		advance(&cpu->all, barriers->now, op->domain);
}

void barriers_dmb(struct barriers *barriers, const struct event_op *op)
{
	if (op->order != ORDER_LOADS)
		barriers->cpu[op->cpu].ordered = ++barriers->now;
}

static bool after(const struct barriers_clock *clock, bool local, uint64_t time)
{
	return (local ? clock->local : clock->shared) > time;
}

bool barriers_completed(const struct barriers *barriers, unsigned int observer,
			struct barriers_step step)
{
	const struct barriers_cpu *cpu = &barriers->cpu[step.cpu];

	return after(step.maintenance ? &cpu->all : &cpu->stores, observer == step.cpu, step.time);
}

enum barriers_state barriers_executable(const struct barriers *barriers, unsigned int observer,
					struct barriers_step step)
{
	const struct barriers_cpu *cpu = &barriers->cpu[observer];
	uint64_t synced = step.maintenance ? cpu->synced_all : cpu->synced_stores;

	if (!barriers_completed(barriers, observer, step))
		return BARRIERS_INCOMPLETE;
	return observer == step.cpu && synced <= step.time ? BARRIERS_NO_ISB : BARRIERS_DONE;
}

static struct barriers_step step_of(const struct barriers_icache *icache)
{
	return (struct barriers_step){icache->by, icache->time, true};
}

static void settle(struct barriers *barriers, unsigned int observer)
{
	struct barriers_cpu *cpu = &barriers->cpu[observer];

	if (barriers_executable(barriers, observer, step_of(&cpu->latest)) == BARRIERS_DONE)
		cpu->settled = cpu->latest;
}

void barriers_isb(struct barriers *barriers, unsigned int cpu)
{
	barriers->cpu[cpu].isb = ++barriers->now;
	barriers->cpu[cpu].synced_all = barriers->cpu[cpu].all.local;
	barriers->cpu[cpu].synced_stores = barriers->cpu[cpu].stores.local;
	settle(barriers, cpu);
}

void barriers_ic_all(struct barriers *barriers, unsigned int by, bool broadcast)
{
	barriers->now++;
	for (unsigned int i = 0; i < barriers->cpus; i++) {
		struct barriers_icache *latest = &barriers->cpu[i].latest;

		if (i != by && !broadcast)
			continue;
		settle(barriers, i);
		latest->by = by;
		latest->time = barriers->now;
		for (unsigned int j = 0; j < barriers->cpus; j++) {
			latest->all[j] = barriers->cpu[j].all;
			latest->stores[j] = barriers->cpu[j].stores;
		}
	}
}

/* Did the invalidation come after the step was completed? */
static bool covers(const struct barriers_icache *icache, struct barriers_step step)
{
	const struct barriers_clock *before = step.maintenance ? icache->all : icache->stores;

	return after(&before[step.cpu], icache->by == step.cpu, step.time);
}

enum barriers_state barriers_icache_state(const struct barriers *barriers, unsigned int observer,
					  struct barriers_step step)
{
	const struct barriers_cpu *cpu = &barriers->cpu[observer];

	if (covers(&cpu->settled, step))
		return BARRIERS_DONE;
	if (!covers(&cpu->latest, step))
		return BARRIERS_NOT_ISSUED;
	return barriers_executable(barriers, observer, step_of(&cpu->latest));
}

bool barriers_ordered(const struct barriers *barriers, struct barriers_step step)
{
	return barriers->cpu[step.cpu].ordered > step.time;
}

bool barriers_synchronised(const struct barriers *barriers, struct barriers_step step)
{
	return barriers->cpu[step.cpu].isb > step.time;
}
