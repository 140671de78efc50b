/* SPDX-License-Identifier: MIT */
/*
 * Step "plan": where everything goes, in which order, and what memory is ours meanwhile. Every
 * refusal that does not come from a hash happens here or before.
 */
#include "plan.h"

#include "console.h"
#include "control.h"
#include "cores.h"
#include "entropy.h"
#include "fold.h"
#include "image_layout.h"

#include "../payload/fdt_fixup.h"

#include <stdio.h>

#define OCCUPANCY_WORDS 4096	    /* a bit for each page of 1 GiB; larger units for more */
#define FDT_ROOM	0x200000ull /* the boot protocol's block: shared with nobody */
#define BOOTARGS_MAX	8192
#define ENTROPY_SIZE	40 /* kaslr-seed and rng-seed */

static NOINIT uint64_t occupancy_bits[OCCUPANCY_WORDS];
static NOINIT char kernel_bootargs[BOOTARGS_MAX];

/* What nobody may be placed over. Destinations and sources are taken by those who know them. */
static void take_known(struct stage *s)
{
	struct occupancy *o = &s->plan.occupancy;
	const struct boot_argument *a = &boot_argument;

	occupancy_init(o, &s->ram, occupancy_bits, OCCUPANCY_WORDS);
	for (size_t i = 0; i < s->reserved.count; i++)
		occupancy_take(o, s->reserved.ranges[i].start, s->reserved.ranges[i].end);
	occupancy_take(o, s->own.start, s->own.end);
	occupancy_take(o, a->fdt.start, a->fdt.end);
	occupancy_take(o, a->handoff.start, a->handoff.end);
}

static bool overlap(struct range a, struct range b)
{
	return a.start < b.end && b.start < a.end;
}

static bool in_destination(const struct stage *s, struct range r)
{
	for (size_t i = 0; i < s->payload.segment_count; i++)
		if (overlap(r, plan_memory(&s->payload.segments[i])))
			return true;
	return false;
}

/* What is accounted with each run starts from nothing: an earlier configuration may have failed. */
static void forget_counts(struct stage *s)
{
	s->timing.bytes_copied = 0;
	s->timing.bytes_zeroed = 0;
	for (size_t i = 0; i < s->payload.segment_count; i++)
		s->payload.segments[i].copied = 0;
}

/* What the segments have and no run brings is in place already. */
static void count_in_place(struct stage *s)
{
	struct kx_timing *t = &s->timing;
	uint64_t file = 0;

	for (size_t i = 0; i < s->payload.segment_count; i++)
		file += page_up(s->payload.segments[i].file_size);
	t->bytes_in_place = file > t->bytes_copied ? file - t->bytes_copied : 0;
	t->runs = s->plan.run_count;
}

/*
 * We lie in a destination: the payload becomes ourselves, to a place that is nobody's, where we
 * start again with what we were given. What changes in our image while we run is not copied.
 */
static enum kx_error plan_own_move(struct stage *s)
{
	struct plan *p = &s->plan;
	struct range anywhere = {0, UINT64_MAX};
	uint64_t size = s->own.end - s->own.start, file = (uint64_t)_image_file_end - s->own.start;
	struct run *run = control_take(s, sizeof(*run));
	uint64_t at;

	if (!run)
		return s->why.error;
	if (!occupancy_find(&p->occupancy, size, GEOMETRY_PAGE_MAX, 0, anywhere, &at))
		return kx_refuse(&s->why, KX_E_NO_ROOM, "no free memory to move ourselves to", 0,
				 size);
	occupancy_take(&p->occupancy, at, at + size);
	*run = (struct run){s->own.start, at, file, RUN_COPY};
	p->runs = run;
	p->run_count = 1;
	s->payload.segment_count = 1;
	s->payload.segments[0] = (struct segment){
		.source = s->own.start,
		.destination = at,
		.file_size = file,
		.memory_size = size,
		.flags = KX_SEGMENT_EXEC | KX_SEGMENT_POC,
	};
	p->jump = (struct jump){
		{s->entry->argument, ENTRY_MOVED_MAGIC, (uint64_t)s->entry, 0}, at, s->entry->el};
	s->options.mmu = true;
	return KX_OK;
}

static struct range initrd_of(const struct stage *s)
{
	for (size_t i = 0; i < s->payload.segment_count; i++) {
		const struct segment *g = &s->payload.segments[i];

		if (g->flags & KX_SEGMENT_INITRD)
			return (struct range){g->destination, g->destination + g->file_size};
	}
	return (struct range){0, 0};
}

static enum kx_error join_bootargs(struct stage *s)
{
	const char *first = s->payload.bootargs ? s->payload.bootargs : "";
	int length = snprintf(kernel_bootargs, sizeof(kernel_bootargs), "%s%s%s", first,
			      *first && *s->bootargs ? " " : "", s->bootargs);

	if (length < 0 || (size_t)length >= sizeof(kernel_bootargs))
		return kx_refuse(&s->why, KX_E_FDT_SPACE, "command line too long", BOOTARGS_MAX,
				 (uint64_t)length);
	return KX_OK;
}

/* The kernel's device tree, complete but for the timing. */
static enum kx_error plan_tree(struct stage *s)
{
	struct range anywhere = {0, UINT64_MAX};
	uint8_t entropy[ENTROPY_SIZE];
	struct fdt_fixup f = {
		.machine = s->fdt,
		.payload = s->payload.fdt.data,
		.payload_size = s->payload.fdt.size,
		.bootargs = kernel_bootargs,
		.initrd = initrd_of(s),
		.entropy = entropy_read(entropy, sizeof(entropy)) ? entropy : NULL,
		.entropy_size = ENTROPY_SIZE,
		.landing = s->plan.landing,
	};
	uint64_t at;

	if (join_bootargs(s))
		return s->why.error;
	if (!occupancy_find(&s->plan.occupancy, FDT_ROOM, FDT_ROOM, 0, anywhere, &at))
		return kx_refuse(&s->why, KX_E_NO_ROOM, "no free 2 MiB for the device tree", 0,
				 FDT_ROOM);
	occupancy_take(&s->plan.occupancy, at, at + FDT_ROOM);
	s->plan.fdt_room = (struct range){at, at + FDT_ROOM};
	s->plan.fdt = (void *)at;
	s->plan.jump.x[0] = at;
	return fdt_fixup(&f, s->plan.fdt, FDT_ROOM, &s->why);
}

/* A caller's timing record is written after the move, so it must lie where nothing is moved. */
static enum kx_error plan_timing(struct stage *s)
{
	uint64_t at = s->handoff ? s->handoff->timing : 0;
	struct range record = {at, at + sizeof(struct kx_timing)};

	if (at && (at % 8 || !range_set_contains(&s->ram, record.start, record.end) ||
		   in_destination(s, record) || overlap(s->own, record)))
		return kx_refuse(&s->why, KX_E_HANDOFF,
				 "timing record misaligned, not in RAM, or in a destination",
				 record.start, record.end);
	occupancy_take(&s->plan.occupancy, record.start, record.end);
	s->plan.timing = at;
	return KX_OK;
}

enum kx_error plan(struct stage *s)
{
	enum kx_error error;

	s->plan = (struct plan){.spare = PLAN_NO_SPARE};
	forget_counts(s);
	take_known(s);
	error = s->handoff ? plan_handoff_place(s) : plan_payload_place(s);
	if (!error)
		error = plan_timing(s);
	if (error)
		return error;
	if (in_destination(s, s->own))
		return plan_own_move(s);
	error = s->handoff ? plan_handoff_runs(s) : plan_payload_runs(s);
	if (error)
		return error;
	fold_plan(s);
	cores_plan(s);
	error = plan_tree(s);
	if (error)
		return error;
	count_in_place(s);
	if (s->options.debug)
		say("plan: %zu runs, %llu bytes to copy, %llu in place, entry 0x%llx",
		    s->plan.run_count, (unsigned long long)s->timing.bytes_copied,
		    (unsigned long long)s->timing.bytes_in_place,
		    (unsigned long long)s->plan.jump.entry);
	return KX_OK;
}
