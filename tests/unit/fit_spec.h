/* SPDX-License-Identifier: MIT */
/* FITs that are good, but for what a test wants otherwise. */
#ifndef TESTS_UNIT_FIT_SPEC_H
#define TESTS_UNIT_FIT_SPEC_H

#include <bearssl.h>
#include <stdio.h>
#include <zlib.h>

#include "payload/fit.h"
#include "tree.h"

static const char kernel_data[] = "the kernel, 37 bytes of it, as it is";
static const char ramdisk_data[] = "\x1f\x8b, the initramfs";
static const char fdt_data[] = "the device tree";
static const char other_data[] = "something else";

enum place { INSIDE, OFFSET, POSITION, NOWHERE };

/* What differs from a good FIT; zero and NULL: nothing. */
struct spec {
	enum place place;	 /* of the kernel's data; other images' is inside */
	uint64_t shift;		 /* added to the kernel's data-offset or data-position */
	uint32_t grow;		 /* added to the kernel's data-size */
	bool no_size;		 /* kernel without data-size */
	const char *kernel_node; /* its name, "kernel" */
	const char *kernel_name; /* what the configuration says, "kernel" */
	bool kernel_twice;	 /* a second node of the kernel's name */
	const char *arch;
	const char *compression;
	const char *algorithm; /* of the kernel's hash node, "sha256" */
	const char *hash_node; /* its name, "hash-1" */
	bool hash_wrong;
	bool hash_ignored;
	bool hash_without_value;
	unsigned int more_hashes;
	const char *fdt_compression;
	const char *ramdisk_compression;
	const char *ramdisk_name;
	bool overlays;
	bool no_kernel;
	bool no_configurations;
	bool configurations_twice;
	bool config_twice;
	bool unterminated_kernel;
	bool unterminated_bootargs;
	const char *default_name; /* "conf-2" */
	const char *extra;	  /* name of a property of the root */
};

static inline const char *or_else(const char *string, const char *otherwise)
{
	return string ? string : otherwise;
}

static inline void add_hash(void *tree, const struct spec *spec, const char *node)
{
	const char *algorithm = or_else(spec->algorithm, "sha256");
	unsigned char value[br_sha256_SIZE] = {0};
	uint32_t crc =
		cpu_to_fdt32((uint32_t)crc32(0, (const void *)kernel_data, sizeof(kernel_data)));
	br_sha256_context context;

	br_sha256_init(&context);
	br_sha256_update(&context, kernel_data, sizeof(kernel_data));
	br_sha256_out(&context, value);
	if (spec->hash_wrong)
		value[31] ^= 1;

	tree_node(tree, node);
	tree_string(tree, "algo", algorithm);
	if (!spec->hash_without_value && strcmp(algorithm, "crc32") == 0)
		tree_bytes(tree, "value", &crc, sizeof(crc));
	else if (!spec->hash_without_value)
		tree_bytes(tree, "value", value, sizeof(value));
	if (spec->hash_ignored)
		tree_u32(tree, "uboot-ignore", 1);
	tree_close(tree);
}

static inline void add_number(void *tree, const char *name, uint64_t value)
{
	if (value <= UINT32_MAX)
		tree_u32(tree, name, (uint32_t)value);
	else
		tree_u64(tree, name, value);
}

static inline void add_kernel_data(void *tree, const struct spec *spec)
{
	if (spec->place == INSIDE)
		tree_bytes(tree, "data", kernel_data, sizeof(kernel_data));
	if (spec->place == OFFSET)
		add_number(tree, "data-offset", spec->shift);
	if (spec->place == POSITION)
		add_number(tree, "data-position", spec->shift);
	if ((spec->place == OFFSET || spec->place == POSITION) && !spec->no_size)
		tree_u32(tree, "data-size", sizeof(kernel_data) + spec->grow);
}

static inline void add_kernel(void *tree, const struct spec *spec)
{
	tree_node(tree, or_else(spec->kernel_node, "kernel"));
	tree_string(tree, "type", "kernel");
	tree_string(tree, "arch", or_else(spec->arch, "arm64"));
	tree_string(tree, "compression", or_else(spec->compression, "none"));
	add_kernel_data(tree, spec);
	add_hash(tree, spec, or_else(spec->hash_node, "hash-1"));
	for (unsigned int i = 0; i < spec->more_hashes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "hash@%u", i + 2);
		add_hash(tree, spec, name);
	}
	tree_node(tree, "signature");
	tree_string(tree, "algo", "sha256,rsa2048");
	tree_close(tree);
	tree_close(tree);
}

static inline void add_image(void *tree, const char *name, const char *compression,
			     const char *data, size_t size)
{
	tree_node(tree, name);
	if (compression)
		tree_string(tree, "compression", compression);
	tree_bytes(tree, "data", data, size);
	tree_close(tree);
}

static inline void add_images(void *tree, const struct spec *spec)
{
	tree_node(tree, "images");
	add_image(tree, "kernel@1", NULL, other_data, sizeof(other_data));
	add_kernel(tree, spec);
	if (spec->kernel_twice)
		add_kernel(tree, spec);
	add_image(tree, "ramdisk", or_else(spec->ramdisk_compression, "gzip"), ramdisk_data,
		  sizeof(ramdisk_data));
	add_image(tree, "fdt-1", spec->fdt_compression, fdt_data, sizeof(fdt_data));
	tree_close(tree);
}

static inline void add_full_configuration(void *tree, const struct spec *spec)
{
	static const char overlays[] = "fdt-1\0fdt-2";
	const char *kernel = or_else(spec->kernel_name, "kernel");

	tree_node(tree, "conf-2");
	if (!spec->no_kernel)
		tree_bytes(tree, "kernel", kernel, strlen(kernel) + !spec->unterminated_kernel);
	tree_string(tree, "ramdisk", or_else(spec->ramdisk_name, "ramdisk"));
	if (spec->overlays)
		tree_bytes(tree, "fdt", overlays, sizeof(overlays));
	else
		tree_string(tree, "fdt", "fdt-1");
	tree_bytes(tree, "bootargs", "quiet", strlen("quiet") + !spec->unterminated_bootargs);
	tree_close(tree);
}

static inline void add_configurations(void *tree, const struct spec *spec)
{
	tree_node(tree, "configurations");
	tree_string(tree, "default", or_else(spec->default_name, "conf-2"));
	tree_node(tree, "conf-1");
	tree_string(tree, "kernel", "kernel@1");
	tree_close(tree);
	add_full_configuration(tree, spec);
	if (spec->config_twice)
		add_full_configuration(tree, spec);
	tree_node(tree, "conf-3");
	tree_string(tree, "kernel", "kernel");
	tree_close(tree);
	tree_close(tree);
}

static inline size_t tree_end(const void *tree)
{
	return ((size_t)fdt_totalsize(tree) + 3) / 4 * 4;
}

/* The kernel's data follows the tree, wherever it is said to be; nothing follows it. */
static inline struct guarded make_fit(const struct spec *spec, size_t *size)
{
	void *tree = tree_begin(1, 1);
	struct guarded g;

	tree_string(tree, "description", "test");
	if (spec->extra)
		tree_u32(tree, spec->extra, 0);
	add_images(tree, spec);
	if (!spec->no_configurations)
		add_configurations(tree, spec);
	if (spec->configurations_twice)
		add_configurations(tree, spec);
	tree = tree_finish(tree);

	*size = tree_end(tree) + (spec->place == INSIDE ? 0 : sizeof(kernel_data));
	g = guarded_new(*size);
	memcpy(g.data, tree, fdt_totalsize(tree));
	if (spec->place != INSIDE)
		memcpy((char *)g.data + tree_end(tree), kernel_data, sizeof(kernel_data));
	free(tree);
	return g;
}

static inline enum kx_error read_spec(const struct spec *spec, size_t index, bool verify,
				      struct kx_refusal *why)
{
	size_t size;
	struct guarded g = make_fit(spec, &size);
	struct fit_config config;
	enum kx_error error = fit_config_read(g.data, size, index, verify, &config, why);

	guarded_free(&g);
	return error;
}

#endif /* TESTS_UNIT_FIT_SPEC_H */
