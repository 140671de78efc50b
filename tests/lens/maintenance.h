/* SPDX-License-Identifier: MIT */
/* What cache maintenance does to the lines that it reaches: Arm ARM D7.5.9. */
#ifndef LENS_MAINTENANCE_H
#define LENS_MAINTENANCE_H

#include "coherency.h"

/* DC CVAU, CVAC, CIVAC and IVAC, and IC IVAU. */
void maintenance_by_address(struct coherency *coherency, const struct event_op *op);

/* Taken as if it were a step of a loop over a whole cache, with nothing beyond. */
void maintenance_by_set_way(struct coherency *coherency, const struct event_op *op);

/* DC ZVA, which is a store. */
void maintenance_zero(struct coherency *coherency, const struct event_op *op);

#endif /* LENS_MAINTENANCE_H */
