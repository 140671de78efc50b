/* SPDX-License-Identifier: MIT */
#include "hash.h"

#include <bearssl.h>
#include <string.h>

#include "crc32.h"

#define DIGEST_MAX   br_sha512_SIZE
#define SHA256_BLOCK 64

static hash_sha256_blocks *sha256_blocks; /* NULL: BearSSL's */

static const struct {
	const char *name;
	const br_hash_class *class;
} algorithms[] = {
	{"sha1", &br_sha1_vtable},
	{"sha256", &br_sha256_vtable},
	{"sha384", &br_sha384_vtable},
	{"sha512", &br_sha512_vtable},
};

/* Big-endian, as mkimage stores it. */
static size_t digest_crc32(const void *data, size_t size, unsigned char digest[DIGEST_MAX])
{
	uint32_t crc = crc32_update(0, data, size);

	for (unsigned int i = 0; i < sizeof(uint32_t); i++)
		digest[i] = (unsigned char)(crc >> (24 - 8 * i));
	return sizeof(uint32_t);
}

static size_t digest_class(const br_hash_class *class, const void *data, size_t size,
			   unsigned char digest[DIGEST_MAX])
{
	br_hash_compat_context context;

	class->init(&context.vtable);
	class->update(&context.vtable, data, size);
	class->out(&context.vtable, digest);
	return class->desc >> BR_HASHDESC_OUT_OFF & BR_HASHDESC_OUT_MASK;
}

void hash_use_sha256_blocks(hash_sha256_blocks *blocks)
{
	sha256_blocks = blocks;
}

/* BearSSL goes on where the blocks end: with the rest, and the padding. */
static size_t digest_sha256(const void *data, size_t size, unsigned char digest[DIGEST_MAX])
{
	size_t whole = size - size % SHA256_BLOCK;
	unsigned char state[br_sha256_SIZE];
	br_sha256_context context;

	br_sha256_init(&context);
	if (whole) {
		br_sha256_state(&context, state);
		sha256_blocks(state, data, whole / SHA256_BLOCK);
		br_sha256_set_state(&context, state, whole);
	}
	br_sha256_update(&context, (const char *)data + whole, size - whole);
	br_sha256_out(&context, digest);
	return br_sha256_SIZE;
}

/* Returns the digest's length; 0: no such algorithm. */
static size_t digest_data(const char *algorithm, const void *data, size_t size,
			  unsigned char digest[DIGEST_MAX])
{
	if (strcmp(algorithm, "crc32") == 0)
		return digest_crc32(data, size, digest);
	if (sha256_blocks && strcmp(algorithm, "sha256") == 0)
		return digest_sha256(data, size, digest);

	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (strcmp(algorithm, algorithms[i].name) == 0)
			return digest_class(algorithms[i].class, data, size, digest);
	}
	return 0;
}

enum kx_error hash_check(const char *algorithm, const void *value, size_t value_size,
			 const void *data, size_t size, struct kx_refusal *why)
{
	unsigned char digest[DIGEST_MAX];
	size_t length = digest_data(algorithm, data, size, digest);
	uint64_t start = (uintptr_t)data;

	if (length == 0)
		return kx_refuse(why, KX_E_HASH_TYPE, "hash algorithm of this image", start,
				 start + size);
	if (length != value_size)
		return kx_refuse(why, KX_E_FIT, "hash value of another length than its algorithm's",
				 start, start + size);
	if (memcmp(digest, value, length) != 0)
		return kx_refuse(why, KX_E_HASH, "image is not what its hash says", start,
				 start + size);
	return KX_OK;
}
