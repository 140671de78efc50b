/* SPDX-License-Identifier: MIT */
/*
 * All cores at work. The boot core begins at once, and starts others while it works if that pays
 * (src/kimage/team.h); nobody waits for them. docs/cores.md tells the life of a core.
 */
#ifndef ENGINE_CORES_H
#define ENGINE_CORES_H

#include "stage.h"

/* In plan, once the runs are known: finds out which cores there are, and takes memory for them.
 * s->plan.landing stays empty where one core is enough, or all there is. */
void cores_plan(struct stage *s);

/* In map, for plans with a landing page: runs[first..run_count) can be moved in any order. */
void cores_share(struct stage *s, size_t first);

/* In move and settle, for plans with a landing page. The map is switched in between. */
void cores_before_switch(struct stage *s);
void cores_move(struct stage *s);
void cores_clean(struct stage *s);

#endif /* ENGINE_CORES_H */
