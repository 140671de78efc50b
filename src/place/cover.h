/* SPDX-License-Identifier: MIT */
/* Which memory is read and which is written: sets of ranges made disjoint. */
#ifndef PLACE_COVER_H
#define PLACE_COVER_H

#include "range.h"

/* Sorts count ranges by start and merges those that overlap or touch. Returns how many are left.
 * scratch has room for as many. */
size_t cover_normalise(struct range *ranges, size_t count, struct range *scratch);

/* Writes to out the parts of a that are not in b, both normalised; out has room for a_count +
 * b_count ranges. Returns how many there are. */
size_t cover_subtract(const struct range *a, size_t a_count, const struct range *b, size_t b_count,
		      struct range *out);

#endif /* PLACE_COVER_H */
