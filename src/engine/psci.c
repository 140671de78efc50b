/* SPDX-License-Identifier: MIT */
#include "psci.h"

#include <linux/psci.h>

#include "crash.h"

#define SMCCC_CLOBBERS                                                                       \
	"x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
		"x17", "memory"

static bool by_hvc(void)
{
	return crash_word() >> CRASH_HVC_BIT & 1;
}

/* Firmware of before SMCCC 1.1 may change all of x0 to x17. */
static int64_t call(uint64_t function, uint64_t first, uint64_t second)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = first;
	register uint64_t x2 __asm__("x2") = second;
	register uint64_t x3 __asm__("x3") = 0;

	if (by_hvc())
		__asm__ volatile("hvc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
				 :
				 : SMCCC_CLOBBERS);
	else
		__asm__ volatile("smc #0"
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
				 :
				 : SMCCC_CLOBBERS);
	return (int64_t)x0;
}

bool psci_usable(void)
{
	/* An HVC at EL2 comes to ourselves. */
	return crash_word() >> CRASH_PSCI_BIT & 1 && !(by_hvc() && current_el() == 2);
}

bool psci_cpu_on(uint64_t id, uint64_t entry)
{
	return call(PSCI_0_2_FN64_CPU_ON, id, entry) == PSCI_RET_SUCCESS;
}

bool psci_is_off(uint64_t id)
{
	return call(PSCI_0_2_FN64_AFFINITY_INFO, id, 0) == PSCI_0_2_AFFINITY_LEVEL_OFF;
}
