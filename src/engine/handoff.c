/* SPDX-License-Identifier: MIT */
#include "handoff.h"

#include "../place/page.h"

#define KNOWN_FLAGS                                                               \
	((uint32_t)(KX_HANDOFF_MMU_OFF | KX_HANDOFF_DEBUG | KX_HANDOFF_PSCI_SMC | \
		    KX_HANDOFF_PSCI_HVC))

static enum kx_error refuse(struct stage *s, const char *what)
{
	return kx_refuse(&s->why, KX_E_HANDOFF, what, (uint64_t)s->handoff,
			 (uint64_t)s->handoff + s->handoff->size);
}

/* No sum wraps: the counts have been limited. */
static uint64_t size_of(const struct kx_handoff *h)
{
	return sizeof(*h) + h->segment_count * sizeof(struct kx_segment) +
	       ((uint64_t)h->ram_count + h->avoid_count) * sizeof(struct kx_range);
}

enum kx_error handoff_check(struct stage *s)
{
	const uint32_t conduits = KX_HANDOFF_PSCI_SMC | KX_HANDOFF_PSCI_HVC;
	const struct kx_handoff *h = s->handoff;

	if (h->version != KX_HANDOFF_VERSION)
		return refuse(s, "hand-off version not known");
	if (!h->segment_count || h->segment_count > KX_HANDOFF_SEGMENTS ||
	    (uint64_t)h->ram_count + h->avoid_count > KX_HANDOFF_RANGES || h->size != size_of(h))
		return refuse(s, "hand-off size does not fit what it counts");
	if (h->flags & ~KNOWN_FLAGS || (h->flags & conduits) == conduits || h->reserved)
		return refuse(s, "hand-off has flags that are not known");
	if (h->keep_start > h->keep_end)
		return refuse(s, "hand-off keeps a range that ends before it starts");
	return KX_OK;
}

static enum kx_error add(struct stage *s, struct range_set *set, uint32_t first, uint32_t count)
{
	const struct kx_handoff *h = s->handoff;
	const struct kx_range *ranges =
		(const struct kx_range *)&h->segments[h->segment_count] + first;

	for (uint32_t i = 0; i < count; i++) {
		struct kx_range r = ranges[i];

		if (r.start >= r.end || page_down(r.start) != r.start || page_down(r.end) != r.end)
			return kx_refuse(&s->why, KX_E_HANDOFF, "range empty, or of no whole pages",
					 r.start, r.end);
		if (!range_set_add(set, r.start, r.end))
			return kx_refuse(&s->why, KX_E_RANGES, "more ranges than can be noted",
					 r.start, r.end);
	}
	return KX_OK;
}

enum kx_error handoff_add_ram(struct stage *s)
{
	return add(s, &s->ram, 0, s->handoff->ram_count);
}

enum kx_error handoff_add_avoid(struct stage *s)
{
	return add(s, &s->reserved, s->handoff->ram_count, s->handoff->avoid_count);
}
