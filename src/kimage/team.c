/* SPDX-License-Identifier: MIT */
#include "team.h"

#define WINDOW_CHUNKS 4	 /* a core */
#define WORTH	      10 /* times the cost of a core must be left to do */

/* Twice the cores must do at least 5/4 of the chunks in the same time. A core that brings less only
 * takes bandwidth from the others, and has to be waited for in the end. */
#define GROWTH_NUMERATOR   5
#define GROWTH_DENOMINATOR 4

size_t team_window(const struct team *t)
{
	return (size_t)WINDOW_CHUNKS * t->cores;
}

static bool has_grown(const struct team *t)
{
	uint64_t now = (uint64_t)t->window_chunks * t->before_ticks;
	uint64_t before = (uint64_t)t->before_chunks * t->window_ticks;

	return !t->before_chunks || now * GROWTH_DENOMINATOR >= before * GROWTH_NUMERATOR;
}

bool team_grows(const struct team *t)
{
	uint64_t left;

	if (t->cores >= t->max || !t->window_chunks)
		return false;
	left = t->window_ticks * t->chunks_left / t->window_chunks;
	return left > WORTH * t->cost && has_grown(t);
}
