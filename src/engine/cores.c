/* SPDX-License-Identifier: MIT */
#include "cores.h"

#include "console.h"
#include "control.h"
#include "crash.h"
#include "fold.h"
#include "landing.h"
#include "lowlevel.h"
#include "psci.h"
#include "recruit.h"
#include "work.h"

#include "../place/page.h"

#define PATIENCE 4 /* times what the boot core took for its last chunk: others have their last */

/* What the cores do together. */
enum phase { PHASE_MOVE, PHASE_CLEAN };

/* Shared: in .bss, which every core's map has as Normal memory. */
static struct {
	struct work move;
	struct work clean;
	enum phase phase;
	const struct range_set *folded;
	uint64_t linear;
	uint64_t chunks[LANDING_CORES_MAX]; /* that each of the others has done */
} team;

/* The boot core's own. */
static struct {
	struct fdt_cpu cpus[LANDING_CORES_MAX];
	size_t count;
	void *stacks;
	struct recruit recruit;
	struct mover mover;
	struct run cleaned[STAGE_SEGMENTS];
	uint64_t chunk_ticks; /* for the last chunk */
	size_t again;	      /* chunks moved twice */
} boot;

/* What settle has to clean, as work. */
static size_t list_cleaned(const struct stage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct range left = fold_left(&s->payload.segments[i]);

		if (left.start < left.end)
			boot.cleaned[n++] =
				(struct run){0, left.start, left.end - left.start, RUN_ZERO};
	}
	return n;
}

/* bytes: at most of the runs that will be shared. */
static bool init_work(struct stage *s, struct work *w, enum work_kind kind, const struct run *runs,
		      size_t count, uint64_t bytes)
{
	size_t chunks = share_chunks(bytes);

	*w = (struct work){.kind = kind, .runs = runs, .run_count = count, .chunk_count = chunks};
	w->chunks = control_take(s, (chunks + 1) * (sizeof(*w->chunks) + sizeof(*w->done)));
	w->done = (uint8_t *)(w->chunks + chunks);
	return w->chunks;
}

static bool meets(uint64_t page, uint64_t start, uint64_t end)
{
	return page < end && start < page + KX_PAGE_SIZE;
}

/* A page that is mapped already, for something else. */
static bool is_mapped(const struct stage *s, uint64_t page)
{
	uint64_t timing = s->plan.timing;

	return meets(page, s->own.start, s->own.end) ||
	       (timing && meets(page, timing, timing + sizeof(s->timing)));
}

/* Notes the page of a release address, to be mapped. False: it cannot be. */
static bool note_release(struct stage *s, uint64_t page)
{
	struct plan *p = &s->plan;

	for (size_t i = 0; i < p->release_count; i++)
		if (p->release[i] == page)
			return true;
	if (p->release_count == PLAN_RELEASE_PAGES || is_mapped(s, page))
		return false;
	p->release[p->release_count++] = page;
	return true;
}

/* Drops the CPUs that we have no way to start. */
static size_t keep_reachable(struct stage *s, struct fdt_cpu *cpus, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool psci = cpus[i].method == FDT_CPU_PSCI;

		if (psci ? psci_usable() : note_release(s, page_down(cpus[i].release)))
			cpus[kept++] = cpus[i];
	}
	return kept;
}

static size_t find_cpus(struct stage *s)
{
	uint64_t own = sysreg_read(mpidr_el1) & MPIDR_AFFINITY;
	size_t max = s->options.cores - 1;

	if (max > LANDING_CORES_MAX)
		max = LANDING_CORES_MAX;
	return keep_reachable(s, boot.cpus, fdt_cpus_read(s->fdt, own, boot.cpus, max));
}

void cores_plan(struct stage *s)
{
	struct range anywhere = {0, UINT64_MAX};
	struct plan *p = &s->plan;
	size_t cleaned = list_cleaned(s);
	/* Copies by way of the spare page are more, but have an order and are not shared. */
	uint64_t to_move = s->timing.bytes_copied + s->timing.bytes_zeroed;
	uint64_t to_clean = share_bytes(boot.cleaned, cleaned), at;

	/* Without a frequency of the counter nothing could be waited for. */
	if (!s->options.mmu || s->options.cores == 1 || to_move + to_clean < TEAM_BYTES_MIN ||
	    !s->timing.frequency)
		return;
	boot.count = find_cpus(s);
	if (!boot.count || !init_work(s, &team.move, WORK_MOVE, p->runs, p->run_count, to_move) ||
	    !init_work(s, &team.clean, WORK_CLEAN, boot.cleaned, cleaned, to_clean))
		return;
	boot.stacks = control_take(s, boot.count * LANDING_STACK);
	if (!boot.stacks ||
	    !occupancy_find(&p->occupancy, GEOMETRY_PAGE_MAX, GEOMETRY_PAGE_MAX, 0, anywhere, &at))
		return;
	/* Device memory, so a granule of its own. */
	occupancy_take(&p->occupancy, at, at + GEOMETRY_PAGE_MAX);
	p->landing = (struct range){at, at + LANDING_SIZE};
}

static void cut_work(struct work *w, size_t first)
{
	w->next = 0;
	w->chunk_count = share_chunks(share_bytes(w->runs + first, w->run_count - first));
	share_cut(w->runs, first, w->run_count, w->chunks);
	for (size_t i = 0; i < w->chunk_count; i++)
		w->done[i] = 0;
}

void cores_share(struct stage *s, size_t first)
{
	s->plan.ordered = first;
	cut_work(&team.move, first);
	cut_work(&team.clean, 0);
}

void cores_before_switch(struct stage *s)
{
	struct landing *page = (struct landing *)s->plan.landing.start;

	team.phase = PHASE_MOVE;
	team.folded = &s->plan.folded;
	team.linear = s->translation.linear;
	mover_init(&boot.mover, team.folded, team.linear);
	landing_build(page, &s->translation, boot.cpus, boot.count, (uint64_t)boot.stacks);
	recruit_init(&boot.recruit, page, boot.cpus, boot.count);
}

static size_t chunks_left(void)
{
	return work_left(&team.clean) + (team.phase == PHASE_MOVE ? work_left(&team.move) : 0);
}

/* The boot core's share, and others brought in meanwhile. Returns how many chunks it did for
 * others that had claimed them. */
static size_t lead(struct work *w)
{
	recruit_begin(&boot.recruit, chunks_left());
	for (;;) {
		uint64_t start = counter_read();

		if (!work_one(w, &boot.mover))
			break;
		boot.chunk_ticks = counter_read() - start;
		recruit_step(&boot.recruit, chunks_left());
	}
	return work_finish(w, &boot.mover, PATIENCE * boot.chunk_ticks);
}

void cores_move(struct stage *s)
{
	const struct plan *p = &s->plan;

	landing_publish(&p->landing);
	for (size_t i = 0; i < p->ordered; i++) {
		crash_set_run(i);
		mover_move(&boot.mover, &p->runs[i]);
	}
	copier_finish(&boot.mover.copier);
	boot.again = lead(&team.move);
}

static void set_phase(enum phase phase)
{
	__atomic_store_n(&team.phase, phase, __ATOMIC_RELEASE);
	barrier_dsb_sy();
	__asm__ volatile("sev");
}

/* A core's life, from asm/secondary.S and back to it. */
void secondary_main(const struct landing_core *core);
void secondary_main(const struct landing_core *core)
{
	uint64_t *chunks =
		&team.chunks[core - ((struct landing *)page_down((uint64_t)core))->cores];
	struct mover m;

	mover_init(&m, team.folded, team.linear);
	while (work_one(&team.move, &m))
		++*chunks;
	while (__atomic_load_n(&team.phase, __ATOMIC_ACQUIRE) == PHASE_MOVE)
		__asm__ volatile("wfe");
	crash_set_step(STEP_SETTLE);
	barrier_dsb_sy();
	while (work_one(&team.clean, &m))
		++*chunks;
}

/* Where a core that now waits in our page looks for its entry. */
static void tell_kernel(struct stage *s, size_t i)
{
	const struct landing *page = (struct landing *)s->plan.landing.start;

	if (boot.cpus[i].method == FDT_CPU_SPIN_TABLE)
		fdt_cpus_release(s->plan.fdt, boot.cpus[i].id, (uint64_t)&page->cores[i].mailbox);
}

/* Nobody but the boot core is in our image any more, nor ever will be. */
static void dismiss(struct stage *s)
{
	volatile struct landing *page = (struct landing *)s->plan.landing.start;
	bool needed = false;

	page->closed = 1;
	barrier_dsb_sy();
	for (size_t i = 0; i < boot.recruit.next; i++) {
		if (!boot.recruit.started[i])
			continue;
		if (!landing_wait(page, i)) {
			say("warning: CPU 0x%llx was started and is not known to be off",
			    (unsigned long long)boot.cpus[i].id);
			needed = true;
		}
		needed |= boot.cpus[i].method == FDT_CPU_SPIN_TABLE;
		tell_kernel(s, i);
		s->timing.cores += team.chunks[i] != 0;
	}
	if (!needed)
		fdt_cpus_forget(s->plan.fdt, &s->plan.landing);
}

/* Somebody may have stored to what had been cleaned already. */
static void clean_again(const struct stage *s)
{
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct segment g = s->payload.segments[i];
		struct range r;

		g.folded = false;
		r = fold_left(&g);
		if (r.start < r.end)
			cache_clean(r.start + team.linear, r.end + team.linear);
	}
}

void cores_clean(struct stage *s)
{
	set_phase(PHASE_CLEAN);
	lead(&team.clean);
	dismiss(s);
	if (s->options.debug)
		say("settle: %llu cores, %zu of %zu chunks moved twice",
		    (unsigned long long)s->timing.cores, boot.again, team.move.chunk_count);
	if (boot.again)
		clean_again(s);
}
