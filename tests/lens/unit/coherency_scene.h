/* SPDX-License-Identifier: MIT */
/*
 * A judge of two CPUs' events over a small RAM, the events in short, and what it must have found
 * at the end.
 */
#ifndef LENS_UNIT_COHERENCY_SCENE_H
#define LENS_UNIT_COHERENCY_SCENE_H

#include "../coherency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RAM_BASE 0x40000000ull
#define RAM_SIZE 0x400000ull
#define DATA	 (RAM_BASE + 0x10000)
#define STORE_PC 0xffff800008001234ull
#define OTHER_PC 0x40080040ull

#define CTR_A72 0x8444c004ull

enum { MAPPED, MMU_OFF, UNCACHED };

static struct coherency *judge;
static struct report *report;
static char *text;
static size_t text_size;
static FILE *log_file;
static uint64_t ram[RAM_SIZE / sizeof(uint64_t)];
static unsigned int cpu;

#define SCTLR_M (1ull << 0)
#define SCTLR_C (1ull << 2)

static inline void turn_mmu(unsigned int which, bool on)
{
	struct event_state state = {.el = 1, .sctlr = on ? SCTLR_M | SCTLR_C : 0};

	coherency_state(judge, which, &state);
}

static inline void start(uint64_t ctr)
{
	struct coherency_options options = {RAM_BASE, RAM_SIZE, ram, 2, ctr};

	memset(ram, 0, sizeof(ram));
	cpu = 0;
	log_file = open_memstream(&text, &text_size);
	report = report_new(log_file);
	judge = coherency_new(&options, report);
	assert_non_null(judge);
	turn_mmu(0, true);
	turn_mmu(1, true);
}

static inline void stop(void)
{
	coherency_free(judge);
	report_free(report);
	fclose(log_file);
	free(text);
}

/* Nothing was found. */
static inline void silent(void)
{
	fflush(log_file);
	if (report_total(report))
		fail_msg("not silent: %s", text);
	stop();
}

/* Just this was found, once. */
static inline void finds(const char *name)
{
	char expected[64];

	fflush(log_file);
	snprintf(expected, sizeof(expected), "lens: %s cpu=", name);
	if (report_total(report) != 1 || strncmp(text, expected, strlen(expected)))
		fail_msg("expected %s, found %u: %s", name, report_kinds(report), text);
	stop();
}

static inline void access_as(enum event_kind kind, int how, uint64_t pa, uint32_t size, uint64_t pc)
{
	enum event_type uncached = how == MMU_OFF ? TYPE_DEVICE : TYPE_NONCACHEABLE;
	enum event_type off = kind == ACCESS_FETCH ? TYPE_WRITETHROUGH : uncached;

	coherency_access(judge, &(struct event_access){.cpu = cpu,
						       .pc = pc,
						       .va = pa,
						       .pa = pa,
						       .size = size,
						       .kind = kind,
						       .type = how == MAPPED ? TYPE_WRITEBACK : off,
						       .mmu_on = how != MMU_OFF,
						       .ram = pa >= RAM_BASE});
}

static inline void load(int how, uint64_t pa)
{
	access_as(ACCESS_LOAD, how, pa, 8, OTHER_PC);
}

static inline void store(int how, uint64_t pa)
{
	access_as(ACCESS_STORE, how, pa, 8, STORE_PC);
}

static inline void fetch(int how, uint64_t pa)
{
	access_as(ACCESS_FETCH, how, pa, 16, pa);
}

static inline void op_as(enum event_op_kind kind, int how, uint64_t pa)
{
	coherency_op(judge, &(struct event_op){.cpu = cpu,
					       .pc = OTHER_PC + 4,
					       .kind = kind,
					       .va = pa,
					       .pa = pa,
					       .size = 64,
					       .type = how == MAPPED ? TYPE_WRITEBACK : TYPE_DEVICE,
					       .ram = pa >= RAM_BASE,
					       .domain = DOMAIN_INNER});
}

static inline void op(enum event_op_kind kind, uint64_t pa)
{
	op_as(kind, MAPPED, pa);
}

static inline void barrier(enum event_op_kind kind, enum event_domain domain,
			   enum event_order order)
{
	coherency_op(judge, &(struct event_op){
				    .cpu = cpu, .kind = kind, .domain = domain, .order = order});
}

static inline void dsb(void)
{
	op(OP_DSB, RAM_BASE);
}

static inline void isb(void)
{
	op(OP_ISB, RAM_BASE);
}

#endif /* LENS_UNIT_COHERENCY_SCENE_H */
