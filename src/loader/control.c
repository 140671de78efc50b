/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <string.h>

#include "../payload/image.h"
#include "../place/page.h"

#define PART_ALIGN 8ull /* of the block, and of the tree */

static uint64_t block_size(const struct control_input *in)
{
	return sizeof(struct kx_handoff) + in->segment_count * sizeof(struct kx_segment) +
	       (in->ram->count + in->avoid->count) * sizeof(struct kx_range);
}

static uint64_t block_offset(void)
{
	return round_up(sizeof(struct trampoline), PART_ALIGN);
}

static uint64_t tree_offset(const struct control_input *in)
{
	return round_up(block_offset() + block_size(in), PART_ALIGN);
}

/* Behind all else: what follows its file is its memory. */
static uint64_t stage_offset(const struct control_input *in)
{
	return round_up(tree_offset(in) + in->tree_size, KX_PAGE_SIZE);
}

uint64_t control_file_size(const struct control_input *in, uint64_t page_size)
{
	return round_up(stage_offset(in) + in->stage_size, page_size);
}

uint64_t control_memory_size(const struct control_input *in, uint64_t page_size)
{
	struct image_info stage;
	struct kx_refusal why;

	if (image_read(in->stage, in->stage_size, &stage, &why))
		__builtin_trap(); /* it is ours */
	return round_up(stage_offset(in) + stage.memory_size, page_size);
}

static struct kx_range *put_ranges(struct kx_range *to, const struct range_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		*to++ = (struct kx_range){set->ranges[i].start, set->ranges[i].end};
	return to;
}

static void put_block(const struct control_input *in, struct kx_handoff *h, uint64_t at)
{
	struct kx_range *ranges;

	*h = (struct kx_handoff){
		.magic = KX_HANDOFF_MAGIC,
		.version = KX_HANDOFF_VERSION,
		.size = (uint32_t)block_size(in),
		.flags = in->psci,
		.list_head = KX_LIST_DONE,
		.entry = in->entry,
		.fdt = at + tree_offset(in),
		.segment_count = in->segment_count,
		.ram_count = (uint32_t)in->ram->count,
		.avoid_count = (uint32_t)in->avoid->count,
	};
	memcpy(h->segments, in->segments, in->segment_count * sizeof(struct kx_segment));
	ranges = put_ranges((struct kx_range *)&h->segments[in->segment_count], in->ram);
	put_ranges(ranges, in->avoid);
}

void control_build(const struct control_input *in, void *buffer, uint64_t at)
{
	unsigned char *to = buffer;
	struct trampoline t = *in->trampoline;

	t.argument = at + block_offset();
	t.stage = at + stage_offset(in);
	memcpy(to, &t, sizeof(t));
	put_block(in, (struct kx_handoff *)(to + block_offset()), at);
	memcpy(to + tree_offset(in), in->tree, in->tree_size);
	memcpy(to + stage_offset(in), in->stage, in->stage_size);
}

void control_set_list(void *buffer, uint64_t head)
{
	struct kx_handoff *h = (struct kx_handoff *)((unsigned char *)buffer + block_offset());

	h->list_head = head;
}
