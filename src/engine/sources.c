/* SPDX-License-Identifier: MIT */
/*
 * Where payloads come from: a hand-off block's list, the initrd of the boot protocol, or the
 * board's slots in flash, of which the one that was written last is tried first.
 */
#include "sources.h"

#include "board_data.h"
#include "console.h"

#include "../payload/fdt_read.h"
#include "../payload/slot.h"

static const struct {
	const char *name;
	uint64_t start;
} slots[STAGE_SOURCES] = {{"flash slot A", BOARD_SLOT_A}, {"flash slot B", BOARD_SLOT_B}};

size_t sources_flash(const struct stage *s, struct range flash[STAGE_SOURCES])
{
	struct range initrd;

	if (!BOARD_SLOT_SIZE || s->handoff || fdt_read_initrd(s->fdt, &initrd))
		return 0;
	for (size_t i = 0; i < STAGE_SOURCES; i++)
		flash[i] = (struct range){slots[i].start, slots[i].start + BOARD_SLOT_SIZE};
	return STAGE_SOURCES;
}

static void add(struct stage *s, const char *name, uint64_t start, size_t size)
{
	s->sources[s->source_count++] = (struct source){name, {start, start + size}};
}

/* False: nothing to boot is there, and why it is not is said. */
static bool read_slot(size_t i, struct range flash, struct slot *slot)
{
	const void *at = (const void *)flash.start;
	struct kx_refusal why;

	if (slot_is_empty(at))
		return false;
	if (!slot_read(at, flash.end - flash.start, slot, &why))
		return true;
	say("warning: %s passed over: %s, 0x%llx-0x%llx", slots[i].name, why.what,
	    (unsigned long long)why.start, (unsigned long long)why.end);
	return false;
}

static void add_slots(struct stage *s, const struct range *flash)
{
	struct slot found[STAGE_SOURCES];
	bool there[STAGE_SOURCES];
	size_t first;

	for (size_t i = 0; i < STAGE_SOURCES; i++)
		there[i] = read_slot(i, flash[i], &found[i]);
	first = there[0] && there[1] && slot_is_newer(&found[1], &found[0]);
	for (size_t n = 0; n < STAGE_SOURCES; n++) {
		size_t i = first ^ n;

		if (there[i])
			add(s, slots[i].name, (uint64_t)found[i].data, found[i].size);
	}
	if (s->source_count)
		say("booting from %s", s->sources[0].name);
}

enum kx_error sources_check(struct stage *s, struct range r, const char *what)
{
	if (range_set_contains(&s->ram, r.start, r.end) &&
	    (r.end <= s->own.start || s->own.end <= r.start))
		return KX_OK;
	return kx_refuse(&s->why, KX_E_PAYLOAD_RANGE, what, r.start, r.end);
}

static enum kx_error add_initrd(struct stage *s, struct range initrd)
{
	enum kx_error error = sources_check(s, initrd, "initrd not in usable RAM");

	if (!error)
		add(s, "initrd", initrd.start, initrd.end - initrd.start);
	return error;
}

enum kx_error sources_find(struct stage *s)
{
	struct range flash[STAGE_SOURCES], initrd;

	if (s->handoff)
		add(s, "hand-off", 0, 0);
	else if (fdt_read_initrd(s->fdt, &initrd))
		return add_initrd(s, initrd);
	else if (sources_flash(s, flash))
		add_slots(s, flash);
	if (!s->source_count)
		return kx_refuse(&s->why, KX_E_NO_PAYLOAD,
				 "no initrd in /chosen, no hand-off block, nothing in flash",
				 (uint64_t)s->fdt, (uint64_t)s->fdt);
	return KX_OK;
}
