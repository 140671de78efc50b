/* SPDX-License-Identifier: MIT */
/* kexpress check, -e and -u: what is done with what is loaded. */
#include <inttypes.h>

#include "commands.h"
#include "kexec.h"
#include "loaded.h"
#include "say.h"

/* The kernel could be told to load something else by somebody else, meanwhile. */
static void open_loaded(struct loaded *l)
{
	if (!loaded_read(l))
		fail(NOT_LOADED, "nothing is loaded: kexpress -l comes first");
	if (!kexec_is_loaded())
		fail(NOT_LOADED, "somebody else has unloaded it: kexpress -l comes first");
}

/* The kernel moves what lies in small pages as it likes (compaction); the list must follow. */
static void check_places(struct loaded *l)
{
	if (loaded_is_in_place(l))
		return;
	say_debug("pages have moved since they were loaded: listed again");
	loaded_commit(l);
}

static void check(struct loaded *l)
{
	const struct loaded_segment *damaged;

	open_loaded(l);
	if (!store_map(&l->store)) {
		loaded_remove(l);
		fail(DAMAGED, "the payload's memory is gone: somebody has removed it; unloaded");
	}
	check_places(l);
	damaged = loaded_find_damage(l);
	if (!damaged)
		return;
	loaded_remove(l);
	fail(DAMAGED, "the %s for 0x%" PRIx64 "-0x%" PRIx64 " is not what was loaded; unloaded",
	     damaged->is.flags & KX_SEGMENT_KERNEL ? "kernel" : "initramfs",
	     damaged->is.destination, damaged->is.destination + damaged->is.file_size);
}

void command_check(void)
{
	struct loaded loaded;

	check(&loaded);
}

void command_execute(void)
{
	struct loaded loaded;

	check(&loaded);
	kexec_execute();
}

void command_unload(void)
{
	struct loaded loaded;

	if (!loaded_read(&loaded))
		fail(NOT_LOADED, "nothing is loaded");
	loaded_remove(&loaded);
}
