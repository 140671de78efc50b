/* SPDX-License-Identifier: MIT */
/*
 * Holds the threads of CPUs until schedule.c says that it is their turn; with one CPU, never. All
 * inside lens_enter() and lens_leave().
 *
 * Nobody waits for ever: a CPU that has waited for long while all of QEMU slept goes on
 * out of turn. This is counted as a stall, and the run may be no other one's equal.
 */
#ifndef LENS_TURN_H
#define LENS_TURN_H

#include <stdbool.h>
#include <stdint.h>

void turn_set_up(void);

/* A CPU, on its thread, is at the beginning of a block: returns when it may execute it. */
void turn_take(unsigned int cpu);

/* The block that a CPU executes makes QEMU run something alone. */
void turn_claim(unsigned int cpu);

/* A CPU is off or asleep. */
void turn_leave(unsigned int cpu);

/* Time is no longer modelled. */
void turn_end(void);

/* Who has the turn keeps it until another CPU, which sets this, has arrived. */
void turn_await(const bool *arrived);

uint64_t turn_stalls(void);

#endif /* LENS_TURN_H */
