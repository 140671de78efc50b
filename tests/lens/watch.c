/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <stdio.h>

#include "clock.h"
#include "contract.h"
#include "lens.h"
#include "power.h"
#include "qemu_plugin.h"
#include "record.h"
#include "turn.h"

#define INSN_SIZE    4
#define PAGE_SIZE    4096
#define VECTORS_SIZE 0x800
#define PSTATE_DAIF  (0xfull << 6)
#define ZVA_SIZE     64 /* of every CPU that QEMU has */

bool watch_models_at_once(void)
{
	return lens.options.start == OPTION_NOWHERE && !lens.options.start_text &&
	       !lens.options.range_end;
}

bool watch_begins_at_once(void)
{
	return watch_models_at_once() || lens.options.range_end || lens.options.coherency;
}

bool watch_is_on(void)
{
	return lens.modelling || lens.coherency;
}

/* All CPUs begin at the same time. */
static void set_modelling(unsigned int cpu, bool on)
{
	if (on == lens.modelling)
		return;
	for (unsigned int i = 0; on && i < lens.core_count; i++) {
		time_wake(lens.model, i, lens_latest_ps());
		lens.cores[i].on = lens.cores[i].running; /* what went off before was not seen */
		if (lens.cores[i].tlb)
			lens_flags(i)->stale = true;
	}
	lens.modelling = on;
	clock_set_thread(cpu);
	clock_model(on);
	if (lens.instrumented != watch_is_on() && !lens.options.range_end)
		lens_instrument();
	record_event(on ? "start" : "stop", cpu);
	if (!on) {
		record_counts();
		turn_end();
	}
}

/* --- Events ------------------------------------------------------------------------------ */

static void tell_walk(unsigned int cpu, uint64_t pc, uint64_t va, const struct walk_trace *trace)
{
	for (unsigned int i = 0; lens.coherency && i < trace->count; i++) {
		struct event_walk event = {
			.cpu = cpu,
			.pc = pc,
			.va = va,
			.pa = trace->steps[i].pa,
			.descriptor = trace->steps[i].descriptor,
			.level = trace->steps[i].level,
			.type = trace->type,
			.ram = walk_is_ram(&lens.ram, trace->steps[i].pa),
		};
		coherency_walk(lens.coherency, &event);
	}
}

static struct walk_result translate(unsigned int cpu, uint64_t pc, uint64_t va,
				    enum event_kind kind)
{
	struct core *core = &lens.cores[cpu];
	struct walk_trace trace;
	struct walk_result result =
		walk_cached(core->tlb, &core->state, &lens.ram, va, kind, &trace);

	if (trace.count)
		tell_walk(cpu, pc, va, &trace);
	return result;
}

/* An access inside one page. False: our walk finds none there. */
static bool tell_access(unsigned int cpu, const struct site *site, uint64_t va, uint32_t size,
			enum event_kind kind)
{
	struct walk_result at = translate(cpu, site->pc, va, kind);
	struct event_access event = {
		.cpu = cpu,
		.pc = site->pc,
		.va = va,
		.pa = at.pa,
		.size = size,
		.kind = kind,
		.type = at.type,
		.inner_shareable = at.inner_shareable,
		.mmu_on = walk_mmu_on(&lens.cores[cpu].state),
		.exclusive = site->insn.exclusive,
		.ram = walk_is_ram(&lens.ram, at.pa),
		.page_shift = at.page_shift,
		.base = site->insn.base,
		.data = {site->insn.data[0], site->insn.data[1]},
	};

	if (at.fault) {
		lens.unexplained++;
		return false;
	}
	if (lens.modelling)
		time_access(lens.model, &event);
	if (lens.coherency)
		coherency_access(lens.coherency, &event);
	return true;
}

/* An access that may lie in two pages. */
static bool tell_pages(unsigned int cpu, const struct site *site, uint64_t va, uint32_t size,
		       enum event_kind kind)
{
	uint32_t first = PAGE_SIZE - (uint32_t)(va % PAGE_SIZE);

	if (size <= first)
		return tell_access(cpu, site, va, size, kind);
	return tell_access(cpu, site, va, first, kind) &&
	       tell_access(cpu, site, va + first, size - first, kind);
}

static void check_translation(unsigned int cpu, uint32_t info, uint64_t va, const struct site *site)
{
	struct plugin_hwaddr *hwaddr = qemu_plugin_get_hwaddr(info, va);
	struct walk_trace trace;
	struct walk_result at = walk(&lens.cores[cpu].state, &lens.ram, va, ACCESS_LOAD, &trace);

	if (!hwaddr || qemu_plugin_hwaddr_is_io(hwaddr))
		return;
	if (at.fault || at.pa != qemu_plugin_hwaddr_phys_addr(hwaddr)) {
		lens.unexplained++;
		fprintf(lens.record, "verify pc=%#lx va=%#lx ours=%#lx fault=%d qemu=%#lx\n",
			site->pc, va, at.pa, at.fault, qemu_plugin_hwaddr_phys_addr(hwaddr));
	}
}

/* --- Memory ------------------------------------------------------------------------------ */

/* An instruction's later parts may be in a page that is not mapped yet: it faults there, and is run
 * again. */
static uint32_t mapped_size(unsigned int cpu, uint32_t info, uint64_t va, const struct site *site,
			    uint32_t size)
{
	enum event_kind kind = qemu_plugin_mem_is_store(info) ? ACCESS_STORE : ACCESS_LOAD;
	uint32_t part = 1u << qemu_plugin_mem_size_shift(info);
	uint32_t first = PAGE_SIZE - (uint32_t)(va % PAGE_SIZE);

	if (size <= first || part > first)
		return size;
	return translate(cpu, site->pc, va + first, kind).fault ? first : size;
}

/* An instruction's whole access is told at its first part; the other parts come from the same
 * site, which is left when the next block begins. */
void watch_memory(unsigned int cpu, uint32_t info, uint64_t va, void *user)
{
	const struct site *site = user;
	struct core *core = &lens.cores[cpu];
	bool store = qemu_plugin_mem_is_store(info);
	uint32_t size = site->insn.size;

	if (!watch_is_on())
		return;
	if (size && core->site == site && core->site_stores == store)
		return;
	core->site = site;
	core->site_stores = store;
	if (!size)
		size = 1u << qemu_plugin_mem_size_shift(info);
	lens_enter();
	if (lens.options.verify)
		check_translation(cpu, info, va, site);
	size = mapped_size(cpu, info, va, site, size);
	tell_pages(cpu, site, va, size, store ? ACCESS_STORE : ACCESS_LOAD);
	lens_leave();
}

/* --- Maintenance and the like ------------------------------------------------------------ */

static uint64_t read_x(struct core *core, unsigned int number)
{
	return number == 31 ? 0 : registers_read(&core->registers, REGISTER_X0 + number);
}

/* Line by line, as hardware is free to; in one direction, which no judge looks at. */
void watch_bulk(unsigned int cpu, void *user)
{
	const struct site *site = user;
	const struct insn *insn = &site->insn;
	struct core *core = &lens.cores[cpu];
	uint64_t to, from, left;
	uint32_t here;

	if (!watch_is_on())
		return;
	to = read_x(core, insn->base);
	from = read_x(core, insn->index);
	left = read_x(core, insn->rt);
	lens_enter();
	for (; left; to += here, from += here, left -= here) {
		here = TIME_LINE - (uint32_t)(to % TIME_LINE);
		if (here > left)
			here = (uint32_t)left;
		if (insn->index != EVENT_NO_REGISTER &&
		    !tell_pages(cpu, site, from, here, ACCESS_LOAD))
			break;
		if (!tell_access(cpu, site, to, here, ACCESS_STORE))
			break;
	}
	lens_leave();
}

/* Extension of a 32-bit index register, and the scaling by 8 of PRFM (register). */
#define OPTION_UXTW  2
#define OPTION_SXTW  6
#define OPTION_SCALE 1

static uint64_t index_of(struct core *core, const struct insn *insn)
{
	uint64_t index = read_x(core, insn->index);
	unsigned int extension = insn->option >> 1;

	if (insn->index == EVENT_NO_REGISTER)
		return 0;
	if (extension == OPTION_UXTW)
		index = (uint32_t)index;
	else if (extension == OPTION_SXTW)
		index = (uint64_t)(int32_t)index;
	return insn->option & OPTION_SCALE ? index << 3 : index;
}

static uint64_t op_address(struct core *core, const struct insn *insn)
{
	if (insn->op != OP_PRFM)
		return read_x(core, insn->rt);
	return registers_read(&core->registers, REGISTER_X0 + insn->base) + index_of(core, insn) +
	       (uint64_t)(int64_t)insn->offset;
}

static void forget_translations(unsigned int cpu, bool broadcast)
{
	for (unsigned int i = 0; i < lens.core_count; i++) {
		if (lens.cores[i].tlb && (broadcast || i == cpu))
			walk_tlb_flush(lens.cores[i].tlb);
	}
}

static void tell_op(struct event_op *event)
{
	if (lens.modelling)
		time_op(lens.model, event);
	if (lens.coherency)
		coherency_op(lens.coherency, event);
}

/* False: no translation, so nothing happens but a fault, or of PRFM nothing. */
static bool locate(struct event_op *event)
{
	struct walk_result at = translate(event->cpu, event->pc, event->va, ACCESS_LOAD);

	event->pa = at.pa;
	event->type = at.type;
	event->ram = walk_is_ram(&lens.ram, at.pa);
	return !at.fault;
}

void watch_op(unsigned int cpu, void *user)
{
	const struct site *site = user;
	const struct insn *insn = &site->insn;
	struct event_op event = {
		.cpu = cpu,
		.pc = site->pc,
		.kind = insn->op,
		.broadcast = insn->broadcast,
		.domain = insn->domain,
		.order = insn->order,
	};

	lens_enter();
	if (insn->op == OP_TLBI)
		forget_translations(cpu, insn->broadcast);
	if (watch_is_on()) {
		if (insn->by_address)
			event.va = op_address(&lens.cores[cpu], insn);
		if (insn->op == OP_DC_ZVA) {
			event.va &= ~(uint64_t)(ZVA_SIZE - 1);
			event.size = ZVA_SIZE;
		}
		if (!insn->by_address || locate(&event))
			tell_op(&event);
	}
	if (lens.modelling && insn->op == OP_TLBI && insn->broadcast)
		turn_claim(cpu);
	lens_leave();
}

/* --- Blocks ------------------------------------------------------------------------------ */

static void begin(unsigned int cpu)
{
	static bool begun;

	if (!begun && watch_models_at_once())
		set_modelling(cpu, true);
	begun = true;
	power_begin(cpu);
}

/* An exception's vector: the EL may have changed, and the context is synchronised. */
static void on_vector(unsigned int cpu, uint64_t pc)
{
	struct event_op event = {.cpu = cpu, .pc = pc, .kind = OP_ISB};

	lens_flags(cpu)->stale = true;
	tell_op(&event);
}

static bool is_vector(const struct core *core, uint64_t pa)
{
	for (unsigned int i = 0; i < LENS_LEVELS; i++) {
		if (pa - core->vectors[i] < VECTORS_SIZE)
			return true;
	}
	return false;
}

void watch_block(unsigned int cpu, void *user)
{
	const struct block *block = user;
	struct core *core = &lens.cores[cpu];

	core->site = NULL;
	clock_set_thread(cpu);
	if (core->on && !watch_is_on() && !lens.options.range_end)
		return;
	lens_enter();
	if (!core->on)
		begin(cpu);
	if (lens.options.range_end)
		set_modelling(cpu, block->in_range);
	if (watch_is_on() && is_vector(core, block->pa))
		on_vector(cpu, block->pc);
	if (lens.modelling) {
		time_instructions(lens.model, cpu, block->instructions);
		if (!core->call) /* else before it is known what the call did */
			turn_take(cpu);
	}
	lens_leave();
}

/* By PA: a block may run at another VA than it was translated at. */
static void find_vectors(struct core *core)
{
	struct walk_trace trace;
	struct walk_result at =
		walk(&core->state, &lens.ram, core->state.vbar, ACCESS_FETCH, &trace);

	core->vectors[core->state.el] = at.fault ? UINT64_MAX : at.pa;
}

void watch_stale_state(unsigned int cpu, void *unused)
{
	struct core *core = &lens.cores[cpu];

	(void)unused;
	if (!watch_is_on())
		return;
	lens_enter();
	lens_flags(cpu)->stale = false;
	power_return(cpu);
	registers_state(&core->registers, &core->state);
	find_vectors(core);
	walk_tlb_context(core->tlb, &core->state);
	if (lens.coherency)
		coherency_state(lens.coherency, cpu, &core->state);
	lens_leave();
}

/* Attributes are those of the VA that the block was translated at, if that still maps it, else what
 * fetches usually are. */
void watch_fetch(unsigned int cpu, void *user)
{
	const struct block *block = user;
	struct walk_result at;
	struct event_access event = {
		.cpu = cpu,
		.pc = block->pc,
		.va = block->pc,
		.pa = block->pa,
		.size = block->instructions * INSN_SIZE,
		.kind = ACCESS_FETCH,
		.mmu_on = walk_mmu_on(&lens.cores[cpu].state),
		.ram = walk_is_ram(&lens.ram, block->pa),
	};

	lens_enter();
	at = translate(cpu, block->pc, block->pc, ACCESS_FETCH);
	event.type = at.type;
	event.inner_shareable = at.inner_shareable;
	if (at.fault || at.pa != block->pa) {
		event.type = TYPE_WRITEBACK;
		event.inner_shareable = true;
	}
	coherency_access(lens.coherency, &event);
	lens_leave();
}

/* --- Steps ------------------------------------------------------------------------------- */

void watch_start(unsigned int cpu, void *unused)
{
	(void)unused;
	lens_enter();
	set_modelling(cpu, true);
	lens_leave();
}

void watch_stop(unsigned int cpu, void *unused)
{
	(void)unused;
	lens_enter();
	set_modelling(cpu, false);
	lens_leave();
}

void watch_mark(unsigned int cpu, void *name)
{
	lens_enter();
	record_event(name, cpu);
	lens_leave();
}

void watch_marker(unsigned int cpu, void *user)
{
	const struct site *site = user;
	char name[16];

	snprintf(name, sizeof(name), "hint%u", site->insn.marker);
	lens_enter();
	record_event(name, cpu);
	lens_leave();
}

void watch_kernel(unsigned int cpu, void *pa)
{
	struct core *core = &lens.cores[cpu];
	struct registers *r = &core->registers;
	struct contract_ram memory = {lens.ram.base, lens.ram.size, lens.ram.map};
	struct contract_entry entry = {
		.cpu = cpu,
		.pc = (uintptr_t)pa,
		.daif = registers_read(r, REGISTER_CPSR) & PSTATE_DAIF,
		.isr = registers_read(r, REGISTER_ISR_EL1),
		.cntfrq = registers_read(r, REGISTER_CNTFRQ_EL0),
		.mmfr0 = registers_read(r, REGISTER_ID_AA64MMFR0_EL1),
	};

	registers_state(r, &core->state);
	entry.el = core->state.el;
	entry.sctlr = core->state.sctlr;
	for (unsigned int i = 0; i < 4; i++)
		entry.x[i] = read_x(core, i);
	lens_enter();
	record_event("kernel", cpu);
	contract_check(&entry, &memory, lens.coherency, lens.report);
	lens_leave();
}
