/* SPDX-License-Identifier: MIT */
/*
 * How long memory takes, for the clock (time.c): bandwidth, caches, line buffers, the prefetcher
 * and the gathering of stores. Lines are known by address / TIME_LINE. What is started is not
 * waited for, except where buffers are short: then the core's clock moves.
 */
#ifndef LENS_MEMORY_H
#define LENS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct time_model;

/* When the line arrives. */
uint64_t memory_load(struct time_model *model, struct core *core, uint64_t line);
uint64_t memory_load_noncacheable(struct time_model *model, struct core *core);

/* bytes: those of the line that are stored, one bit each. */
void memory_store(struct time_model *model, struct core *core, uint64_t line, uint64_t bytes);

/* A whole line that need not be read first. */
void memory_write_line(struct time_model *model, struct core *core, uint64_t line);

/* One line's worth, past the caches. */
void memory_write(struct time_model *model, struct core *core);

/* PRFM: in any line buffer there is. */
void memory_prefetch(struct time_model *model, struct core *core, uint64_t line);

/* DC CVAC and the like: a dirty line goes to memory; dropped: it leaves the caches too. */
void memory_clean(struct time_model *model, struct core *core, uint64_t line, bool drop);

/* DSB: until all that was loaded has arrived and all that was stored is written. */
void memory_drain(struct time_model *model, struct core *core);

#endif /* LENS_MEMORY_H */
