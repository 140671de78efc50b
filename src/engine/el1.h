/* SPDX-License-Identifier: MIT */
/* Leaving EL2 to EL1. */
#ifndef ENGINE_EL1_H
#define ENGINE_EL1_H

/* Sets every EL2 control that the arm64 boot protocol wants set for a kernel entered at EL1, and
 * EL1's own SCTLR. Called at EL2, with or without E2H. */
void el1_prepare(void);

#endif /* ENGINE_EL1_H */
