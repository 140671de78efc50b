/* SPDX-License-Identifier: MIT */
#include <arm64/asm.h>
#include <linux/psci.h>

/* power_off(w0 = by HVC, else by SMC). */
function power_off
	mov	w1, w0
	mov_q	x0, PSCI_0_2_FN_SYSTEM_OFF
	cbz	w1, 1f
	hvc	#0
1:	smc	#0
2:	wfi
	b	2b
function_end power_off

function park
1:	wfi
	b	1b
function_end park
