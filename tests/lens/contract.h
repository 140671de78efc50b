/* SPDX-License-Identifier: MIT */
/*
 * The arm64 boot protocol (Linux Documentation/arch/arm64/booting.rst), judged at the first
 * instruction of a kernel, before it is executed. Needs libfdt.
 */
#ifndef LENS_CONTRACT_H
#define LENS_CONTRACT_H

#include "coherency.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

struct contract_entry {
	unsigned int cpu;
	uint64_t pc; /* where the Image was placed: its first instruction */
	uint64_t x[4];
	unsigned int el;
	uint64_t sctlr; /* of that EL */
	uint64_t daif;	/* bits 9:6, as in PSTATE */
	uint64_t isr;	/* ISR_EL1; 0 where it can't be read */
	uint64_t cntfrq;
	uint64_t mmfr0; /* ID_AA64MMFR0_EL1 */
};

struct contract_ram {
	uint64_t base;
	uint64_t size;
	const void *bytes;
};

/* Whether an arm64 Image lies at pa. */
bool contract_is_image(const struct contract_ram *ram, uint64_t pa);

/* Writes a line for each violated item, or one that the contract was held; the number of violated
 * items. coherency may be NULL: nothing is said of caches then. */
unsigned int contract_check(const struct contract_entry *entry, const struct contract_ram *ram,
			    struct coherency *coherency, struct report *report);

#endif /* LENS_CONTRACT_H */
