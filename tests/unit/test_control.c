/* SPDX-License-Identifier: MIT */
/* What the Linux command hands to kexec_load(2). */
#include "loader/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE   ((uint64_t)KX_PAGE_SIZE)
#define AT     0x47610000ull
#define MEMORY 0x2b0000

/* In the command it is assembled for arm64; what matters here is where its two words are. */
static const struct trampoline code = {.code = {1, 2, 3, 4}};

static unsigned char stage[5000];
static const char tree[] = "a device tree";
static struct range ram_ranges[] = {{0x40000000, 0x80000000}, {0x100000000, 0x180000000}};
static const struct range_set ram = {ram_ranges, 2, 2};
static struct range avoid_ranges[] = {{0x42000000, 0x43000000}};
static const struct range_set avoid = {avoid_ranges, 1, 1};

/* An Image's header, as far as it is read. */
static int make_stage(void **state)
{
	const uint64_t memory = MEMORY;

	(void)state;
	for (size_t i = 0; i < sizeof(stage); i++)
		stage[i] = (unsigned char)(i * 7);
	memset(stage + 8, 0, 56);
	memcpy(stage + 16, &memory, sizeof(memory));
	stage[24] = 8;
	memcpy(stage + 56, "ARM\x64", 4);
	return 0;
}

static struct control_input input(void)
{
	return (struct control_input){
		.trampoline = &code,
		.stage = stage,
		.stage_size = sizeof(stage),
		.tree = tree,
		.tree_size = sizeof(tree),
		.ram = &ram,
		.avoid = &avoid,
		.psci = KX_HANDOFF_PSCI_SMC,
		.segments = {{0x50000000, 100, 200, KX_SEGMENT_KERNEL, 0},
			     {0x60000000, 300, 300, KX_SEGMENT_INITRD | KX_SEGMENT_CRC, 7}},
		.segment_count = 2,
		.entry = 0x50000000,
	};
}

static void test_contents(void **state)
{
	struct control_input in = input();
	uint64_t size = control_file_size(&in, PAGE);
	unsigned char *buffer = calloc(1, size);
	const struct trampoline *t = (const struct trampoline *)buffer;
	const struct kx_handoff *h;
	const struct kx_range *ranges;

	(void)state;
	control_build(&in, buffer, AT);
	control_set_list(buffer, 0x51000000 | KX_LIST_INDIRECTION);
	assert_memory_equal(t->code, code.code, sizeof(t->code));
	assert_int_equal(t->stage % PAGE, 0);
	assert_memory_equal(buffer + (t->stage - AT), stage, sizeof(stage));
	assert_true(t->stage - AT + sizeof(stage) <= size);

	h = (const struct kx_handoff *)(buffer + (t->argument - AT));
	assert_int_equal(t->argument % 8, 0);
	assert_int_equal(h->magic, KX_HANDOFF_MAGIC);
	assert_int_equal(h->version, KX_HANDOFF_VERSION);
	assert_int_equal(h->size, sizeof(*h) + 2 * KX_SEGMENT_SIZE + 3 * KX_RANGE_SIZE);
	assert_int_equal(h->flags, KX_HANDOFF_PSCI_SMC);
	assert_int_equal(h->list_head, 0x51000000 | KX_LIST_INDIRECTION);
	assert_int_equal(h->entry, 0x50000000);
	assert_int_equal(h->fdt % 8, 0);
	assert_string_equal((const char *)buffer + (h->fdt - AT), tree);
	assert_memory_equal(h->segments, in.segments, sizeof(in.segments));
	ranges = (const struct kx_range *)&h->segments[2];
	assert_int_equal(h->ram_count, 2);
	assert_memory_equal(ranges, ram_ranges, sizeof(ram_ranges));
	assert_int_equal(h->avoid_count, 1);
	assert_memory_equal(ranges + 2, avoid_ranges, sizeof(avoid_ranges));
	free(buffer);
}

/* What the stage needs behind its file is counted from where the stage is. */
static void test_sizes(void **state)
{
	struct control_input in = input();

	(void)state;
	for (uint64_t page = PAGE; page <= 16 * PAGE; page *= 4) {
		uint64_t file = control_file_size(&in, page);

		assert_int_equal(file % page, 0);
		assert_true(control_memory_size(&in, page) >= PAGE + MEMORY);
		assert_true(file < 2 * PAGE + sizeof(stage) + page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, make_stage, NULL);
}
