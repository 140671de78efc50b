/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "../place/page.h"

void *control_take(struct stage *s, uint64_t size)
{
	struct range anywhere = {0, UINT64_MAX};
	struct plan *p = &s->plan;
	uint64_t at;

	size = page_up(size);
	if (p->control_count == STAGE_CONTROL_RANGES ||
	    !occupancy_find(&p->occupancy, size, KX_PAGE_SIZE, 0, anywhere, &at)) {
		kx_refuse(&s->why, KX_E_NO_ROOM, "no free memory for our own use", 0, size);
		return NULL;
	}
	occupancy_take(&p->occupancy, at, at + size);
	p->control[p->control_count++] = (struct range){at, at + size};
	return (void *)at;
}
