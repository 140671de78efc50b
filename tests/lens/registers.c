/* SPDX-License-Identifier: MIT */
#include "registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define CPSR_EL_SHIFT 2
#define CPSR_EL_MASK  3
#define HCR_E2H	      (1ull << 34)
#define HCR_TGE	      (1ull << 27)

static const char *const names[REGISTER_COUNT] = {
	[REGISTER_SP] = "sp",
	[REGISTER_CPSR] = "cpsr",
	[REGISTER_HCR_EL2] = "HCR_EL2",
	[REGISTER_SCTLR_EL1] = "SCTLR",
	[REGISTER_TCR_EL1] = "TCR_EL1",
	[REGISTER_MAIR_EL1] = "MAIR_EL1",
	[REGISTER_TTBR0_EL1] = "TTBR0_EL1",
	[REGISTER_TTBR1_EL1] = "TTBR1_EL1",
	[REGISTER_VBAR_EL1] = "VBAR",
	[REGISTER_SCTLR_EL2] = "SCTLR_EL2",
	[REGISTER_TCR_EL2] = "TCR_EL2",
	[REGISTER_MAIR_EL2] = "MAIR_EL2",
	[REGISTER_TTBR0_EL2] = "TTBR0_EL2",
	[REGISTER_TTBR1_EL2] = "TTBR1_EL2",
	[REGISTER_VBAR_EL2] = "VBAR_EL2",
	[REGISTER_SCTLR_EL3] = "SCTLR_EL3",
	[REGISTER_TCR_EL3] = "TCR_EL3",
	[REGISTER_MAIR_EL3] = "MAIR_EL3",
	[REGISTER_TTBR0_EL3] = "TTBR0_EL3",
	[REGISTER_VBAR_EL3] = "VBAR_EL3",
	[REGISTER_CTR_EL0] = "CTR_EL0",
	[REGISTER_ISR_EL1] = "ISR_EL1",
	[REGISTER_CNTFRQ_EL0] = "CNTFRQ_EL0",
	[REGISTER_ID_AA64MMFR0_EL1] = "ID_AA64MMFR0_EL1",
};

static void *find(const struct glib_array *all, const char *name)
{
	const struct plugin_register *registers = all->data;

	for (unsigned int i = 0; i < all->len; i++) {
		if (!strcmp(registers[i].name, name))
			return registers[i].handle;
	}
	return NULL;
}

void registers_find(struct registers *r)
{
	struct glib_array *all = qemu_plugin_get_registers();
	char name[8];

	r->bytes = g_byte_array_new();
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		r->handles[i] = find(all, i < REGISTER_SP ? name : names[i]);
	}
}

uint64_t registers_read(struct registers *r, enum register_name name)
{
	uint64_t value = 0;
	int size;

	if (!r->handles[name])
		return 0;
	g_byte_array_set_size(r->bytes, 0);
	size = qemu_plugin_read_register(r->handles[name], r->bytes);
	if (size > 0)
		memcpy(&value, r->bytes->data,
		       (size_t)size < sizeof(value) ? (size_t)size : sizeof(value));
	return value;
}

/* The registers of EL1, EL2 and EL3 follow each other in the same order; EL3 has no TTBR1. */
static void read_regime(struct registers *r, enum register_name sctlr, struct event_state *state)
{
	bool has_ttbr1 = sctlr != REGISTER_SCTLR_EL3;

	state->sctlr = registers_read(r, sctlr);
	state->tcr = registers_read(r, sctlr + 1);
	state->mair = registers_read(r, sctlr + 2);
	state->ttbr0 = registers_read(r, sctlr + 3);
	state->ttbr1 = has_ttbr1 ? registers_read(r, sctlr + 4) : 0;
	state->vbar = registers_read(r, sctlr + (has_ttbr1 ? 5 : 4));
}

void registers_state(struct registers *r, struct event_state *state)
{
	bool host_user;

	state->el =
		(unsigned int)(registers_read(r, REGISTER_CPSR) >> CPSR_EL_SHIFT & CPSR_EL_MASK);
	state->hcr = registers_read(r, REGISTER_HCR_EL2);
	state->e2h = state->hcr & HCR_E2H;
	host_user = state->el == 0 && state->e2h && state->hcr & HCR_TGE;
	if (state->el == 3)
		read_regime(r, REGISTER_SCTLR_EL3, state);
	else if (state->el == 2 || host_user)
		read_regime(r, REGISTER_SCTLR_EL2, state);
	else
		read_regime(r, REGISTER_SCTLR_EL1, state);
}
