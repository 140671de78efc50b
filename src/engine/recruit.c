/* SPDX-License-Identifier: MIT */
#include "recruit.h"

#include <arm64/sysreg.h>

#define COST_ASSUMED 10000 /* 1/s: a core's start until one has been measured */
#define PATIENCE     100   /* 1/s: a core that has not come by then does not count */

void recruit_init(struct recruit *r, volatile struct landing *page, const struct fdt_cpu *cpus,
		  size_t count)
{
	*r = (struct recruit){
		.page = page,
		.cpus = cpus,
		.count = count,
		.team = {.cores = 1, .cost = sysreg_read(cntfrq_el0) / COST_ASSUMED},
	};
}

static void start_measuring(struct recruit *r, size_t chunks_left)
{
	r->state = RECRUIT_MEASURE;
	r->since = counter_read();
	r->left_then = chunks_left;
}

void recruit_begin(struct recruit *r, size_t chunks_left)
{
	r->team.before_chunks = 0;
	start_measuring(r, chunks_left);
}

static void measure(struct recruit *r, size_t chunks_left)
{
	struct team *t = &r->team;
	size_t done = r->left_then - chunks_left;

	if (done < team_window(t))
		return;
	t->window_ticks = counter_read() - r->since;
	t->window_chunks = done;
	t->chunks_left = chunks_left;
	t->max = t->cores + (unsigned int)(r->count - r->next);
	if (!team_grows(t)) {
		r->state = RECRUIT_ENOUGH;
		return;
	}
	t->before_ticks = t->window_ticks;
	t->before_chunks = t->window_chunks;
	r->first = r->next;
	r->missing = t->cores;
	r->since = counter_read();
	r->state = RECRUIT_START;
}

/* The next one that firmware starts. */
static void start_one(struct recruit *r)
{
	while (r->next < r->count) {
		size_t i = r->next++;

		r->started[i] = landing_start(r->page, i, &r->cpus[i]);
		if (r->started[i]) {
			r->missing--;
			break;
		}
	}
	if (!r->missing || r->next == r->count)
		r->state = RECRUIT_WAIT;
}

/* Cores that were started in this round, by state. */
static size_t count_state(const struct recruit *r, uint64_t state)
{
	size_t n = 0;

	for (size_t i = r->first; i < r->next; i++)
		n += r->started[i] && r->page->cores[i].state == state;
	return n;
}

static void wait(struct recruit *r, size_t chunks_left)
{
	uint64_t ticks = counter_read() - r->since;
	size_t arrived = count_state(r, LANDING_ARRIVED);
	struct team *t = &r->team;

	if (count_state(r, LANDING_AWAY)) {
		if (ticks < sysreg_read(cntfrq_el0) / PATIENCE)
			return;
	} else if (ticks > t->cost) {
		t->cost = ticks;
	}
	/* A core that leaves while there is work is of no use, and others would be of none: it has
	 * another exception level than we have, or has crashed. */
	if (count_state(r, LANDING_GONE)) {
		r->state = RECRUIT_ENOUGH;
		return;
	}
	if (!arrived)
		t->before_chunks = 0;
	t->cores += (unsigned int)arrived;
	start_measuring(r, chunks_left);
}

void recruit_step(struct recruit *r, size_t chunks_left)
{
	switch (r->state) {
	case RECRUIT_MEASURE:
		measure(r, chunks_left);
		return;
	case RECRUIT_START:
		start_one(r);
		return;
	case RECRUIT_WAIT:
		wait(r, chunks_left);
		return;
	case RECRUIT_ENOUGH:
		return;
	}
}
