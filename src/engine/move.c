/* SPDX-License-Identifier: MIT */
/*
 * Step "move": the hot path. Runs are executed as the plan ordered them; the number of the one
 * under way is in TPIDR_EL1 for the crash dump.
 */
#include "crash.h"
#include "lowlevel.h"
#include "stage.h"

#include "../place/page.h"

static void move_run(const struct run *run, uint64_t linear)
{
	uint64_t to = run->destination + linear;
	uint64_t end = to + page_up(run->length);

	switch (run->kind) {
	case RUN_IN_PLACE:
		return;
	case RUN_ZERO:
		move_zero(to, end);
		return;
	case RUN_COPY:
		move_copy(to, run->source + linear, run->length);
		if (to + run->length < end)
			move_zero(to + run->length, end);
		return;
	}
}

static void move_cached(const struct stage *s)
{
	const struct plan *p = &s->plan;

	for (size_t i = 0; i < p->run_count; i++) {
		crash_set_run(i);
		move_run(&p->runs[i], s->translation.linear);
	}
}

/* With the MMU off memory is read past the caches: what will be read must be clean first. */
static void move_with_mmu_off(const struct stage *s)
{
	const struct plan *p = &s->plan;
	uint64_t linear = s->translation.linear;

	for (size_t i = 0; i < p->run_count; i++) {
		const struct run *run = &p->runs[i];

		if (run->kind == RUN_COPY)
			cache_clean(run->source + linear, run->source + linear + run->length);
	}
	cache_clean((uint64_t)p->runs, (uint64_t)(p->runs + p->run_count));
	barrier_dsb_sy();
	move_uncached(p->runs, p->run_count);
}

void move(struct stage *s)
{
	const struct translation *t = &s->translation;

	mmu_switch(t->ttbr0, t->ttbr1, t->tcr);
	s->timing.mmu = s->options.mmu;
	if (!s->plan.run_count)
		return;
	if (s->options.mmu)
		move_cached(s);
	else
		move_with_mmu_off(s);
	crash_set_run(0);
}
