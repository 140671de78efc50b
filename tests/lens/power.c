/* SPDX-License-Identifier: MIT */
#include "power.h"

#include "clock.h"
#include "lens.h"
#include "turn.h"

/* PSCI's function numbers; some have a 64-bit twin. */
#define PSCI_FIRST   0x84000000
#define PSCI_LAST    0x8400001f
#define PSCI_OFF     0x84000002
#define PSCI_ON	     0x84000003
#define SMCCC_64BIT  0x40000000
#define PSCI_SUCCESS 0

/* The CPU that is being started: who asks for another one is held until it is there. */
static struct {
	bool asked;
	bool arrived;
	uint64_t ps; /* when it executes */
} start;

void power_call(unsigned int cpu, void *unused)
{
	struct core *core = &lens.cores[cpu];
	uint32_t call = (uint32_t)registers_read(&core->registers, REGISTER_X0) & ~SMCCC_64BIT;

	(void)unused;
	lens_enter();
	if (lens.modelling && call >= PSCI_FIRST && call <= PSCI_LAST) {
		core->call = call;
		if (call == PSCI_ON) {
			start.asked = true;
			start.arrived = false;
			start.ps = time_start_ps(lens.model, cpu);
		}
		time_psci(lens.model, cpu);
	}
	lens_leave();
}

void power_return(unsigned int cpu)
{
	struct core *core = &lens.cores[cpu];
	uint32_t call = core->call;

	core->call = 0;
	if (call != PSCI_ON)
		return;
	if (registers_read(&core->registers, REGISTER_X0) == PSCI_SUCCESS)
		turn_await(&start.arrived);
	start.asked = false;
}

static void run(unsigned int cpu, uint64_t from)
{
	clock_set_thread(cpu);
	time_wake(lens.model, cpu, from);
	if (lens.running++ == 0 && lens.modelling)
		clock_model(true);
	lens.cores[cpu].running = true;
}

void power_begin(unsigned int cpu)
{
	bool started = start.asked && !start.arrived;

	if (started)
		start.arrived = true;
	lens.cores[cpu].on = true;
	run(cpu, started ? start.ps : lens_latest_ps());
}

/* With no CPU at work the clock goes on as the host's: a timer may be what they wait for. */
void power_idle(unsigned int cpu)
{
	struct core *core = &lens.cores[cpu];

	if (core->running && --lens.running == 0 && lens.modelling)
		clock_model(false);
	core->running = false;
	if (core->call == PSCI_OFF) {
		core->call = 0;
		core->on = false;
	}
	turn_leave(cpu);
}

void power_resume(unsigned int cpu)
{
	if (lens.cores[cpu].on && !lens.cores[cpu].running)
		run(cpu, lens_latest_ps());
}
