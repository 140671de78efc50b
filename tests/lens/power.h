/* SPDX-License-Identifier: MIT */
/*
 * CPUs that come and go: by PSCI, which QEMU itself is the firmware of, and to sleep. The host's
 * threads do both when they get to it; here it happens at a modelled time. A CPU that starts
 * another one is held until that one is there, and one that goes off has the turn until it is off,
 * so that AFFINITY_INFO says the same on every run.
 *
 * A CPU that sleeps is woken at the host's pace.
 */
#ifndef LENS_POWER_H
#define LENS_POWER_H

/* A callback: SMC or HVC. */
void power_call(unsigned int cpu, void *unused);

/* It has returned: at a block's start, in a callback that may read registers. */
void power_return(unsigned int cpu);

/* A CPU that was off executes. */
void power_begin(unsigned int cpu);

/* A CPU executes nothing; it may again. */
void power_idle(unsigned int cpu);
void power_resume(unsigned int cpu);

#endif /* LENS_POWER_H */
