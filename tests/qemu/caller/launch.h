/* SPDX-License-Identifier: MIT */
/* The state in which kexpress is entered; for C and assembly. */
#ifndef CALLER_LAUNCH_H
#define CALLER_LAUNCH_H

/* Offsets in struct launch. */
#define LAUNCH_MAIR    0
#define LAUNCH_TTBR    16
#define LAUNCH_HCR     32
#define LAUNCH_STAGE   48
#define LAUNCH_GARBAGE 64

/* x19 to x28 are this plus their number. */
#define LAUNCH_PATTERN 0x5ade000000000000

#define LAUNCH_PRESERVED 10 /* registers x19 to x28 */

#ifndef __ASSEMBLER__
#include "../guest/guest.h"

struct launch {
	struct map map; /* sctlr counts even where it leaves the MMU off */
	uint64_t hcr;	/* at EL2 */
	uint64_t spsr;
	uint64_t stage;
	uint64_t argument;
	uint64_t garbage; /* for x1 to x18; 0: none */
	uint64_t sp;
};

_Static_assert(offsetof(struct launch, map.ttbr) == LAUNCH_TTBR, "launch.h");
_Static_assert(offsetof(struct launch, hcr) == LAUNCH_HCR, "launch.h");
_Static_assert(offsetof(struct launch, stage) == LAUNCH_STAGE, "launch.h");
_Static_assert(offsetof(struct launch, garbage) == LAUNCH_GARBAGE, "launch.h");

/* What stood in the registers that a procedure preserves when kexpress came back. */
struct preserved {
	uint64_t x[LAUNCH_PRESERVED];
	uint64_t sp;
	uint64_t vbar;
};
#endif

#endif /* CALLER_LAUNCH_H */
