/* SPDX-License-Identifier: MIT */
/*
 * What QEMU takes for CLOCK_MONOTONIC, and with it the guest's generic timer. The plugin's file is
 * preloaded too, and its clock_gettime() takes the place of libc's.
 *
 * While the clock is modelled, a thread that runs a CPU gets the time of that CPU, every other one
 * that of the CPU that is furthest. Otherwise time goes on as the host's does, from where the
 * model left it.
 */
#ifndef LENS_CLOCK_H
#define LENS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Modelled nanoseconds of a CPU, or the latest of any. */
#define CLOCK_ANY_CPU UINT32_MAX
typedef uint64_t (*clock_source)(unsigned int cpu);

/* Is this file preloaded? Else the guest sees the host's time. */
bool clock_is_preloaded(void);

void clock_set_source(clock_source source);
void clock_set_thread(unsigned int cpu);

/* Switches between the host's pace and the model's; time itself never jumps. */
void clock_model(bool on);

#endif /* LENS_CLOCK_H */
