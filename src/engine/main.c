/* SPDX-License-Identifier: MIT */
/* The boot, in order. docs/boot.md walks the same steps. */
#include <arm64/sysreg.h>

#include "console.h"
#include "crash.h"
#include "fail.h"
#include "gic_quiesce.h"
#include "sources.h"
#include "stage.h"

static struct stage stage;

/* Accounts the time since the last mark to *ticks. */
static void mark(struct stage *s, uint64_t *ticks)
{
	uint64_t now = counter_read();

	*ticks += now - s->marked;
	s->marked = now;
}

static enum kx_error step_discover(struct stage *s)
{
	enum kx_error error;

	crash_set_step(STEP_DISCOVER);
	error = discover(s);
	if (!error)
		error = sources_find(s);
	mark(s, &s->timing.discover);
	return error;
}

/* Everything between a payload's configuration and the point of no return. */
static enum kx_error prepare(struct stage *s)
{
	enum kx_error error;

	crash_set_step(STEP_OPEN);
	error = open_payload(s);
	mark(s, &s->timing.open);
	if (error)
		return error;
	crash_set_step(STEP_PLAN);
	error = plan(s);
	mark(s, &s->timing.plan);
	if (error)
		return error;
	crash_set_step(STEP_MAP);
	error = map(s);
	mark(s, &s->timing.map);
	return error;
}

/* After a refusal: the next configuration, or that of the next source. False: there is none. */
static bool try_next(struct stage *s)
{
	if (s->config + 1 < s->config_count) {
		fail_say(s);
		s->config++;
		say("trying configuration %zu of %zu", s->config + 1, s->config_count);
		return true;
	}
	if (s->source + 1 < s->source_count) {
		fail_say(s);
		s->source++;
		s->config = 0;
		s->config_count = 1;
		say("trying %s", s->sources[s->source].name);
		return true;
	}
	return false;
}

/* From here on nothing fails. */
static void execute(struct stage *s) __attribute__((noreturn));
static void execute(struct stage *s)
{
	crash_set_step(STEP_MOVE);
	gic_quiesce(s);
	move(s);
	mark(s, &s->timing.move);
	crash_set_step(STEP_SETTLE);
	settle(s);
	mark(s, &s->timing.settle);
	crash_set_step(STEP_HAND_OVER);
	hand_over(s);
}

void stage_main(const struct entry_state *entry)
{
	struct stage *s = &stage;

	s->entry = entry;
	s->timing.version = KX_TIMING_VERSION;
	s->timing.frequency = sysreg_read(cntfrq_el0);
	s->timing.entered = entry->counter;
	s->timing.boot_el = entry->el;
	s->timing.cores = 1;
	s->marked = entry->counter;
	mark(s, &s->timing.enter);

	if (step_discover(s))
		fail(s);
	while (prepare(s))
		if (!try_next(s))
			fail(s);
	execute(s);
}
