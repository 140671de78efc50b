/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_GIC_QUIESCE_H
#define ENGINE_GIC_QUIESCE_H

#include "stage.h"

/* Finds in the tree what is quiesced later; what lies in RAM is no register. */
void gic_find(struct stage *s);

/*
 * Ends the LPIs that a kernel before us has left enabled: ITSs translate no more, redistributors
 * neither read nor write tables in memory that is about to have another use. Writes nothing where
 * they are off, as after a boot. Under the map of discover, and when nobody can be returned to.
 */
void gic_quiesce(const struct stage *s);

#endif /* ENGINE_GIC_QUIESCE_H */
