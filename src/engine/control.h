/* SPDX-License-Identifier: MIT */
/*
 * Control memory: what is ours during the move beside our image. It is taken from RAM that is
 * neither source nor destination nor reserved, and is identity-mapped by the step "map".
 */
#ifndef ENGINE_CONTROL_H
#define ENGINE_CONTROL_H

#include "stage.h"

/* Takes size bytes, page-aligned, not zeroed. NULL, with s->why filled in, if there is no room. */
void *control_take(struct stage *s, uint64_t size);

#endif /* ENGINE_CONTROL_H */
