/* SPDX-License-Identifier: MIT */
/* Telling payloads apart, and reading arm64 Image headers. */
#include "payload/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#define HEADER_SIZE 64
#define MIB	    0x100000ull

#define FLAG_BE	       0x1
#define FLAG_PAGE(n)   ((n) << 1)
#define FLAG_ANYWHERE  0x8
#define FLAGS_RESERVED (~0xfull)

static struct kx_refusal why;

struct sample {
	size_t offset;
	size_t size;
	const char *bytes;
	enum kx_error error;
	enum payload_kind kind; /* where error is KX_OK */
};

#define AT(offset, bytes) offset, sizeof(bytes) - 1, bytes

static const struct sample samples[] = {
	{AT(0, "\xd0\x0d\xfe\xed"), KX_OK, PAYLOAD_FIT},
	{AT(56, "ARM\x64"), KX_OK, PAYLOAD_IMAGE},
	{AT(0, "\x1f\x8b"), KX_E_GZIP, 0},
	{AT(0, "MZ\0\0zimg"), KX_E_ZBOOT, 0},
	{AT(0, "MZ\x40\xfazimg"), KX_E_ZBOOT, 0},
	{AT(0, "MZ"), KX_E_PE, 0},
	{AT(0, "\x7f\x45LF"), KX_E_ELF, 0},
	{AT(0, "\x04\x22\x4d\x18"), KX_E_COMPRESSION, 0},
	{AT(0, "\x02\x21\x4c\x18"), KX_E_COMPRESSION, 0},
	{AT(0, "\x28\xb5\x2f\xfd"), KX_E_COMPRESSION, 0},
	{AT(0, "\xfd\x37zXZ"), KX_E_COMPRESSION, 0},
	{AT(0, "BZh"), KX_E_COMPRESSION, 0},
	{AT(0, "\x5d\0\0"), KX_E_COMPRESSION, 0},
	{AT(0, "\x89LZO"), KX_E_COMPRESSION, 0},
	{AT(4, "zimg"), KX_E_FORMAT, 0},
	{AT(0, "\xed\xfe\x0d\xd0"), KX_E_FORMAT, 0},
	{AT(56, "ARM\x65"), KX_E_FORMAT, 0},
	{AT(0, "07070100"), KX_E_FORMAT, 0}, /* an initramfs in the kernel's place */
};

#define SAMPLE_COUNT (sizeof(samples) / sizeof(*samples))

/* Exactly size bytes on the heap, so that a read beyond them is seen. */
static uint8_t *data_of(const struct sample *sample, size_t size, uint8_t fill)
{
	uint8_t whole[HEADER_SIZE];
	uint8_t *data = malloc(size);

	memset(whole, fill, sizeof(whole));
	memcpy(whole + sample->offset, sample->bytes, sample->size);
	memcpy(data, whole, size);
	return data;
}

static void test_identify(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct sample *s = &samples[i];
		uint8_t *data = data_of(s, HEADER_SIZE, 0xa5);
		enum payload_kind kind = PAYLOAD_FIT + PAYLOAD_IMAGE + 1;
		enum kx_error error = payload_identify(data, HEADER_SIZE, &kind, &why);

		if (error != s->error || (!error && kind != s->kind))
			fail_msg("sample %zu: error %d, kind %d", i, error, kind);
		if (error) {
			assert_int_equal(why.error, error);
			assert_non_null(why.what);
			assert_int_equal(why.start, (uintptr_t)data);
			assert_int_equal(why.end, (uintptr_t)data + HEADER_SIZE);
		}
		free(data);
	}
}

/* Cut anywhere before the end of what tells its kind, a payload is of no kind. */
static void test_identify_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct sample *s = &samples[i];

		for (size_t size = 0; size < s->offset + s->size; size++) {
			uint8_t *data = data_of(s, size, 0xa5);
			enum payload_kind kind;
			enum kx_error error = payload_identify(data, size, &kind, &why);
			/* All but the end of a zboot image is a PE file. */
			bool pe = s->error == KX_E_ZBOOT && size >= 2;

			if (error != (pe ? KX_E_PE : KX_E_FORMAT))
				fail_msg("sample %zu of %zu bytes: error %d", i, size, error);
			free(data);
		}
	}
}

static void store_le64(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* A header as Linux writes it, EFI stub included. */
static void make_header(uint8_t *data, uint64_t text_offset, uint64_t image_size, uint64_t flags)
{
	memset(data, 0, HEADER_SIZE);
	memcpy(data, "MZ", 2);
	store_le64(data + 8, text_offset);
	store_le64(data + 16, image_size);
	store_le64(data + 24, flags);
	memcpy(data + 56, "ARM\x64", 4);
}

/* An Image with an EFI stub is a PE file, but first of all an Image. */
static void test_identify_stub(void **state)
{
	uint8_t data[HEADER_SIZE];
	enum payload_kind kind = PAYLOAD_FIT;

	(void)state;
	make_header(data, 0, MIB, 0);
	assert_int_equal(payload_identify(data, sizeof(data), &kind, &why), KX_OK);
	assert_int_equal(kind, PAYLOAD_IMAGE);
}

struct header {
	uint64_t text_offset;
	uint64_t image_size;
	uint64_t flags;
	size_t size; /* of the file; only the header of it exists */
	enum kx_error error;
	struct image_info info;
};

static const struct header headers[] = {
	{0, 34 * MIB, 0xa, 33 * MIB, KX_OK, {0, 34 * MIB, false, true, 12}},
	{0x80000, 34 * MIB, 0, 33 * MIB, KX_OK, {0x80000, 34 * MIB, false, false, 0}},
	{0, 34 * MIB, FLAG_PAGE(2), MIB, KX_OK, {0, 34 * MIB, false, false, 14}},
	{0, 34 * MIB, FLAG_PAGE(3) | FLAG_BE, MIB, KX_OK, {0, 34 * MIB, true, false, 16}},
	{0, 34 * MIB, FLAGS_RESERVED, MIB, KX_OK, {0, 34 * MIB, false, false, 0}},
	/* Something is behind the Image in the file: it is placed too. */
	{0, 34 * MIB, 0, 35 * MIB, KX_OK, {0, 35 * MIB, false, false, 0}},
	/* Before Linux 3.17: text_offset in the kernel's own byte order, no flags. */
	{0x80000, 0, 0, 9 * MIB, KX_OK, {0x80000, 25 * MIB, false, false, 0}},
	{0x80000ull << 32, 0, 0xf, 9 * MIB, KX_OK, {0x80000, 25 * MIB, false, false, 0}},
	{0xfff, 0, 0, 9 * MIB, KX_OK, {0x80000, 25 * MIB, false, false, 0}},
	/* More than the 2 MiB that the base is aligned to: odd, but clear. */
	{0x280000, MIB, 0, MIB, KX_OK, {0x280000, MIB, false, false, 0}},
	{0x800, 34 * MIB, 0, MIB, KX_E_IMAGE, {0}},
	{1, 34 * MIB, 0, MIB, KX_E_IMAGE, {0}},
	{0x1000, UINT64_MAX, 0, MIB, KX_E_IMAGE, {0}},
	{UINT64_MAX - 0xfff, MIB, 0, MIB, KX_E_IMAGE, {0}},
	{UINT64_MAX - 0xfff, 0x1000, 0, HEADER_SIZE, KX_E_IMAGE, {0}},
	{UINT64_MAX - 0xfff,
	 0xfff,
	 0,
	 HEADER_SIZE,
	 KX_OK,
	 {UINT64_MAX - 0xfff, 0xfff, false, false, 0}},
};

static void test_header(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		const struct header *h = &headers[i];
		uint8_t data[HEADER_SIZE + 1];
		struct image_info info;
		enum kx_error error;

		make_header(data + 1, h->text_offset, h->image_size, h->flags);
		memset(&info, 0xff, sizeof(info));
		error = image_read(data + 1, h->size, &info, &why);
		if (error != h->error)
			fail_msg("header %zu: error %d", i, error);
		if (error) {
			assert_int_equal(why.error, error);
			continue;
		}
		if (info.text_offset != h->info.text_offset ||
		    info.memory_size != h->info.memory_size ||
		    info.big_endian != h->info.big_endian || info.anywhere != h->info.anywhere ||
		    info.page_shift != h->info.page_shift)
			fail_msg("header %zu: other info", i);
	}
}

static void test_header_short(void **state)
{
	uint8_t whole[HEADER_SIZE];
	struct image_info info;

	(void)state;
	make_header(whole, 0, MIB, 0);
	for (size_t size = 0; size <= HEADER_SIZE; size++) {
		uint8_t *data = malloc(size);

		memcpy(data, whole, size);
		assert_int_equal(image_read(data, size, &info, &why),
				 size < HEADER_SIZE ? KX_E_IMAGE : KX_OK);
		free(data);
	}
	whole[56] = 'a';
	assert_int_equal(image_read(whole, HEADER_SIZE, &info, &why), KX_E_IMAGE);
}

/* Whatever the bytes are, the answer is an error or something that makes sense. */
static void random_image(uint64_t *seed)
{
	size_t size = random_below(seed, 2 * HEADER_SIZE);
	uint8_t *data = malloc(size);
	enum payload_kind kind;
	struct image_info info;

	for (size_t i = 0; i < size; i++)
		data[i] = random_below(seed, 3) ? 0 : (uint8_t)random_next(seed);
	if (size >= HEADER_SIZE && random_below(seed, 4))
		memcpy(data + 56, "ARM\x64", 4);
	if (size >= HEADER_SIZE && random_below(seed, 2))
		data[8] = data[9] = 0;

	if (!payload_identify(data, size, &kind, &why) && kind == PAYLOAD_IMAGE &&
	    !image_read(data, size, &info, &why)) {
		assert_true(info.memory_size >= size);
		assert_true(info.text_offset % 4096 == 0);
		assert_true(info.text_offset + info.memory_size >= info.memory_size);
		assert_true(info.page_shift <= 16);
	}
	free(data);
}

static void test_random(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 200000; i++)
		random_image(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identify),      cmocka_unit_test(test_identify_short),
		cmocka_unit_test(test_identify_stub), cmocka_unit_test(test_header),
		cmocka_unit_test(test_header_short),  cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
