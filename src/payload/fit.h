/* SPDX-License-Identifier: MIT */
/*
 * FIT (flattened image tree) as made by mkimage: one configuration's kernel, ramdisk, device tree
 * and boot arguments. Data may be inside the tree or behind it (mkimage -E: data-offset,
 * data-position). What is returned points into the FIT, is checked to lie inside it, and is exactly
 * what was hashed.
 */
#ifndef PAYLOAD_FIT_H
#define PAYLOAD_FIT_H

#include <kexpress/error.h>
#include <stdbool.h>
#include <stddef.h>

struct fit_image {
	const void *data; /* NULL: the configuration has none */
	size_t size;
};

struct fit_config {
	const char *name; /* node name, inside the FIT */
	struct fit_image kernel;
	struct fit_image ramdisk;
	struct fit_image fdt;
	const char *bootargs; /* NULL: none */
	uint64_t bytes_hashed;
};

/* Number of configurations; 0 where the FIT is malformed. */
size_t fit_config_count(const void *fit, size_t size);

/*
 * Reads configuration number index: 0 is the default one (the first, where none is named default),
 * the others follow in the order of the tree. With verify, every hash node of every image used is
 * checked (crc32, sha1, sha256, sha384, sha512); an image whose hash nodes are malformed is
 * refused.
 * Errors: FIT, FIT_CONFIG, FIT_DATA, COMPRESSION (anything but none), HASH, HASH_TYPE.
 */
enum kx_error fit_config_read(const void *fit, size_t size, size_t index, bool verify,
			      struct fit_config *config, struct kx_refusal *why);

#endif /* PAYLOAD_FIT_H */
