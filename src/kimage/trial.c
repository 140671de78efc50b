/* SPDX-License-Identifier: MIT */
#include "trial.h"

static unsigned int fastest(const struct trial *t)
{
	unsigned int best = 0;

	for (unsigned int way = 1; way < TRIAL_WAYS; way++)
		if (t->ticks[way] < t->ticks[best])
			best = way;
	return best;
}

/* Goes on to the next way's sample, or to the end. */
static void begin(struct trial *t)
{
	while (t->next < TRIAL_ROUNDS * TRIAL_WAYS) {
		t->way = t->next++ % TRIAL_WAYS;
		t->left = TRIAL_SAMPLE;
		t->spent = 0;
		if (t->ways >> t->way & 1)
			return;
	}
	t->way = fastest(t);
	t->left = 0;
}

void trial_init(struct trial *t, unsigned int ways)
{
	*t = (struct trial){.ways = ways};
	for (unsigned int way = 0; way < TRIAL_WAYS; way++)
		t->ticks[way] = UINT64_MAX;
	begin(t);
}

void trial_ran(struct trial *t, uint64_t bytes, uint64_t ticks)
{
	t->spent += ticks;
	t->left -= bytes;
	if (t->left)
		return;
	if (t->spent < t->ticks[t->way])
		t->ticks[t->way] = t->spent;
	begin(t);
}
