/* SPDX-License-Identifier: MIT */
/* The other CPUs: each must be to be had, as a kernel has them. */
#ifndef PROBE_CPUS_H
#define PROBE_CPUS_H

/* Offsets in the answer of a CPU. */
#define ANSWER_ID  0
#define ANSWER_EL  8
#define ANSWER_E2H 16 /* HCR_EL2.E2H, at EL2 */
#define ANSWER_WAY 24 /* for it: how it goes */

/* How PSCI is called, if there is one. */
#define WAY_NONE 0
#define WAY_HVC	 1
#define WAY_SMC	 2

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Starts one after the other and tells what came of it. */
void cpus_call(const void *fdt, uint64_t way);

/* cpu_entry.S */
void cpus_entry(void) __attribute__((visibility("hidden")));
#endif

#endif /* PROBE_CPUS_H */
