/* SPDX-License-Identifier: MIT */
/* Callbacks while the guest runs, with what their last argument points to. */
#ifndef LENS_WATCH_H
#define LENS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Is the clock modelled, is anything watched, from the first instruction on; and now? */
bool watch_models_at_once(void);
bool watch_begins_at_once(void);
bool watch_is_on(void);

/* struct site */
void watch_memory(unsigned int cpu, uint32_t info, uint64_t va, void *site);
void watch_bulk(unsigned int cpu, void *site);
void watch_op(unsigned int cpu, void *site);
void watch_marker(unsigned int cpu, void *site);

/* struct block */
void watch_block(unsigned int cpu, void *block);
void watch_fetch(unsigned int cpu, void *block);

/* name of a mark */
void watch_mark(unsigned int cpu, void *name);

/* nothing */
void watch_stale_state(unsigned int cpu, void *unused);
void watch_start(unsigned int cpu, void *unused);
void watch_stop(unsigned int cpu, void *unused);

/* physical address of a kernel */
void watch_kernel(unsigned int cpu, void *pa);

#endif /* LENS_WATCH_H */
