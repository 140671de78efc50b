/* SPDX-License-Identifier: MIT */
/* kexpress -l */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../payload/crc32.h"
#include "commands.h"
#include "kexec.h"
#include "layout.h"
#include "loaded.h"
#include "machine.h"
#include "payload.h"
#include "say.h"
#include "tree.h"

#include <unistd.h>

#define MORE_RANGES (2 * KX_HANDOFF_RANGES * sizeof(struct kx_range)) /* by machine_own */
#define FILL_STEP   ((size_t)1 << 20) /* bytes between two looks at the bar */

static struct loaded loaded;

static void undo(void)
{
	store_remove(&loaded.store);
}

static struct control_input describe(const struct machine *m, const struct tree *tree,
				     const struct loader_payload *p)
{
	return (struct control_input){
		.trampoline = &trampoline,
		.stage = stage_image,
		.stage_size = (size_t)(stage_image_end - stage_image),
		.tree = tree->data,
		.tree_size = tree->size,
		.ram = &m->ram,
		.avoid = &m->avoid,
		.psci = m->psci,
		.segment_count = p->initrd.size ? 2 : 1,
	};
}

static struct layout_input measure(const struct machine *m, const struct loader_payload *p,
				   const struct control_input *control)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	return (struct layout_input){
		.ram = &m->ram,
		.avoid = &m->avoid,
		.kernel = {p->image.text_offset, p->image.memory_size, p->image.anywhere},
		.kernel_size = p->kernel.size,
		.initrd_size = p->initrd.size,
		.control_size = control_memory_size(control, page_size),
		.control_file_size = control_file_size(control, page_size),
		.page_size = page_size,
	};
}

static void get_store(const struct layout_input *in)
{
	uint64_t size = layout_store_size(in) + MORE_RANGES;

	say_on_failure(undo);
	if (!store_get(&loaded.store, size))
		fail(NO_MEMORY, "memory is short: %" PRIu64 " MiB are needed to keep the payload",
		     (size >> 20) + 1);
	for (size_t i = 0; i < loaded.store.pool_count; i++) {
		const struct pool *p = &loaded.store.pools[i];

		say_debug("%" PRIu64 " pages of %" PRIu64 " KiB%s", p->size / p->page_size,
			  p->page_size >> 10, p->locked ? ", locked" : "");
	}
	store_locate(&loaded.store);
}

static void lay_out(struct layout_input *in, struct layout *layout)
{
	struct kx_refusal why;

	if (layout_make(in, layout, &why))
		fail(NO_MEMORY, "no place in RAM: %s, %" PRIu64 " bytes", why.what, why.end);
}

/* Reads what input has into its pages; the sum is of what was read. */
static void fill(struct loaded_segment *g, const struct input *input, const struct placed *placed,
		 const char *what)
{
	size_t done = 0;

	g->pieces = placed->pieces;
	g->is.destination = placed->destination;
	g->is.file_size = input->size;
	g->is.crc = 0;
	for (size_t i = 0; i < g->pieces.count && done < input->size; i++) {
		struct piece p = g->pieces.pieces[i];

		for (uint64_t at = 0; at < p.length && done < input->size;) {
			size_t step = p.length - at < FILL_STEP ? p.length - at : FILL_STEP;
			unsigned char *to = loaded.store.base + p.offset + at;

			if (step > input->size - done)
				step = input->size - done;
			memcpy(to, input->data + done, step);
			g->is.crc = crc32_update(g->is.crc, input->data + done, step);
			at += step;
			done += step;
			say_progress(what, done, input->size);
		}
	}
	say_debug("%s at 0x%" PRIx64 " size 0x%" PRIx64 "%s", what, g->is.destination,
		  g->is.file_size, placed->in_place ? ", in place" : "");
}

static void fill_segments(const struct loader_payload *p, const struct layout *layout)
{
	struct loaded_segment *kernel = &loaded.segments[0], *initrd = &loaded.segments[1];

	kernel->is.flags = KX_SEGMENT_KERNEL | KX_SEGMENT_CRC;
	fill(kernel, &p->kernel, &layout->kernel, "kernel");
	kernel->is.memory_size = p->image.memory_size;
	loaded.segment_count = 1;
	if (!p->initrd.size)
		return;
	initrd->is.flags = KX_SEGMENT_INITRD | KX_SEGMENT_CRC;
	fill(initrd, &p->initrd, &layout->initrd, "initramfs");
	initrd->is.memory_size = p->initrd.size;
	loaded.segment_count = 2;
}

static void make_control(struct control_input *in, const struct layout *layout)
{
	void *buffer = calloc(1, loaded.control_size);

	if (!buffer)
		fail(NO_MEMORY, "no memory for what the kernel is handed");
	for (uint32_t i = 0; i < loaded.segment_count; i++)
		in->segments[i] = loaded.segments[i].is;
	in->entry = loaded.segments[0].is.destination;
	control_build(in, buffer, layout->control);
	loaded.control = layout->control;
	loaded.control_copy = layout->control_copy;
	loaded.list = layout->list;
	loaded_put(&loaded, &loaded.control_copy, buffer, loaded.control_size);
	free(buffer);
	say_debug("entry 0x%" PRIx64 " size 0x%" PRIx64, loaded.control, loaded.control_size);
}

/* As kexec-tools: what was loaded before goes, whoever has loaded it. */
static void unload_previous(void)
{
	struct loaded previous;

	if (loaded_read(&previous))
		loaded_remove(&previous);
}

void command_load(const struct arguments *a)
{
	struct range initrd = {KX_PAGE_SIZE, 2 * KX_PAGE_SIZE}; /* anywhere: as long in the tree */
	struct loader_payload payload;
	struct control_input control;
	struct layout_input in;
	struct machine machine;
	struct layout layout;
	struct chunk *chunks;
	struct tree tree;
	size_t count;

	kexec_check_permitted();
	payload_open(a, &payload);
	machine = machine_read();
	initrd.end = initrd.start + payload.initrd.size;
	tree = tree_make(&machine, &payload, a, initrd);
	unload_previous();

	control = describe(&machine, &tree, &payload);
	in = measure(&machine, &payload, &control);
	get_store(&in);
	chunks = store_chunks(&loaded.store, &count);
	machine_own(&machine, chunks, count);
	in = measure(&machine, &payload, &control);
	in.chunks = chunks;
	in.chunk_count = count;
	lay_out(&in, &layout);

	free(tree.data);
	initrd.start = layout.initrd.destination;
	initrd.end = initrd.start + payload.initrd.size;
	tree = tree_make(&machine, &payload, a, initrd);
	control.tree = tree.data;
	fill_segments(&payload, &layout);
	loaded.control_size = in.control_file_size;
	loaded.control_memory = in.control_size;
	make_control(&control, &layout);
	strncpy(loaded.name, a->kernel, LOADED_NAME - 1);
	loaded_commit(&loaded);
}
