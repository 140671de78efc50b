/* SPDX-License-Identifier: MIT */
/*
 * Putting runs in an order in which each source is read before it is overwritten, for any
 * combination of overlaps, swaps and cycles of pages.
 *
 * Run i must wait for every other run j whose source meets i's destination. Runs are sorted by
 * destination, so the runs that wait for j are one contiguous stretch of the array and no edge is
 * ever stored. What can be emitted is (Kahn's algorithm); runs that are left wait for each other in
 * a circle and are split into single pages, where each circle is a simple cycle: one page of it is
 * saved in a spare page, which frees the rest.
 * A run that overlaps itself is split where a forward copy would overtake its source.
 */
#ifndef KIMAGE_ORDER_H
#define KIMAGE_ORDER_H

#include <kexpress/error.h>
#include <stddef.h>

#include "run.h"

/* Bytes of working memory, 8-byte aligned, that order_runs needs for runs that together have pages
 * destination pages, those in place included. */
size_t order_work_size(uint64_t pages);

/* The most runs that order_runs can produce from runs of together pages pages. */
size_t order_max(uint64_t pages);

/*
 * Checks runs[0..*count), sorts them by destination, drops the empty ones and merges neighbours.
 * *ordered receives whether they can be executed one after the other as they are then, because
 * nothing that is written is also read: so it is with most lists, and order_runs is not needed.
 * Errors: as order_runs.
 */
enum kx_error order_check(struct run *runs, size_t *count, bool *ordered, void *work,
			  size_t work_size, struct kx_refusal *why);

/*
 * Orders runs[0..count). runs is sorted by destination in passing, empty runs are dropped and
 * neighbours merged. out, of out_max runs, receives the ordered runs; executing them one after the
 * other, each forward and in whole, gives each destination page what its source held before the
 * first. A copy in out whose source meets its own destination pages goes at least a page down, or
 * nowhere. RUN_IN_PLACE runs come first: nothing is to be done for them. spare is the physical
 * address of one free page, which some runs in out write and read. Sources of copies that take part
 * in circles must be 4 KiB aligned, as in any entry list. Errors: DEST_TWICE if two destinations
 * overlap; ALIGN if a destination is not 4 KiB aligned, or a circle has a source that is not;
 * DEST_RANGE, SOURCE_RANGE if a run goes beyond the last address; NO_ROOM if out or work is too
 * small. out is then undefined.
 */
enum kx_error order_runs(struct run *runs, size_t count, uint64_t spare, struct run *out,
			 size_t out_max, size_t *out_count, void *work, size_t work_size,
			 struct kx_refusal *why);

#endif /* KIMAGE_ORDER_H */
