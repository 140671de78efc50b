/* SPDX-License-Identifier: MIT */
/* x1 is not 0 at the kernel's entry. */
	.set	X1, 1
#include "contract.inc"
