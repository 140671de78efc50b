/* SPDX-License-Identifier: MIT */
/*
 * Step "hand over": the timing record, and the state that the arm64 boot protocol wants
 * (docs/handover.md). Everything before the jump still runs with the MMU and the caches on.
 */
#include "console.h"
#include "el1.h"
#include "lowlevel.h"
#include "stage.h"

#include "../payload/fdt_fixup.h"

#include <arm64/sysreg.h>
#include <libfdt.h>

static void say_timing(const struct kx_timing *t)
{
	say("timing"
#define TIMING_FORMAT(member, property) " " #member "=%llu"
	    KX_TIMING_FIELDS(TIMING_FORMAT)
#undef TIMING_FORMAT
#define TIMING_VALUE(member, property) , (unsigned long long)t->member
		    KX_TIMING_FIELDS(TIMING_VALUE)
#undef TIMING_VALUE
	);
}

static void leave_timing(struct stage *s)
{
	struct plan *p = &s->plan;

	if (p->fdt) {
		s->timing.bytes_cleaned += fdt_totalsize(p->fdt);
		fdt_fixup_timing(p->fdt, &s->timing);
		cache_clean((uint64_t)p->fdt, (uint64_t)p->fdt + fdt_totalsize(p->fdt));
	}
	if (p->timing) {
		*(struct kx_timing *)p->timing = s->timing;
		cache_clean(p->timing, p->timing + sizeof(s->timing));
	}
	/* Where we move ourselves, what was found on entry is read with the MMU off. */
	if (!p->fdt)
		cache_clean((uint64_t)s->entry, (uint64_t)(s->entry + 1));
	barrier_dsb_sy();
}

void hand_over(struct stage *s)
{
	const struct jump *j = &s->plan.jump;

	leave_timing(s);
	if (s->plan.fdt)
		say_timing(&s->timing);
	if (j->el == current_el())
		jump(j->x[0], j->x[1], j->x[2], j->x[3], j->entry);
	el1_prepare();
	jump_el1(j->x[0], j->x[1], j->x[2], j->x[3], j->entry);
}
