/* SPDX-License-Identifier: MIT */
/*
 * Step "settle": the cache maintenance that the one we start needs, and no more.
 * docs/cache-policy.md gives the reason for each operation.
 */
#include "cores.h"
#include "lowlevel.h"
#include "stage.h"

#include <arm64/sysreg.h>

static void clean_segments(struct stage *s)
{
	uint64_t linear = s->translation.linear;

	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (!(g->flags & (KX_SEGMENT_EXEC | KX_SEGMENT_POC)))
			continue;
		cache_clean(g->destination + linear, g->destination + linear + g->memory_size);
		s->timing.bytes_cleaned += g->memory_size;
	}
}

static bool executes(const struct stage *s)
{
	for (size_t i = 0; i < s->payload.segment_count; i++)
		if (s->payload.segments[i].flags & KX_SEGMENT_EXEC)
			return true;
	return false;
}

void settle(struct stage *s)
{
	if (s->plan.landing.end)
		cores_clean(s);
	else
		clean_segments(s);
	barrier_dsb_sy();
	if (executes(s))
		cache_invalidate_instructions();
}
