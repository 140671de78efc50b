/* SPDX-License-Identifier: MIT */
/* The other CPUs: each must be to be had, as a kernel has them. */
#ifndef PROBE_CPUS_H
#define PROBE_CPUS_H

/* Offsets in the answer of a CPU. */
#define ANSWER_ID  0
#define ANSWER_EL  8
#define ANSWER_E2H 16 /* HCR_EL2.E2H, at EL2 */
#define ANSWER_HVC 24 /* for it: how PSCI is called */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* Starts one after the other and tells what came of it. */
void cpus_call(const void *fdt, bool hvc);

/* cpu_entry.S */
void cpus_entry(void) __attribute__((visibility("hidden")));
#endif

#endif /* PROBE_CPUS_H */
