/* SPDX-License-Identifier: MIT */
/* The kernel is not cleaned to the point of coherency. */
	.set	NO_CLEAN, 1
#include "contract.inc"
