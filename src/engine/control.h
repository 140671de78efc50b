/* SPDX-License-Identifier: MIT */
/*
 * Control memory: what is ours during the move beside our image. It is taken from RAM that is
 * neither source nor destination nor reserved. What is taken before the tables are counted is
 * identity-mapped during the move; the tables are not, nobody but the walker reads them.
 */
#ifndef ENGINE_CONTROL_H
#define ENGINE_CONTROL_H

#include "stage.h"

/* Takes size bytes, page-aligned, not zeroed. NULL, with s->why filled in, if there is no room. */
void *control_take(struct stage *s, uint64_t size);

#endif /* ENGINE_CONTROL_H */
