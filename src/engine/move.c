/* SPDX-License-Identifier: MIT */
/*
 * Step "move": the hot path. Runs are executed as the plan ordered them; the number of the one
 * under way is in TPIDR_EL1 for the crash dump. With a landing page all cores share them (cores.h).
 */
#include "cores.h"
#include "crash.h"
#include "lowlevel.h"
#include "stage.h"
#include "work.h"

static void move_cached(const struct stage *s)
{
	const struct plan *p = &s->plan;
	struct mover m;

	mover_init(&m, &p->folded, s->translation.linear);
	for (size_t i = 0; i < p->run_count; i++) {
		crash_set_run(i);
		mover_move(&m, &p->runs[i]);
	}
	copier_finish(&m.copier);
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
	bool shared = s->plan.landing.end;

	if (shared)
		cores_before_switch(s);
	mmu_switch(t->ttbr0, t->ttbr1, t->tcr);
	s->timing.mmu = s->options.mmu;
	if (!s->plan.run_count && !shared)
		return;
	if (shared)
		cores_move(s);
	else if (s->options.mmu)
		move_cached(s);
	else
		move_with_mmu_off(s);
	crash_set_run(0);
}
