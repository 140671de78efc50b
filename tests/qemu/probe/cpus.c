/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <arm64/sysreg.h>
#include <libfdt.h>
#include <linux/psci.h>

#include "../guest/guest.h"

#define NONE (~0ull)
#define COME 1 /* s */
#define GO   4 /* s: on a busy machine */

struct answer {
	uint64_t id;
	uint64_t el;
	uint64_t e2h;
	uint64_t way;
	uint64_t line[4];
};

#pragma GCC visibility push(hidden)
extern volatile struct answer cpus_answer;
#pragma GCC visibility pop

/* The other CPU writes and reads past the caches. */
static void flush(uint64_t at)
{
	__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	barrier_dsb_sy();
}

static bool is_off(uint64_t id, uint64_t way)
{
	return psci(PSCI_0_2_FN64_AFFINITY_INFO, id, 0, way == WAY_HVC) ==
	       PSCI_0_2_AFFINITY_LEVEL_OFF;
}

static bool wait_state(uint64_t id, uint64_t way, bool off, unsigned int seconds)
{
	uint64_t deadline = counter_read() + seconds * sysreg_read(cntfrq_el0);

	while (is_off(id, way) != off)
		if (counter_read() > deadline)
			return false;
	return true;
}

/* The line is dropped before each look. */
static bool wait_id(uint64_t id)
{
	uint64_t deadline = counter_read() + GO * sysreg_read(cntfrq_el0);

	do {
		if (counter_read() > deadline)
			return false;
		flush((uint64_t)&cpus_answer);
	} while (cpus_answer.id != id);
	return true;
}

/* The answer is not looked at before the other CPU is off: it writes past our caches. QEMU's CPU_ON
 * may return before AFFINITY_INFO tells. */
static bool wait_answer(uint64_t id, uint64_t way)
{
	if (way == WAY_NONE)
		return wait_id(id);
	wait_state(id, way, false, COME);
	if (!wait_state(id, way, true, GO))
		return false;
	flush((uint64_t)&cpus_answer);
	return cpus_answer.id == id;
}

static uint64_t number(const void *fdt, int node, const char *name)
{
	int length;
	const void *value = fdt_getprop(fdt, node, name, &length);

	if (!value)
		return 0;
	return length == sizeof(uint32_t) ? fdt32_ld(value) : fdt64_ld(value);
}

static void start_by_psci(uint64_t id, uint64_t way)
{
	print(is_off(id, way) ? "off " : "not off ");
	psci(PSCI_0_2_FN64_CPU_ON, id, (uint64_t)cpus_entry, way == WAY_HVC);
}

static void start_by_spin_table(uint64_t release)
{
	print("spins ");
	*(volatile uint64_t *)release = (uint64_t)cpus_entry;
	flush(release);
	__asm__ volatile("sev");
}

static void call(const void *fdt, int node, uint64_t id, uint64_t way)
{
	uint64_t release = number(fdt, node, "cpu-release-addr");

	cpus_answer.id = NONE;
	cpus_answer.way = way;
	flush((uint64_t)&cpus_answer);
	print_value("probe: cpu", id);
	if (release)
		start_by_spin_table(release);
	else
		start_by_psci(id, way);
	if (!wait_answer(id, way)) {
		print("does not answer\r\n");
		return;
	}
	print_value("answers at el", cpus_answer.el >> CURRENTEL_EL_SHIFT);
	print_line("e2h", cpus_answer.e2h);
}

void cpus_call(const void *fdt, uint64_t way)
{
	uint64_t own = sysreg_read(mpidr_el1) & MPIDR_AFFINITY;
	int node, cpus = fdt_path_offset(fdt, "/cpus");

	fdt_for_each_subnode (node, fdt, cpus) {
		const char *type = fdt_getprop(fdt, node, "device_type", NULL);
		uint64_t id = number(fdt, node, "reg");

		/* Without a method nobody can start it. */
		if (type && type[0] == 'c' && id != own &&
		    fdt_getprop(fdt, node, "enable-method", NULL))
			call(fdt, node, id, way);
	}
}
