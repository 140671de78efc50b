/* SPDX-License-Identifier: MIT */
#include "work.h"

#include "../place/page.h"

#include "crash.h"
#include "lowlevel.h"

void mover_init(struct mover *m, const struct range_set *folded, uint64_t linear)
{
	copier_init(&m->copier);
	m->folded = folded;
	m->linear = linear;
}

/* Where [at, end) begins to be treated otherwise than at its start. */
static uint64_t next_boundary(const struct mover *m, uint64_t at, uint64_t end, bool *clean)
{
	size_t i = range_set_first(m->folded, at);
	const struct range *r = &m->folded->ranges[i];
	uint64_t boundary;

	*clean = false;
	if (i == m->folded->count)
		return end;
	*clean = r->start <= at;
	boundary = *clean ? r->end : r->start;
	return boundary < end ? boundary : end;
}

/* Returns whether the end of the run is cleaned. */
static bool copy_run(struct mover *m, const struct run *run)
{
	uint64_t end = run->destination + run->length, next;
	bool clean = false;

	for (uint64_t at = run->destination; at < end; at = next) {
		next = next_boundary(m, at, end, &clean);
		copier_copy(&m->copier, at + m->linear,
			    run->source + (at - run->destination) + m->linear, next - at, clean);
	}
	return clean;
}

void mover_move(struct mover *m, const struct run *run)
{
	uint64_t to = run->destination + m->linear;
	uint64_t end = to + page_up(run->length);
	bool clean;

	switch (run->kind) {
	case RUN_IN_PLACE:
		return;
	case RUN_ZERO:
		move_zero(to, end);
		return;
	case RUN_COPY:
		clean = copy_run(m, run);
		to += run->length;
		if (to == end)
			return;
		move_zero(to, end);
		if (clean)
			cache_clean(to, end);
		return;
	}
}

static void clean(const struct run *run, uint64_t linear)
{
	cache_clean(run->destination + linear, run->destination + linear + run->length);
}

/* What was asked for is complete after a DSB of this core: secondary_leave has one, and settle. */
static void do_chunk(struct work *w, struct mover *m, size_t i)
{
	struct share_reader r = share_open(w->runs, w->run_count, w->chunks[i]);
	struct run piece;

	while (share_next(&r, &piece)) {
		crash_set_run(r.at.run);
		if (w->kind == WORK_MOVE)
			mover_move(m, &piece);
		else
			clean(&piece, m->linear);
	}
	copier_finish(&m->copier);
	__atomic_store_n(&w->done[i], 1, __ATOMIC_RELEASE);
}

bool work_one(struct work *w, struct mover *m)
{
	size_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);

	if (i >= w->chunk_count)
		return false;
	do_chunk(w, m, i);
	return true;
}

size_t work_left(struct work *w)
{
	size_t next = __atomic_load_n(&w->next, __ATOMIC_RELAXED);

	return next < w->chunk_count ? w->chunk_count - next : 0;
}

static bool wait_done(struct work *w, size_t i, uint64_t deadline)
{
	while (!__atomic_load_n(&w->done[i], __ATOMIC_ACQUIRE))
		if (counter_read() >= deadline)
			return false;
	return true;
}

size_t work_finish(struct work *w, struct mover *m, uint64_t patience)
{
	uint64_t deadline = counter_read() + patience;
	size_t again = 0;

	for (size_t i = 0; i < w->chunk_count; i++) {
		if (wait_done(w, i, deadline))
			continue;
		do_chunk(w, m, i);
		again++;
	}
	return again;
}
