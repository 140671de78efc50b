/* SPDX-License-Identifier: MIT */
/*
 * Step "settle": the cache maintenance that the one we start needs, and no more.
 * docs/cache-policy.md gives the reason for each operation.
 */
#include "cores.h"
#include "fold.h"
#include "lowlevel.h"
#include "stage.h"

#include <arm64/sysreg.h>

static void clean_segments(const struct stage *s)
{
	uint64_t linear = s->translation.linear;

	for (size_t i = 0; i < s->payload.segment_count; i++) {
		struct range left = fold_left(&s->payload.segments[i]);

		if (left.start < left.end)
			cache_clean(left.start + linear, left.end + linear);
	}
}

static void count_cleaned(struct stage *s)
{
	for (size_t i = 0; i < s->payload.segment_count; i++)
		if (segment_is_cleaned(&s->payload.segments[i]))
			s->timing.bytes_cleaned += s->payload.segments[i].memory_size;
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
	count_cleaned(s);
	barrier_dsb_sy();
	if (executes(s))
		cache_invalidate_instructions();
}
