/* SPDX-License-Identifier: MIT */
/*
 * Starting cores while the boot core works: called between two chunks of its own, never waits. In
 * rounds, each of as many cores as are at work, while team_grows() says so.
 */
#ifndef ENGINE_RECRUIT_H
#define ENGINE_RECRUIT_H

#include "../kimage/team.h"
#include "landing.h"

enum recruit_state { RECRUIT_MEASURE, RECRUIT_START, RECRUIT_WAIT, RECRUIT_ENOUGH };

struct recruit {
	volatile struct landing *page;
	const struct fdt_cpu *cpus;
	size_t count;
	bool started[LANDING_CORES_MAX];
	enum recruit_state state;
	struct team team;
	size_t first;	  /* CPU that this round began with */
	size_t next;	  /* CPU to be started next */
	size_t missing;	  /* CPUs that this round still wants */
	uint64_t since;	  /* start of the measurement, or of the round */
	size_t left_then; /* chunks left when the measurement began */
};

/* None but the boot core is at work. */
void recruit_init(struct recruit *r, volatile struct landing *page, const struct fdt_cpu *cpus,
		  size_t count);

/* Work of another kind begins, of so many chunks: what was measured does not count for it. */
void recruit_begin(struct recruit *r, size_t chunks_left);

/* One step, when so many chunks are left. */
void recruit_step(struct recruit *r, size_t chunks_left);

#endif /* ENGINE_RECRUIT_H */
