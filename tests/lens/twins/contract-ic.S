/* SPDX-License-Identifier: MIT */
/* No instruction cache invalidation before the kernel. */
	.set	NO_IC, 1
#include "contract.inc"
