/* SPDX-License-Identifier: MIT */
/* The registers that the probe notes beside x0 to x30 and sp, in order; for C and assembly. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

/* X(name as printed, register) */
#define STATE_COMMON(X)         \
	X(currentel, CurrentEL) \
	X(daif, daif)           \
	X(spsel, spsel)         \
	X(isr, isr_el1)         \
	X(cntfrq, cntfrq_el0)   \
	X(tpidr_el0, tpidr_el0) \
	X(tpidr_el1, tpidr_el1) \
	X(tpidrro_el0, tpidrro_el0)

#define STATE_EL1(X) X(sctlr, sctlr_el1)

#define STATE_EL2(X)            \
	X(sctlr, sctlr_el2)     \
	X(hcr, hcr_el2)         \
	X(cptr, cptr_el2)       \
	X(cnthctl, cnthctl_el2) \
	X(cntvoff, cntvoff_el2)

/* Doublewords: x0 to x30, sp, and the longest of the lists above. */
#define STATE_SYSTEM 32
#define STATE_WORDS  48

#endif /* PROBE_STATE_H */
