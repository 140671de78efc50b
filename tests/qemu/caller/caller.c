/* SPDX-License-Identifier: MIT */
#include <arm64/sysreg.h>
#include <kexpress/handoff.h>
#include <linux/psci.h>

#include "../guest/guest.h"
#include "config.h"
#include "launch.h"

#define SPSR_EL2H  0x9
#define HCR_VSE	   BIT(8)  /* virtual SError pending */
#define HCR_TGE	   BIT(27) /* with E2H: EL2 is a host */
#define HCR_TDZ	   BIT(28) /* DC ZVA trapped from EL1 */
#define SCTLR_EE   BIT(25) /* big-endian data */
#define GARBAGE	   0xdeadbeefcafe0000
#define GARBAGE_SP 0x123456789abcdef3
#define SANE_SP	   0x40180000

/* Hidden, as what guest.h says of others. */
extern char vectors[] __attribute__((visibility("hidden")));
void spin(void) __attribute__((visibility("hidden")));
void returned(void) __attribute__((visibility("hidden")));

void caller_main(uint64_t fdt, unsigned int el) __attribute__((noreturn));
void caller_returned(uint64_t error) __attribute__((noreturn));
void caller_exception(void) __attribute__((noreturn));
void launch(const struct launch *launch) __attribute__((noreturn));

/* soil.S */
void soil(const struct map *map, const struct dirty_range *ranges);
void publish(uint64_t start, uint64_t end, bool to_poc);

struct preserved preserved;
static struct launch state;
static unsigned int boot_el;

/* "virt" offers PSCI by SMC where there is an EL2, by HVC where there is none. */
static void done(void) __attribute__((noreturn));
static void done(void)
{
	print("caller: done\r\n");
	power_off(boot_el == 1);
}

static void complete_handoff(const struct caller_config *config, uint64_t fdt)
{
	struct kx_handoff *handoff = (struct kx_handoff *)config->argument;

	if (config->flags & CALLER_FDT)
		handoff->fdt = fdt;
	if (config->flags & CALLER_RETURN) {
		handoff->return_to = (uint64_t)returned;
		handoff->keep_start = (uint64_t)_head;
		handoff->keep_end = (uint64_t)_end;
	}
}

/* As many CPUs as there are. */
static void start_spinning(bool late)
{
	volatile uint64_t *table = (volatile uint64_t *)CALLER_SPIN_TABLE;
	uint64_t id = 0;

	for (size_t i = 0; i < CALLER_SPIN_SIZE / sizeof(*table); i++)
		table[i] = 0;
	table[CALLER_SPIN_LATE / sizeof(*table)] = late;
	while (psci(PSCI_0_2_FN64_CPU_ON, ++id, (uint64_t)spin, boot_el == 1) == 0)
		;
}

static uint64_t hcr_value(uint64_t flags)
{
	return HCR_RW | (flags & CALLER_E2H ? BIT(HCR_E2H_BIT) | HCR_TGE : 0) |
	       (flags & CALLER_SERROR ? HCR_AMO | HCR_VSE : 0) |
	       (flags & CALLER_NO_ZVA ? HCR_TDZ : 0);
}

static struct map map_value(uint64_t flags, unsigned int el)
{
	struct map map = map_build(el, flags & CALLER_E2H);

	if (!(flags & CALLER_MMU))
		map.sctlr &= ~(SCTLR_M | SCTLR_C | SCTLR_I);
	if (flags & CALLER_EE)
		map.sctlr |= SCTLR_EE;
	return map;
}

void caller_main(uint64_t fdt, unsigned int el)
{
	const struct caller_config *config = (const struct caller_config *)CALLER_CONFIG_ADDRESS;
	uint64_t flags = config->flags;
	unsigned int target = flags & CALLER_EL1 ? 1 : el;

	relocate();
	boot_el = el;
	complete_handoff(config, fdt);
	if (flags & CALLER_DIRTY) {
		struct map map = map_build(el, false);

		soil(&map, config->dirty);
		publish(config->stage, config->stage_end, !(flags & CALLER_MMU));
	}
	if (flags & CALLER_SPIN)
		start_spinning(flags & CALLER_LATE);
	state = (struct launch){
		.map = map_value(flags, target),
		.hcr = hcr_value(flags),
		.spsr = (target == 1 ? SPSR_EL1H : SPSR_EL2H) |
			(flags & CALLER_UNMASKED ? 0 : DAIF_ALL),
		.stage = config->stage,
		.argument = flags & CALLER_ARGUMENT ? config->argument : fdt,
		.garbage = flags & CALLER_GARBAGE ? GARBAGE : 0,
		.sp = flags & CALLER_GARBAGE ? GARBAGE_SP : SANE_SP,
	};
	print_value("caller: el", target);
	print_value("hcr", state.hcr);
	print_value("sctlr", state.map.sctlr);
	print_line("x0", state.argument);
	launch(&state);
}

static bool all_preserved(void)
{
	for (unsigned int i = 0; i < LAUNCH_PRESERVED; i++)
		if (preserved.x[i] != (uint64_t)LAUNCH_PATTERN + 19 + i)
			return false;
	return preserved.sp == state.sp && preserved.vbar == (uint64_t)vectors;
}

void caller_returned(uint64_t error)
{
	unsigned int el = current_el();

	print_value("caller: returned error", error);
	print_value("el", el);
	print_value("sctlr", el == 2 ? sysreg_read(sctlr_el2) : sysreg_read(sctlr_el1));
	print_line("preserved", all_preserved());
	done();
}

void caller_exception(void)
{
	print("caller: exception\r\n");
	done();
}
