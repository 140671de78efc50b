/* SPDX-License-Identifier: MIT */
/* A slot is whole, or it is not there: at whatever byte its writing ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bearssl.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "payload/slot.h"

enum { BLOCK = 512, PAYLOAD = 1000, TREE = 700, ROOM = 2048, ERASED = 0xff };

/* A slot in memory of exactly its size, so that a read beyond it is found. */
struct flash {
	struct kx_slot *header;
	unsigned char *bytes;
};

static void seal(struct kx_slot *header)
{
	header->crc = (uint32_t)crc32(0, (const void *)header, offsetof(struct kx_slot, crc));
}

static struct flash make(uint32_t sequence)
{
	unsigned char *bytes = malloc(ROOM);
	struct kx_slot *header = (struct kx_slot *)bytes;
	br_sha256_context context;

	memset(bytes, ERASED, ROOM);
	for (int i = 0; i < PAYLOAD; i++)
		bytes[BLOCK + i] = (unsigned char)(i * 7 + i / 256);
	*header = (struct kx_slot){
		.magic = KX_SLOT_MAGIC,
		.version = KX_SLOT_VERSION,
		.sequence = sequence,
		.size = PAYLOAD,
		.offset = BLOCK,
		.tree_size = TREE,
	};
	br_sha256_init(&context);
	br_sha256_update(&context, bytes + BLOCK, TREE);
	br_sha256_out(&context, header->digest);
	seal(header);
	return (struct flash){header, bytes};
}

static enum kx_error read_it(struct flash f, struct slot *slot)
{
	struct kx_refusal why = {0};
	enum kx_error error = slot_read(f.bytes, ROOM, slot, &why);

	assert_int_equal(why.error, error);
	if (error)
		assert_non_null(why.what);
	return error;
}

static void a_whole_one_is_read(void **state)
{
	struct flash f = make(7);
	struct slot slot;

	(void)state;
	assert_int_equal(read_it(f, &slot), KX_OK);
	assert_ptr_equal(slot.data, f.bytes + BLOCK);
	assert_int_equal(slot.size, PAYLOAD);
	assert_int_equal(slot.sequence, 7);
	assert_false(slot_is_empty(f.bytes));
	free(f.bytes);
}

static void an_erased_one_is_empty(void **state)
{
	struct flash f = make(7);
	struct slot slot;

	(void)state;
	memset(f.bytes, ERASED, BLOCK);
	assert_true(slot_is_empty(f.bytes));
	assert_int_equal(read_it(f, &slot), KX_E_SLOT);
	free(f.bytes);
}

static void half_a_header_is_none(void **state)
{
	struct slot slot;

	(void)state;
	for (size_t written = 0; written < sizeof(struct kx_slot); written++) {
		struct flash f = make(7);

		if (f.bytes[written] != ERASED) {
			memset(f.bytes + written, ERASED, sizeof(struct kx_slot) - written);
			assert_int_equal(read_it(f, &slot), KX_E_SLOT);
		}
		free(f.bytes);
	}
}

static void each_bit_counts(void **state)
{
	struct slot slot;

	(void)state;
	for (size_t bit = 0; bit < 8 * (BLOCK + TREE); bit++) {
		struct flash f = make(7);
		bool covered = bit / 8 < sizeof(struct kx_slot) || bit / 8 >= BLOCK;

		f.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_equal(read_it(f, &slot), covered ? KX_E_SLOT : KX_OK);
		free(f.bytes);
	}
}

/* A header that is whole, and says what cannot be. */
static void refuse_header(struct kx_slot change, size_t at, size_t size)
{
	struct flash f = make(7);
	struct slot slot;

	memcpy((char *)f.header + at, (char *)&change + at, size);
	seal(f.header);
	assert_int_equal(read_it(f, &slot), KX_E_SLOT);
	free(f.bytes);
}

#define REFUSE(member, value)                                                                \
	refuse_header((struct kx_slot){.member = (value)}, offsetof(struct kx_slot, member), \
		      sizeof(((struct kx_slot *)0)->member))

static void headers_that_lie(void **state)
{
	(void)state;
	REFUSE(version, 0);
	REFUSE(version, KX_SLOT_VERSION + 1);
	REFUSE(reserved, 1);
	REFUSE(size, 0);
	REFUSE(size, ROOM - BLOCK + 1);
	REFUSE(size, UINT64_MAX);
	REFUSE(size, UINT64_MAX - BLOCK + 1);
	REFUSE(offset, 0);
	REFUSE(offset, sizeof(struct kx_slot) - 8);
	REFUSE(offset, BLOCK + 4);
	REFUSE(offset, ROOM);
	REFUSE(offset, UINT32_MAX - 7);
	REFUSE(tree_size, 0);
	REFUSE(tree_size, PAYLOAD + 1);
	REFUSE(tree_size, UINT32_MAX);
}

static void a_slot_may_be_too_small(void **state)
{
	struct flash f = make(7);
	struct kx_refusal why;
	struct slot slot;

	(void)state;
	assert_int_equal(slot_read(f.bytes, sizeof(struct kx_slot) - 1, &slot, &why), KX_E_SLOT);
	free(f.bytes);
}

static void sequences_wrap(void **state)
{
	static const struct {
		uint32_t a, b;
		bool newer;
	} cases[] = {
		{2, 1, true},	       {1, 2, false},	       {1, 1, false},
		{0, UINT32_MAX, true}, {UINT32_MAX, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slot a = {.sequence = cases[i].a}, b = {.sequence = cases[i].b};

		assert_int_equal(slot_is_newer(&a, &b), cases[i].newer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_one_is_read),	 cmocka_unit_test(an_erased_one_is_empty),
		cmocka_unit_test(half_a_header_is_none), cmocka_unit_test(each_bit_counts),
		cmocka_unit_test(headers_that_lie),	 cmocka_unit_test(a_slot_may_be_too_small),
		cmocka_unit_test(sequences_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
