/* SPDX-License-Identifier: MIT */
/* From assembly to main: what C and its library need, with the MMU on. */
#include <arm64/sysreg.h>
#include <string.h>

#include "boot_map.h"
#include "console.h"
#include "crash.h"
#include "image_layout.h"
#include "relocate.h"
#include "stage.h"

void start(const struct entry_state *entry) __attribute__((noreturn));

/* Opens the mask for long enough that a pending SError is taken (asm/crash.S). */
static void open_serror_mask(void)
{
	__asm__ volatile("msr daifclr, #4\n"
			 "isb\n"
			 "msr daifset, #4\n"
			 :
			 :
			 : "x26", "memory");
}

/* At EL2 an SError that HCR_EL2 does not route there stays pending whatever the mask says. */
static void take_serror(void)
{
	uint64_t hcr;

	if (current_el() == 1) {
		open_serror_mask();
		return;
	}
	hcr = sysreg_read(hcr_el2);
	sysreg_write(hcr_el2, hcr | HCR_AMO);
	barrier_isb();
	open_serror_mask();
	sysreg_write(hcr_el2, hcr);
	barrier_isb();
}

/*
 * An SError that firmware left pending is what the kernel would be blamed for the moment it unmasks
 * them (U-Boot 6c7691edd55). Returns whether one was taken.
 */
static bool drop_pending_serror(void)
{
	bool taken;

	if (!(sysreg_read(isr_el1) >> ISR_A_BIT & 1))
		return false;
	crash_set_run(SERROR_EXPECTED);
	take_serror();
	taken = sysreg_read(tpidr_el1) == 0;
	crash_set_run(0);
	return taken;
}

void start(const struct entry_state *entry)
{
	if (!boot_map_relocated)
		relocate();
	memset(_bss_start, 0, _bss_end - _bss_start);
	boot_map_complete();
	if (drop_pending_serror())
		say("warning: an SError was pending on entry; taken and dropped");
	stage_main(entry);
}
