/* SPDX-License-Identifier: MIT */
/* The guest's registers by QEMU's names for them, which leave out a suffix here and there. */
#ifndef LENS_REGISTERS_H
#define LENS_REGISTERS_H

#include <stdint.h>

#include "event.h"

enum register_name {
	REGISTER_X0,
	REGISTER_SP = REGISTER_X0 + 31,
	REGISTER_CPSR,
	REGISTER_HCR_EL2,
	REGISTER_SCTLR_EL1,
	REGISTER_TCR_EL1,
	REGISTER_MAIR_EL1,
	REGISTER_TTBR0_EL1,
	REGISTER_TTBR1_EL1,
	REGISTER_VBAR_EL1,
	REGISTER_SCTLR_EL2,
	REGISTER_TCR_EL2,
	REGISTER_MAIR_EL2,
	REGISTER_TTBR0_EL2,
	REGISTER_TTBR1_EL2,
	REGISTER_VBAR_EL2,
	REGISTER_SCTLR_EL3,
	REGISTER_TCR_EL3,
	REGISTER_MAIR_EL3,
	REGISTER_TTBR0_EL3,
	REGISTER_VBAR_EL3,
	REGISTER_CTR_EL0,
	REGISTER_ISR_EL1,
	REGISTER_CNTFRQ_EL0,
	REGISTER_ID_AA64MMFR0_EL1,
	REGISTER_COUNT,
};

struct registers {
	void *handles[REGISTER_COUNT]; /* NULL: the CPU has no such register */
	struct glib_bytes *bytes;
};

/* In a callback on the CPU's thread. */
void registers_find(struct registers *registers);

/* In a callback that may read registers. 0 for one that there is not. */
uint64_t registers_read(struct registers *registers, enum register_name name);

/* What decides translation at the current EL. */
void registers_state(struct registers *registers, struct event_state *state);

#endif /* LENS_REGISTERS_H */
