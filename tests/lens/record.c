/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "lens.h"
#include "turn.h"

void record_event(const char *name, unsigned int cpu)
{
	fprintf(lens.record, "event name=%s cpu=%u ps=%lu\n", name, cpu,
		time_now_ps(lens.model, cpu));
	fflush(lens.record);
}

static void record_cpu(unsigned int cpu)
{
	static const char *const types[] = {"device", "noncacheable", "writethrough", "writeback"};
	static const char *const ops[] = {"dc_zva", "dc_cvac", "dc_cvau",  "dc_civac",	 "dc_ivac",
					  "dc_sw",  "ic_ivau", "ic_iallu", "ic_ialluis", "tlbi",
					  "dsb",    "dmb",     "isb",	   "prfm"};
	const struct time_counts *c = time_counts(lens.model, cpu);

	fprintf(lens.record, "counts cpu=%u ps=%lu instructions=%lu", cpu,
		time_now_ps(lens.model, cpu), c->instructions);
	for (unsigned int i = 0; i < sizeof(types) / sizeof(*types); i++)
		fprintf(lens.record, " %s_loads=%lu %s_stores=%lu", types[i], c->loads[i], types[i],
			c->stores[i]);
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		fprintf(lens.record, " %s=%lu", ops[i], c->ops[i]);
	fprintf(lens.record,
		" l1_misses=%lu dram_reads=%lu dram_writes=%lu streamed=%lu walks=%lu\n",
		c->l1_misses, c->dram_reads, c->dram_writes, c->streamed, c->walks);
	fflush(lens.record);
}

void record_counts(void)
{
	for (unsigned int i = 0; i < lens.core_count; i++)
		record_cpu(i);
}

void record_end(void)
{
	if (lens.modelling)
		record_counts();
	fprintf(lens.record, "end ps=%lu stalls=%lu unexplained=%lu\n", lens_latest_ps(),
		turn_stalls(), lens.unexplained);
}
