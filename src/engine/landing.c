/* SPDX-License-Identifier: MIT */
#include "landing.h"

#include <string.h>

#include "console.h"
#include "crash.h"
#include "lowlevel.h"
#include "psci.h"
#include "regime.h"

/* Hidden, as in image_layout.h. */
#pragma GCC visibility push(hidden)
extern char landing_code[], landing_end[], secondary_enter[];
uint64_t landing_features(void);
#pragma GCC visibility pop

#define WAIT_OFF  2 /* 1/s: firmware takes some milliseconds at most */
#define WAIT_DONE 5 /* s: a core has at most one chunk to do, and a hypervisor may be slow */

static uint64_t method_of(const struct fdt_cpu *cpu)
{
	if (cpu->method == FDT_CPU_SPIN_TABLE)
		return LANDING_SPIN;
	return crash_word() >> CRASH_HVC_BIT & 1 ? LANDING_HVC : LANDING_SMC;
}

void landing_build(struct landing *page, const struct translation *t, const struct fdt_cpu *cpus,
		   size_t count, uint64_t stacks)
{
	bool el2 = current_el() == 2;

	memset(page, 0, sizeof(*page));
	memcpy(page->code, landing_code, (size_t)(landing_end - landing_code));
	page->entry = (uint64_t)secondary_enter;
	page->el = sysreg_read(CurrentEL);
	page->crash = crash_word() | BIT(CRASH_SECONDARY_BIT);
	page->ttbr0 = t->ttbr0;
	page->ttbr1 = t->ttbr1;
	page->tcr = t->tcr;
	page->hcr = el2 ? sysreg_read(hcr_el2) : 0;
	page->cptr = el2 ? sysreg_read(cptr_el2) : sysreg_read(cpacr_el1);
	page->count = count;
	page->features = landing_features();
	for (size_t i = 0; i < count; i++)
		page->cores[i] = (struct landing_core){
			.id = cpus[i].id,
			.method = method_of(&cpus[i]),
			.stack = stacks + (i + 1) * LANDING_STACK,
		};
}

void landing_publish(const struct range *page)
{
	cache_clean_invalidate(page->start, page->end);
	barrier_dsb_sy();
	cache_invalidate_instructions();
}

/* The word may share its line with others that are dirty in our caches: written through them, as
 * Linux does (arch/arm64/kernel/smp_spin_table.c). */
static void release(uint64_t word, uint64_t entry)
{
	*(volatile uint64_t *)word = entry;
	cache_clean(word, word + sizeof(entry));
	barrier_dsb_sy();
	__asm__ volatile("sev");
}

bool landing_start(volatile struct landing *page, size_t i, const struct fdt_cpu *cpu)
{
	if (page->cores[i].method != LANDING_SPIN)
		return psci_cpu_on(cpu->id, (uint64_t)page);
	release(cpu->release, (uint64_t)page);
	return true;
}

/*
 * A core that has not come through a spin table may still do so, but never further than the page.
 * One that firmware has started will come even where that says that it is off: QEMU says so from
 * CPU_ON until the core runs.
 */
static bool is_gone(volatile struct landing *page, size_t i)
{
	uint64_t state = page->cores[i].state;

	if (page->cores[i].method == LANDING_SPIN)
		return state != LANDING_ARRIVED;
	return state != LANDING_AWAY && psci_is_off(page->cores[i].id);
}

bool landing_wait(volatile struct landing *page, size_t i)
{
	uint64_t start = counter_read(), frequency = sysreg_read(cntfrq_el0);

	while (!is_gone(page, i)) {
		uint64_t ticks = counter_read() - start;
		bool arrived = page->cores[i].state == LANDING_ARRIVED;

		if (!arrived && ticks > frequency / WAIT_OFF)
			return false;
		if (arrived && ticks > frequency * WAIT_DONE) {
			say("error E_FAULT: CPU 0x%llx does not leave our image",
			    (unsigned long long)page->cores[i].id);
			crash_end();
		}
	}
	return true;
}
