/* SPDX-License-Identifier: MIT */
/* The hand-off block, as it is read. */
#ifndef ENGINE_HANDOFF_H
#define ENGINE_HANDOFF_H

#include "stage.h"

/* Checks the block itself, before anything in it is used: that all of it is there, and known to
 * us. Errors: HANDOFF. */
enum kx_error handoff_check(struct stage *s);

/* Adds its ranges, where it has some: RAM, and what of it to avoid. Errors: HANDOFF, RANGES. */
enum kx_error handoff_add_ram(struct stage *s);
enum kx_error handoff_add_avoid(struct stage *s);

#endif /* ENGINE_HANDOFF_H */
