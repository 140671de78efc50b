/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include <stdlib.h>

/* To run something alone. */
enum claim {
	CLAIM_NONE,
	CLAIM_MADE,
	CLAIM_GRANTED,
};

struct cpu {
	enum schedule_state state;
	enum claim claim;
	bool owes; /* a block, while somebody is blocked */
	bool pays; /* runs that block, and has no turn beyond it */
	uint64_t ps;
};

struct schedule {
	unsigned int count;
	struct cpu cpus[];
};

struct schedule *schedule_new(unsigned int cpus)
{
	struct schedule *s = calloc(1, sizeof(*s) + cpus * sizeof(s->cpus[0]));

	if (s)
		s->count = cpus;
	return s;
}

void schedule_free(struct schedule *s)
{
	free(s);
}

enum schedule_state schedule_state(const struct schedule *s, unsigned int cpu)
{
	return s->cpus[cpu].state;
}

static bool any(const struct schedule *s, enum schedule_state state)
{
	for (unsigned int i = 0; i < s->count; i++) {
		if (s->cpus[i].state == state)
			return true;
	}
	return false;
}

static bool any_in_qemu(const struct schedule *s)
{
	return any(s, SCHEDULE_BLOCKED) || any(s, SCHEDULE_RETURNING);
}

/* Of those who wait, or of those of them who owe: the one with the smallest clock. */
static unsigned int slowest(const struct schedule *s, bool owing)
{
	unsigned int found = SCHEDULE_NOBODY;

	for (unsigned int i = 0; i < s->count; i++) {
		const struct cpu *cpu = &s->cpus[i];

		if (cpu->state != SCHEDULE_WAITING || (owing && !cpu->owes))
			continue;
		if (found == SCHEDULE_NOBODY || cpu->ps < s->cpus[found].ps)
			found = i;
	}
	return found;
}

static bool keeps_turn(const struct schedule *s, unsigned int cpu)
{
	unsigned int other = slowest(s, false);

	return s->cpus[cpu].state == SCHEDULE_RUNNING && !s->cpus[cpu].pays &&
	       (other == SCHEDULE_NOBODY ||
		s->cpus[cpu].ps <= s->cpus[other].ps + SCHEDULE_QUANTUM_PS);
}

void schedule_arrive(struct schedule *s, unsigned int cpu, uint64_t ps)
{
	if (s->cpus[cpu].state == SCHEDULE_OUT) /* may have been counted among those to leave */
		s->cpus[cpu].owes = any(s, SCHEDULE_BLOCKED);
	s->cpus[cpu].ps = ps;
	s->cpus[cpu].claim = CLAIM_NONE;
	if (!keeps_turn(s, cpu))
		s->cpus[cpu].state = SCHEDULE_WAITING;
}

void schedule_claim(struct schedule *s, unsigned int cpu)
{
	if (s->cpus[cpu].state == SCHEDULE_RUNNING)
		s->cpus[cpu].claim = CLAIM_MADE;
}

void schedule_block(struct schedule *s, unsigned int cpu)
{
	struct cpu *blocked = &s->cpus[cpu];

	if (blocked->state != SCHEDULE_RUNNING && blocked->state != SCHEDULE_RETURNING)
		return;
	if (blocked->claim == CLAIM_MADE && blocked->state == SCHEDULE_RUNNING && !any_in_qemu(s))
		blocked->claim = CLAIM_GRANTED;
	blocked->state = SCHEDULE_BLOCKED;
	blocked->owes = false;
	blocked->pays = false;
	for (unsigned int i = 0; i < s->count; i++) {
		enum schedule_state state = s->cpus[i].state;

		s->cpus[i].owes = state == SCHEDULE_WAITING || state == SCHEDULE_RETURNING;
	}
}

static bool claims_later(const struct schedule *s, unsigned int cpu, unsigned int other)
{
	const struct cpu *a = &s->cpus[cpu], *b = &s->cpus[other];

	return b->claim == CLAIM_MADE && (a->ps != b->ps ? a->ps < b->ps : cpu < other);
}

bool schedule_may_return(const struct schedule *s, unsigned int cpu)
{
	const struct cpu *blocked = &s->cpus[cpu];

	if (blocked->state != SCHEDULE_BLOCKED || blocked->claim == CLAIM_NONE)
		return true;
	for (unsigned int i = 0; i < s->count; i++) {
		enum schedule_state state = s->cpus[i].state;

		if (i == cpu || state == SCHEDULE_OUT)
			continue;
		if (blocked->claim == CLAIM_GRANTED) {
			if (state != SCHEDULE_BLOCKED)
				return false;
		} else if (state != SCHEDULE_WAITING && !claims_later(s, cpu, i)) {
			return false;
		}
	}
	return true;
}

void schedule_unblock(struct schedule *s, unsigned int cpu)
{
	if (s->cpus[cpu].state != SCHEDULE_BLOCKED)
		return;
	s->cpus[cpu].state = SCHEDULE_RETURNING;
	if (s->cpus[cpu].claim == CLAIM_MADE)
		s->cpus[cpu].claim = CLAIM_GRANTED;
}

void schedule_leave(struct schedule *s, unsigned int cpu)
{
	s->cpus[cpu] = (struct cpu){.state = SCHEDULE_OUT};
}

void schedule_force(struct schedule *s, unsigned int cpu)
{
	s->cpus[cpu].state = SCHEDULE_RUNNING;
}

unsigned int schedule_next(struct schedule *s)
{
	unsigned int next = slowest(s, true);

	if (any(s, SCHEDULE_RUNNING))
		return SCHEDULE_NOBODY;
	if (next == SCHEDULE_NOBODY && !any_in_qemu(s))
		next = slowest(s, false);
	if (next == SCHEDULE_NOBODY)
		return next;
	s->cpus[next].state = SCHEDULE_RUNNING;
	s->cpus[next].pays = s->cpus[next].owes;
	s->cpus[next].owes = false;
	return next;
}
