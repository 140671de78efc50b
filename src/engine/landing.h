/* SPDX-License-Identifier: MIT */
/*
 * The landing page: where other cores arrive, and where they leave to; shared with asm/secondary.S.
 *
 * A core comes with its MMU off, at a time of its own choosing, and must find code and data
 * whenever that is: also when we are done and the kernel runs. So both lie in one page, which is
 * reserved in the kernel's device tree for as long as a core may come, or waits in it as it waited
 * in firmware's spin table. The page is accessed uncached by everybody: with the MMU off, or mapped
 * as Device.
 */
#ifndef ENGINE_LANDING_H
#define ENGINE_LANDING_H

/* Offsets in the page; code is at 0. */
#define LANDING_CLOSED	 0x300 /* not 0: who comes now leaves at once */
#define LANDING_ENTRY	 0x308 /* secondary_enter */
#define LANDING_EL	 0x310 /* CurrentEL of the boot core */
#define LANDING_CRASH	 0x318 /* crash word */
#define LANDING_TTBR0	 0x320
#define LANDING_TTBR1	 0x328
#define LANDING_TCR	 0x330
#define LANDING_HCR	 0x338
#define LANDING_CPTR	 0x340 /* CPACR_EL1 at EL1 */
#define LANDING_COUNT	 0x348
#define LANDING_FEATURES 0x350 /* of the boot core: what is patched in */
#define LANDING_CORES	 0x400

/* Offsets in struct landing_core. */
#define LANDING_CORE_ID	     0
#define LANDING_CORE_STATE   8
#define LANDING_CORE_METHOD  16
#define LANDING_CORE_MAILBOX 24
#define LANDING_CORE_STACK   32
#define LANDING_CORE_HCR     40
#define LANDING_CORE_SIZE    48

#define LANDING_SIZE	  4096
#define LANDING_CORES_MAX 64

/* State of a core, written by itself. */
#define LANDING_AWAY	0 /* has not come */
#define LANDING_ARRIVED 1 /* may be in our image */
#define LANDING_GONE	2 /* will not leave the page again but to firmware or the kernel */

/* How it leaves. */
#define LANDING_SPIN 0 /* waits for an entry address in its mailbox */
#define LANDING_SMC  1 /* PSCI CPU_OFF */
#define LANDING_HVC  2

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct landing_core {
	uint64_t id;
	uint64_t state;
	uint64_t method;
	uint64_t mailbox;
	uint64_t stack; /* its end */
	uint64_t hcr;	/* HCR_EL2 as it came */
};

struct landing {
	char code[LANDING_CLOSED];
	uint64_t closed;
	uint64_t entry;
	uint64_t el;
	uint64_t crash;
	uint64_t ttbr0;
	uint64_t ttbr1;
	uint64_t tcr;
	uint64_t hcr;
	uint64_t cptr;
	uint64_t count;
	uint64_t features;
	char gap[LANDING_CORES - LANDING_FEATURES - 8];
	struct landing_core cores[LANDING_CORES_MAX];
};

#define LANDING_AT(type, member, at) _Static_assert(offsetof(type, member) == (at), "landing.h")
LANDING_AT(struct landing, closed, LANDING_CLOSED);
LANDING_AT(struct landing, entry, LANDING_ENTRY);
LANDING_AT(struct landing, el, LANDING_EL);
LANDING_AT(struct landing, crash, LANDING_CRASH);
LANDING_AT(struct landing, ttbr0, LANDING_TTBR0);
LANDING_AT(struct landing, ttbr1, LANDING_TTBR1);
LANDING_AT(struct landing, tcr, LANDING_TCR);
LANDING_AT(struct landing, hcr, LANDING_HCR);
LANDING_AT(struct landing, cptr, LANDING_CPTR);
LANDING_AT(struct landing, count, LANDING_COUNT);
LANDING_AT(struct landing, features, LANDING_FEATURES);
LANDING_AT(struct landing, cores, LANDING_CORES);
LANDING_AT(struct landing_core, id, LANDING_CORE_ID);
LANDING_AT(struct landing_core, state, LANDING_CORE_STATE);
LANDING_AT(struct landing_core, method, LANDING_CORE_METHOD);
LANDING_AT(struct landing_core, mailbox, LANDING_CORE_MAILBOX);
LANDING_AT(struct landing_core, stack, LANDING_CORE_STACK);
LANDING_AT(struct landing_core, hcr, LANDING_CORE_HCR);
#undef LANDING_AT
_Static_assert(sizeof(struct landing_core) == LANDING_CORE_SIZE, "landing.h");
_Static_assert(sizeof(struct landing) == LANDING_SIZE, "landing.h");

#include "../payload/fdt_cpus.h"
#include "stage.h"

#define LANDING_STACK 4096 /* bytes a core */

/* Writes a page for these cores, whose stacks lie one behind the other at stacks. It is mapped as
 * Normal memory here, and as Device from then on. */
void landing_build(struct landing *page, const struct translation *t, const struct fdt_cpu *cpus,
		   size_t count, uint64_t stacks);

/* Once it is mapped as Device: others will see it, and nobody will hit a line of it later. */
void landing_publish(const struct range *page);

/* Starts core i, which is cpu. False: firmware does not. */
bool landing_start(volatile struct landing *page, size_t i, const struct fdt_cpu *cpu);

/*
 * After the page was closed: waits until core i, which was started, is off or waits in the page.
 * False, after some time: firmware has not said that it is off. It will find the page closed, so
 * the page must stay as it is. Does not return if the core is in our image and does not leave.
 */
bool landing_wait(volatile struct landing *page, size_t i);
#endif

#endif /* ENGINE_LANDING_H */
