/* SPDX-License-Identifier: MIT */
/*
 * Step "discover": what machine this is, from its device tree, and a map of all its RAM in place of
 * the first one.
 */
#include "console.h"
#include "crash.h"
#include "gic_quiesce.h"
#include "handoff.h"
#include "image_layout.h"
#include "lowlevel.h"
#include "regime.h"
#include "sources.h"

#include "../payload/fdt_check.h"
#include "../payload/fdt_read.h"
#include "../place/page.h"
#include "version.h"

#include <arm64/sysreg.h>
#include <string.h>

#define RANGES_MAX   4096 /* RAM or reservations; firmware that lists thousands exists */
#define BOOTARGS_MAX 4096 /* twice Linux's COMMAND_LINE_SIZE for arm64 */
#define UNKNOWN_MAX  8

static NOINIT struct range ram_ranges[RANGES_MAX];
static NOINIT struct range reserved_ranges[RANGES_MAX];
static NOINIT struct range work_ranges[RANGES_MAX];
static NOINIT char bootargs[BOOTARGS_MAX];

static enum kx_error find_tree(struct stage *s)
{
	const struct boot_argument *a = &boot_argument;

	if (a->kind == ARGUMENT_NONE)
		return kx_refuse(&s->why, KX_E_ARGUMENT,
				 "x0 names neither a device tree nor a hand-off block",
				 s->entry->argument, s->entry->argument);
	if (a->kind == ARGUMENT_HANDOFF)
		s->handoff = (const struct kx_handoff *)a->handoff.start;
	if (a->fdt.start == a->fdt.end)
		return kx_refuse(&s->why, s->handoff ? KX_E_HANDOFF : KX_E_FDT,
				 "no device tree where one should be", s->entry->argument,
				 s->entry->argument);
	s->fdt = (const void *)a->fdt.start;
	return fdt_check_tree(s->fdt, a->fdt.end - a->fdt.start, &s->why);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t ends(const struct range *ranges, size_t count)
{
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		end = later(end, ranges[i].end);
	return end;
}

/* RAM counts in whole granules: so what is mapped around what the plan touches is RAM too. */
static enum kx_error choose_geometry(struct stage *s, const struct console *console,
				     struct xlat_geometry *g)
{
	uint64_t end = later(s->ram.ranges[s->ram.count - 1].end,
			     console_registers(console, KX_PAGE_SIZE).end);
	struct range flash[STAGE_SOURCES];
	size_t flash_count = sources_flash(s, flash);

	for (size_t i = 0; i < flash_count; i++)
		end = later(end, flash[i].end);
	gic_find(s);
	end = later(end, ends(s->gic.redistributors, s->gic.redistributor_count));
	end = later(end, ends(s->gic.its, s->gic.its_count));
	if (!regime_geometry(end, false, g))
		return kx_refuse(&s->why, KX_E_ADDRESS, "RAM beyond what this CPU can map", 0, end);
	range_set_trim(&s->ram, geometry_page_size(*g));
	if (!s->ram.count)
		return kx_refuse(&s->why, KX_E_NO_MEMORY, "no RAM of a whole granule", 0, end);
	return KX_OK;
}

/* A caller's word counts for more than the tree's, but not against what is not to be mapped. */
static enum kx_error read_ram(struct stage *s)
{
	enum kx_error error;

	if (!s->handoff || !s->handoff->ram_count)
		return fdt_read_ram(s->fdt, &s->ram, &s->why);
	error = handoff_add_ram(s);
	if (!error)
		error = fdt_remove_no_map(s->fdt, &s->ram, &s->why);
	if (!error && !s->ram.count)
		error = kx_refuse(&s->why, KX_E_NO_MEMORY, "hand-off tells of no usable RAM",
				  (uint64_t)s->handoff, (uint64_t)s->handoff + s->handoff->size);
	return error;
}

static enum kx_error read_memory(struct stage *s, const struct console *console,
				 struct xlat_geometry *g)
{
	enum kx_error error;

	s->ram = (struct range_set){ram_ranges, 0, RANGES_MAX};
	s->reserved = (struct range_set){reserved_ranges, 0, RANGES_MAX};
	s->own = (struct range){(uint64_t)_head, (uint64_t)_end};
	error = read_ram(s);
	if (!error)
		error = choose_geometry(s, console, g);
	if (!error)
		error = fdt_read_reserved(s->fdt, &s->reserved, &s->why);
	if (!error && s->handoff)
		error = handoff_add_avoid(s);
	return error;
}

static bool read_psci(const struct stage *s, bool *hvc)
{
	uint32_t told = s->handoff ? s->handoff->flags : 0;

	if (fdt_read_psci(s->fdt, hvc))
		return true;
	*hvc = told & KX_HANDOFF_PSCI_HVC;
	return told & (KX_HANDOFF_PSCI_HVC | KX_HANDOFF_PSCI_SMC);
}

static enum kx_error read_options(struct stage *s)
{
	struct options_unknown unknown[UNKNOWN_MAX];
	size_t unknown_count;
	bool hvc = false, psci = read_psci(s, &hvc);

	if (!options_parse(fdt_read_bootargs(s->fdt), &s->options, bootargs, sizeof(bootargs),
			   unknown, UNKNOWN_MAX, &unknown_count))
		return kx_refuse(&s->why, KX_E_FDT_SPACE, "command line longer than 4095 bytes",
				 (uint64_t)s->fdt, (uint64_t)s->fdt);
	s->bootargs = bootargs;
	crash_set_action(s->options.on_error, psci, hvc);
	if (s->handoff) {
		s->options.mmu &= !(s->handoff->flags & KX_HANDOFF_MMU_OFF);
		s->options.debug |= !!(s->handoff->flags & KX_HANDOFF_DEBUG);
	}
	for (size_t i = 0; i < unknown_count && i < UNKNOWN_MAX; i++)
		say("warning: option not understood, ignored: %.*s", (int)unknown[i].length,
		    unknown[i].text);
	return KX_OK;
}

static enum kx_error map_identity(struct xlat *x, uint64_t start, uint64_t end, enum xlat_prot prot,
				  struct kx_refusal *why)
{
	struct xlat_mapping m = xlat_identity(start, end, prot);

	return xlat_map(x, &m, why);
}

/* RAM other than our own image, which has its own protections. */
static enum kx_error map_ram(struct stage *s, struct xlat *x)
{
	struct range_set rest = {work_ranges, s->ram.count, RANGES_MAX};
	enum kx_error error = KX_OK;

	memcpy(work_ranges, ram_ranges, s->ram.count * sizeof(*ram_ranges));
	if (!range_set_remove(&rest, s->own.start, s->own.end))
		return kx_refuse(&s->why, KX_E_RANGES, "more ranges of RAM than can be noted",
				 RANGES_MAX, s->ram.count);
	for (size_t i = 0; i < rest.count && !error; i++)
		error = map_identity(x, work_ranges[i].start, work_ranges[i].end, XLAT_WRITE,
				     &s->why);
	return error;
}

/* Read through the caches: nobody writes it meanwhile. */
static enum kx_error map_flash(struct stage *s, struct xlat *x)
{
	struct range flash[STAGE_SOURCES];
	size_t count = sources_flash(s, flash);
	enum kx_error error = KX_OK;

	for (size_t i = 0; i < count && !error; i++)
		error = map_identity(x, flash[i].start, flash[i].end, XLAT_READ, &s->why);
	return error;
}

static enum kx_error map_registers(struct stage *s, struct xlat *x, const struct range *regions,
				   size_t count)
{
	enum kx_error error = KX_OK;

	for (size_t i = 0; i < count && !error; i++)
		error = map_identity(x, regions[i].start, regions[i].end, XLAT_DEVICE, &s->why);
	return error;
}

static enum kx_error map_gic(struct stage *s, struct xlat *x)
{
	const struct fdt_gic *g = &s->gic;
	enum kx_error error = map_registers(s, x, g->redistributors, g->redistributor_count);

	return error ? error : map_registers(s, x, g->its, g->its_count);
}

/*
 * Replaces the first map by one of all RAM: payloads and entry lists may lie anywhere in it. Memory
 * that the device tree says not to map is not in s->ram.
 */
static enum kx_error map_work(struct stage *s, const struct console *console,
			      struct xlat_geometry g)
{
	uint64_t size = geometry_page_size(g);
	struct range registers = console_registers(console, size);
	struct xlat_pool pool = {work_tables, (uint64_t)work_tables, boot_map_work_size() / size,
				 0};
	struct xlat_mapping stage[STAGE_MAPPINGS];
	size_t count = boot_map_stage(stage, g, XLAT_READ);
	enum kx_error error;
	struct xlat x;

	error = xlat_init(&x, &pool, g, regime_xlat(), &s->why);
	for (size_t i = 0; i < count && !error; i++)
		error = xlat_map(&x, &stage[i], &s->why);
	if (!error && registers.end)
		error = map_identity(&x, registers.start, registers.end, XLAT_DEVICE, &s->why);
	if (!error)
		error = map_ram(s, &x);
	if (!error)
		error = map_flash(s, &x);
	if (!error)
		error = map_gic(s, &x);
	if (error)
		return error;
	mmu_switch(TTBR_BADDR(x.root_pa), 0, regime_tcr(g, false));
	console_set(console);
	return KX_OK;
}

/* What is read through the new map must be in it. */
static enum kx_error check_argument(struct stage *s)
{
	const struct boot_argument *a = &boot_argument;

	if (!range_set_contains(&s->ram, a->fdt.start, a->fdt.end))
		return kx_refuse(&s->why, KX_E_FDT, "device tree not in RAM", a->fdt.start,
				 a->fdt.end);
	if (s->handoff && !range_set_contains(&s->ram, a->handoff.start, a->handoff.end))
		return kx_refuse(&s->why, KX_E_HANDOFF, "hand-off block not in RAM",
				 a->handoff.start, a->handoff.end);
	if (!range_set_contains(&s->ram, s->own.start, s->own.end))
		return kx_refuse(&s->why, KX_E_NO_MEMORY, "we ourselves do not lie in usable RAM",
				 s->own.start, s->own.end);
	return KX_OK;
}

static void banner(const struct stage *s)
{
	say("version %s at 0x%llx, EL%u%s, MMU found %s", KEXPRESS_VERSION,
	    (unsigned long long)s->own.start, (unsigned int)s->entry->el,
	    regime_is_e2h() ? " with E2H" : "", s->entry->sctlr & SCTLR_M ? "on" : "off");
}

enum kx_error discover(struct stage *s)
{
	struct console console = console_now();
	struct xlat_geometry geometry;
	enum kx_error error;

	error = find_tree(s);
	if (!error && s->handoff)
		error = handoff_check(s);
	if (error)
		return error;
	fdt_console_read(s->fdt, &console);
	error = read_memory(s, &console, &geometry);
	if (!error)
		error = check_argument(s);
	if (!error)
		error = map_work(s, &console, geometry);
	if (error)
		return error;
	banner(s);
	error = read_options(s);
	if (error)
		return error;
	if (s->options.debug)
		say("discover: %zu ranges of RAM, %zu reserved, device tree at 0x%llx",
		    s->ram.count, s->reserved.count, (unsigned long long)(uintptr_t)s->fdt);
	return KX_OK;
}
