/* SPDX-License-Identifier: MIT */
#include "payload/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <bearssl.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* Check value of the CRC catalogue, and FIPS 180-4's examples. */
static const struct {
	const char *algorithm;
	const char *data;
	const char *value;
} known[] = {
	{"crc32", "123456789", "cbf43926"},
	{"sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
	{"sha256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"sha256", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"sha384", "abc",
	 "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
	 "8086072ba1e7cc2358baeca134c825a7"},
	{"sha512", "abc",
	 "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	 "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

static size_t unhex(const char *hex, unsigned char *bytes)
{
	size_t size = strlen(hex) / 2;

	for (size_t i = 0; i < size; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		bytes[i] = (unsigned char)byte;
	}
	return size;
}

static void test_known_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < KNOWN; i++) {
		unsigned char value[64];
		size_t size = unhex(known[i].value, value);
		struct kx_refusal why;

		assert_int_equal(hash_check(known[i].algorithm, value, size, known[i].data,
					    strlen(known[i].data), &why),
				 KX_OK);
	}
}

static void test_every_wrong_bit(void **state)
{
	(void)state;
	for (size_t i = 0; i < KNOWN; i++) {
		unsigned char value[64];
		size_t size = unhex(known[i].value, value);

		for (size_t bit = 0; bit < size * 8; bit++) {
			struct kx_refusal why = {0};
			uint64_t start = (uintptr_t)known[i].data;

			value[bit / 8] ^= (unsigned char)(1 << bit % 8);
			assert_int_equal(hash_check(known[i].algorithm, value, size, known[i].data,
						    strlen(known[i].data), &why),
					 KX_E_HASH);
			assert_int_equal(why.error, KX_E_HASH);
			assert_int_equal(why.start, start);
			assert_int_equal(why.end, start + strlen(known[i].data));
			value[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
}

static void test_wrong_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < KNOWN; i++) {
		unsigned char value[65] = {0};
		size_t size = unhex(known[i].value, value);
		struct kx_refusal why;

		for (size_t other = 0; other <= sizeof(value); other++) {
			enum kx_error expected = other == size ? KX_OK : KX_E_FIT;

			assert_int_equal(hash_check(known[i].algorithm, value, other, known[i].data,
						    strlen(known[i].data), &why),
					 expected);
		}
	}
}

static void test_unknown_algorithm(void **state)
{
	static const char *const names[] = {"",	       "md5",	 "SHA256",	"sha25",
					    "sha2567", "sha224", "crc16-ccitt", "sha1,rsa2048"};
	unsigned char value[64] = {0};
	struct kx_refusal why;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(hash_check(names[i], value, sizeof(value), "abc", 3, &why),
				 KX_E_HASH_TYPE);
}

static size_t blocks_hashed;

static void count_blocks(uint8_t *state, const void *data, size_t blocks)
{
	br_sha256_context context;

	assert_int_not_equal(blocks, 0);
	blocks_hashed += blocks;
	br_sha256_init(&context);
	br_sha256_set_state(&context, state, 0);
	br_sha256_update(&context, data, blocks * 64);
	br_sha256_state(&context, state);
}

/* Around the sizes at which padding takes another block, and from any address. */
static void test_sha256_in_blocks(void **state)
{
	unsigned char data[300], value[32];
	struct kx_refusal why;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 7 + 1);
	hash_use_sha256_blocks(count_blocks);
	for (size_t size = 0; size < sizeof(data); size++) {
		const unsigned char *start = data + (sizeof(data) - size) % 16;
		br_sha256_context context;

		br_sha256_init(&context);
		br_sha256_update(&context, start, size);
		br_sha256_out(&context, value);
		blocks_hashed = 0;
		assert_int_equal(hash_check("sha256", value, sizeof(value), start, size, &why),
				 KX_OK);
		assert_int_equal(blocks_hashed, size / 64);
		value[31] ^= 1;
		assert_int_equal(hash_check("sha256", value, sizeof(value), start, size, &why),
				 KX_E_HASH);
	}
	hash_use_sha256_blocks(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),	 cmocka_unit_test(test_every_wrong_bit),
		cmocka_unit_test(test_wrong_length),	 cmocka_unit_test(test_unknown_algorithm),
		cmocka_unit_test(test_sha256_in_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
