/* SPDX-License-Identifier: MIT */
#include "work.h"

#include "../place/page.h"

#include "crash.h"
#include "lowlevel.h"

void work_move(const struct run *run, uint64_t linear)
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

static void clean(const struct run *run, uint64_t linear)
{
	cache_clean(run->destination + linear, run->destination + linear + run->length);
}

/* What was asked for is complete after a DSB of this core: secondary_leave has one, and settle. */
static void do_chunk(struct work *w, size_t i)
{
	struct share_reader r = share_open(w->runs, w->run_count, w->chunks[i]);
	struct run piece;

	while (share_next(&r, &piece)) {
		crash_set_run(r.at.run);
		if (w->kind == WORK_MOVE)
			work_move(&piece, w->linear);
		else
			clean(&piece, w->linear);
	}
	__atomic_store_n(&w->done[i], 1, __ATOMIC_RELEASE);
}

bool work_one(struct work *w)
{
	size_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);

	if (i >= w->chunk_count)
		return false;
	do_chunk(w, i);
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

size_t work_finish(struct work *w, uint64_t patience)
{
	uint64_t deadline = counter_read() + patience;
	size_t again = 0;

	for (size_t i = 0; i < w->chunk_count; i++) {
		if (wait_done(w, i, deadline))
			continue;
		do_chunk(w, i);
		again++;
	}
	return again;
}
