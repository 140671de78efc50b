/* SPDX-License-Identifier: MIT */
/*
 * What kexec_load(2) is given, and the old kernel moves: a trampoline, the hand-off block
 * (kexpress/handoff.h), the device tree and the stage. Some hundred kilobytes, whatever the
 * payload's size; the list and the payload are where the block says.
 */
#ifndef LOADER_CONTROL_H
#define LOADER_CONTROL_H

#include <kexpress/handoff.h>

#include "../place/range.h"
#include "trampoline.h"

#define CONTROL_SEGMENTS 2

struct control_input {
	const struct trampoline *trampoline;
	const void *stage; /* kexpress.bin */
	size_t stage_size;
	const void *tree;
	size_t tree_size;
	const struct range_set *ram;
	const struct range_set *avoid;
	uint32_t psci; /* KX_HANDOFF_PSCI_* */
	struct kx_segment segments[CONTROL_SEGMENTS];
	uint32_t segment_count;
	uint64_t entry; /* of the kernel */
};

/* Bytes of the file, in whole pages of page_size. */
uint64_t control_file_size(const struct control_input *in, uint64_t page_size);

/* The same with the memory that the stage needs behind it. */
uint64_t control_memory_size(const struct control_input *in, uint64_t page_size);

/* Writes it to buffer, of control_file_size bytes, zeroed, for physical address at. */
void control_build(const struct control_input *in, void *buffer, uint64_t at);

/* Names the entry list. */
void control_set_list(void *buffer, uint64_t head);

#endif /* LOADER_CONTROL_H */
