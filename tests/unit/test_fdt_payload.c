/* SPDX-License-Identifier: MIT */
/* A payload's tree of any alignment, bytes, and room for it. */
#include "corrupt.h"
#include "fdt_fixup.h"
#include "fdt_machine.h"
#include "fdt_payload.h"

/* A FIT gives 4-byte alignment; libfdt wants 8. */
static void test_payload_misaligned(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	size_t size = fdt_totalsize(payload);
	struct guarded g = guarded_new(size + 8);

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		struct fdt_fixup f = {
			.machine = machine,
			.payload = memcpy((char *)g.data + shift, payload, size),
			.payload_size = size,
			.bootargs = "",
		};

		fixup(&f);
		assert_string("/", "model", "payload");
	}
	guarded_free(&g);
	free(payload);
	free(machine);
}

static void test_payload_malformed(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	size_t size = fdt_totalsize(payload);
	struct fdt_fixup f = {.machine = machine, .payload = payload, .bootargs = ""};

	(void)state;
	f.payload_size = size + 100; /* mkimage -B pads */
	payload = realloc(payload, size + 100);
	f.payload = payload;
	memset((char *)payload + size, 0xff, 100);
	fixup(&f);

	f.payload_size = size - 1;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree truncated");
	f.payload_size = 0;
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree shorter than its header");
	f.payload_size = size;
	fdt_set_magic(payload, 0);
	assert_refused(&f, sizeof(buffer), KX_E_FDT, "device tree header malformed");
	free(payload);
	free(machine);
}

/* Any room that is too small is said to be, and not a byte is written beyond it. */
static void test_every_room(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2, .size_cells = 2});
	struct fdt_fixup f = {
		.machine = machine,
		.payload = payload,
		.payload_size = fdt_totalsize(payload),
		.bootargs = "quiet",
		.initrd = {0x4a000000, 0x4b000000},
		.entropy = entropy,
		.entropy_size = sizeof(entropy),
	};
	bool fits = false;
	size_t size;

	(void)state;
	fixup(&f);
	for (size = 0; !fits; size += 8) {
		struct guarded g = guarded_new(size);
		struct kx_refusal why;
		enum kx_error error = fdt_fixup(&f, g.data, size, &why);

		fits = error == KX_OK;
		if (!fits)
			assert_int_equal(error, KX_E_FDT_SPACE);
		guarded_free(&g);
	}
	assert_true(size >= fdt_totalsize(buffer));
	assert_true(size < fdt_totalsize(buffer) + 256); /* libfdt needs a little room to work */
	free(payload);
	free(machine);
}

/* Whatever the payload's bytes: a tree that is sound, or an error. */
static void test_payload_corrupted(void **state)
{
	void *machine = machine_tree();
	void *payload = make_payload(&(struct payload){.address_cells = 2,
						       .size_cells = 2,
						       .placeholder = true,
						       .reserved = true,
						       .chosen = true,
						       .reservations = true});
	size_t size = fdt_totalsize(payload);
	size_t room = (size + COMPLETION_MAX) / 8 * 8;
	struct guarded from = guarded_new(size);
	struct guarded to = guarded_new(room);
	struct fdt_fixup f = {
		.machine = machine,
		.payload = from.data,
		.payload_size = size,
		.bootargs = "quiet",
		.initrd = {1, 2},
	};
	uint64_t random = 0x66697875;
	unsigned int completed = 0;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		struct kx_refusal why = {0};

		memcpy(from.data, payload, size);
		corrupt(from.data, size, i, &random);
		if (fdt_fixup(&f, to.data, room, &why) != KX_OK) {
			assert_non_null(why.what);
			continue;
		}
		assert_int_equal(fdt_check_tree(to.data, fdt_totalsize(to.data), &why), KX_OK);
		completed++;
	}
	assert_true(completed > 1000);
	guarded_free(&to);
	guarded_free(&from);
	free(payload);
	free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_payload_misaligned),
		cmocka_unit_test(test_payload_malformed),
		cmocka_unit_test(test_every_room),
		cmocka_unit_test(test_payload_corrupted),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
