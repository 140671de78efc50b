/* SPDX-License-Identifier: MIT */
#include <arm64/asm.h>

/* psci(x0 = function, x1, x2, w3 = by HVC, else by SMC); x0 is the result. */
function psci
	mov	w4, w3
	mov	x3, xzr
	cbz	w4, 1f
	hvc	#0
	ret
1:	smc	#0
	ret
function_end psci
