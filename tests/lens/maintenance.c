// SPDX-License-Identifier: MIT
#include "maintenance.h"

#include "coherency_state.h"

static void clean_to_pou(struct coherency *coherency, const struct event_op *op, struct line *line)
{
	if (!line->dirty_pou)
		return;
	line->dirty_pou = 0;
	coherency_set_step(coherency, line, op->cpu, true);
}

static void clean_to_poc(struct coherency *coherency, const struct event_op *op, struct line *line)
{
	if (!line->dirty)
		return;
	coherency_retire(coherency, line);
	if (line->wrong) /* what was newer in memory is overwritten */
		line->lost = 1;
	line->dirty = 0;
	line->dirty_pou = 0;
	line->cleaning = 1;
	coherency_set_step(coherency, line, op->cpu, true);
}

static void invalidate(struct coherency *coherency, const struct event_op *op, struct line *line)
{
	if (line->wrong && !line->lost) {
		coherency_retire(coherency, line);
		line->wrong = 0;
		line->invalidating = 1;
		coherency_set_step(coherency, line, op->cpu, true);
	}
	line->touched = 0;
	if (!coherency_is_cacheable(op->type))
		line->cached = 0;
}

static void discard(struct coherency *coherency, const struct event_op *op, struct line *line)
{
	if (!line->dirty)
		return;
	coherency_retire(coherency, line);
	line->wrong = line->dirty & ~line->wrong;
	line->lost = 1;
	line->dirty = 0;
	line->dirty_pou = 0;
	line->invalidating = 1;
	coherency_set_step(coherency, line, op->cpu, true);
	lines_blame(line, op->pc);
}

static void invalidate_instructions(struct coherency *coherency, const struct event_op *op,
				    struct line *line)
{
	bool hidden = line->dirty_pou && !(coherency->options.ctr & CTR_IDC);

	/* One that comes too early may be undone by a fetch. */
	if (!line->written || line->ic || hidden ||
	    !coherency_is_completed(coherency, op->cpu, line))
		return;
	line->ic = 1;
	line->cleaning = 0;
	coherency_set_step(coherency, line, op->cpu, true);
}

static void maintain_line(struct coherency *coherency, const struct event_op *op, struct line *line)
{
	switch (op->kind) {
	case OP_DC_CVAU:
		clean_to_pou(coherency, op, line);
		break;
	case OP_DC_CVAC:
		clean_to_poc(coherency, op, line);
		break;
	case OP_DC_IVAC:
		/* Arm ARM D7.5.9: under a hypervisor it cleans as well. */
		if (coherency->cpu[op->cpu].stage2)
			clean_to_poc(coherency, op, line);
		else
			discard(coherency, op, line);
		invalidate(coherency, op, line);
		break;
	case OP_IC_IVAU:
		invalidate_instructions(coherency, op, line);
		break;
	default:
		clean_to_poc(coherency, op, line);
		invalidate(coherency, op, line);
	}
}

static struct event_access access_of(const struct event_op *op)
{
	return (struct event_access){.cpu = op->cpu,
				     .pc = op->pc,
				     .va = op->va,
				     .pa = op->pa,
				     .kind = ACCESS_STORE,
				     .type = op->type,
				     .mmu_on = true,
				     .ram = op->ram};
}

void maintenance_by_address(struct coherency *coherency, const struct event_op *op)
{
	uint64_t ctr = coherency->options.ctr;
	uint64_t size = 4ull << (op->kind == OP_IC_IVAU ? CTR_IMINLINE(ctr) : CTR_DMINLINE(ctr));
	uint64_t start = op->pa & ~(size - 1);
	struct event_access access = access_of(op);

	if (!op->ram) {
		coherency_found_by(coherency, "cmo-outside-ram", &access, 0);
		return;
	}
	for (uint64_t pa = start; pa < start + size; pa += LINE_SIZE) {
		struct line *line = lines_at(coherency->lines, pa);

		if (line)
			maintain_line(coherency, op, line);
	}
}

void maintenance_by_set_way(struct coherency *coherency, const struct event_op *op)
{
	struct event_access access = access_of(op);
	const struct coherency_options *options = &coherency->options;
	uint64_t end = options->ram_base + options->ram_size;
	uint64_t pa = options->ram_base;

	coherency_found_by(coherency, "set-way", &access, 0);
	if (coherency->swept)
		return;
	coherency->swept = true;
	while ((pa = lines_next(coherency->lines, pa)) < end) {
		maintain_line(coherency, op, lines_at(coherency->lines, pa));
		pa += LINE_SIZE;
	}
}

void maintenance_zero(struct coherency *coherency, const struct event_op *op)
{
	struct event_access access = access_of(op);

	access.size = op->size;
	access.pa &= ~(uint64_t)(op->size - 1);
	access.va &= ~(uint64_t)(op->size - 1);
	if (op->type == TYPE_DEVICE)
		coherency_found_by(coherency, "zva-on-device", &access, 0);
	else if (op->ram)
		coherency_access_lines(coherency, &access);
}
