/* SPDX-License-Identifier: MIT */
/* CPUs that can be started, and what the kernel's tree has to say about those that were. */
#ifndef PAYLOAD_FDT_CPUS_H
#define PAYLOAD_FDT_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../place/range.h"

#define FDT_CPU_ID_MASK 0xff00ffffffull /* affinity fields of MPIDR_EL1: reg of a CPU's node */

enum fdt_cpu_method { FDT_CPU_SPIN_TABLE, FDT_CPU_PSCI };

struct fdt_cpu {
	uint64_t id;
	enum fdt_cpu_method method;
	uint64_t release; /* of a spin table: where the CPU looks for its entry */
};

/*
 * Lists at most max CPUs of a checked tree, without the one whose id is boot, those that are not
 * enabled, and those whose enable-method is neither PSCI nor a spin table. PSCI needs /psci to be
 * of version 0.2 at least. Returns how many; none where the tree contradicts itself.
 */
size_t fdt_cpus_read(const void *fdt, uint64_t boot, struct fdt_cpu *cpus, size_t max);

/* In a tree with room: reserves page, and makes place for 64-bit release addresses. Returns 0 or an
 * error of libfdt. */
int fdt_cpus_prepare(void *fdt, const struct range *page);

/* In a packed tree made so: CPU id now looks for its entry at address. Cannot fail where
 * fdt_cpus_read has found the CPU in this tree. */
void fdt_cpus_release(void *fdt, uint64_t id, uint64_t address);

/* In a packed tree made so: page is not reserved after all. */
void fdt_cpus_forget(void *fdt, const struct range *page);

#endif /* PAYLOAD_FDT_CPUS_H */
