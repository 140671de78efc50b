/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <string.h>

#include "fdt_check.h"
#include "fdt_tree.h"
#include "hash.h"

/* mkimage -E: data-offset counts from the end of the tree, rounded up to this. */
#define EXTERNAL_ALIGNMENT 4

/* Hash nodes an image may have, which bounds the time that it can take. */
#define HASHES_MAX 8

struct fit {
	const void *tree;
	size_t size;
	int images;	    /* node /images */
	int configurations; /* node /configurations */
	bool verify;
	struct kx_refusal *why;
};

static enum kx_error refuse(const struct fit *fit, enum kx_error error, const char *what)
{
	uint64_t start = (uintptr_t)fit->tree;

	return kx_refuse(fit->why, error, what, start, start + fit->size);
}

static enum kx_error open_fit(struct fit *fit)
{
	enum kx_error error = fdt_check_tree(fit->tree, fit->size, fit->why);

	if (error)
		return refuse(fit, KX_E_FIT, fit->why->what);
	fit->images = fdt_tree_child(fit->tree, 0, "images");
	fit->configurations = fdt_tree_child(fit->tree, 0, "configurations");
	if (fit->images < 0)
		return refuse(fit, KX_E_FIT, "not exactly one /images node");
	if (fit->configurations < 0)
		return refuse(fit, KX_E_FIT, "not exactly one /configurations node");
	return KX_OK;
}

static enum kx_error data_inside(const struct fit *fit, int node, struct fit_image *image)
{
	int length;
	const void *data = fdt_getprop(fit->tree, node, "data", &length);

	if (!data)
		return refuse(fit, KX_E_FIT_DATA, "image without data");
	*image = (struct fit_image){data, (size_t)length};
	return KX_OK;
}

static enum kx_error data_outside(const struct fit *fit, int node, uint64_t base, uint64_t offset,
				  struct fit_image *image)
{
	uint64_t size;

	if (!fdt_tree_number(fit->tree, node, "data-size", &size))
		return refuse(fit, KX_E_FIT_DATA, "image without data-size");
	if (size > fit->size || offset > fit->size || base + offset > fit->size - size)
		return refuse(fit, KX_E_FIT_DATA, "image data not wholly inside the FIT");
	*image = (struct fit_image){(const char *)fit->tree + base + offset, size};
	return KX_OK;
}

/* Precedence is U-Boot's, so that whoever vetted an image with several has seen the same bytes. */
static enum kx_error find_data(const struct fit *fit, int node, struct fit_image *image)
{
	uint64_t tree_end = fdt_totalsize(fit->tree);
	uint64_t offset;

	tree_end = (tree_end + EXTERNAL_ALIGNMENT - 1) / EXTERNAL_ALIGNMENT * EXTERNAL_ALIGNMENT;
	if (fdt_tree_number(fit->tree, node, "data-position", &offset))
		return data_outside(fit, node, 0, offset, image);
	if (fdt_tree_number(fit->tree, node, "data-offset", &offset))
		return data_outside(fit, node, tree_end, offset, image);
	return data_inside(fit, node, image);
}

static enum kx_error check_hash(const struct fit *fit, int hash, const struct fit_image *image)
{
	const char *algorithm = fdt_tree_string(fit->tree, hash, "algo");
	int length;
	const void *value = fdt_getprop(fit->tree, hash, "value", &length);

	if (!algorithm || !value)
		return refuse(fit, KX_E_FIT, "hash node without algo or value");
	return hash_check(algorithm, value, (size_t)length, image->data, image->size, fit->why);
}

/* mkimage's mark for hashes that are not meant for the boot loader. */
static bool is_ignored(const struct fit *fit, int hash)
{
	uint64_t ignore;

	return fdt_tree_number(fit->tree, hash, "uboot-ignore", &ignore) && ignore != 0;
}

/* Names are hash, hash-1, hash@1: as U-Boot, whatever begins so is taken for one. */
static enum kx_error verify_image(const struct fit *fit, int node, const struct fit_image *image,
				  uint64_t *bytes_hashed)
{
	unsigned int hashes = 0;
	enum kx_error error = KX_OK;
	int hash;

	fdt_for_each_subnode (hash, fit->tree, node) {
		if (error)
			break;
		if (strncmp(fdt_get_name(fit->tree, hash, NULL), "hash", strlen("hash")) != 0 ||
		    is_ignored(fit, hash))
			continue;
		if (hashes++ == HASHES_MAX)
			return refuse(fit, KX_E_FIT, "image with too many hash nodes");
		error = check_hash(fit, hash, image);
		*bytes_hashed += image->size;
	}
	return error;
}

/* The node in /images that a configuration's property names. */
static enum kx_error find_image(const struct fit *fit, int configuration, const char *property,
				int *node)
{
	const char *name = fdt_tree_string(fit->tree, configuration, property);

	if (!name)
		return refuse(fit, KX_E_FIT_CONFIG, "image name in configuration malformed");
	*node = fdt_tree_child(fit->tree, fit->images, name);
	if (*node == -FDT_ERR_EXISTS)
		return refuse(fit, KX_E_FIT, "two images of one name");
	if (*node < 0)
		return refuse(fit, KX_E_FIT_CONFIG, "configuration names an image that is missing");
	return KX_OK;
}

static bool says_other(const struct fit *fit, int node, const char *property, const char *expected)
{
	const char *value = fdt_tree_string(fit->tree, node, property);

	return fdt_getprop(fit->tree, node, property, NULL) &&
	       (!value || strcmp(value, expected) != 0);
}

static enum kx_error read_image(const struct fit *fit, int node, struct fit_image *image,
				uint64_t *bytes_hashed)
{
	enum kx_error error = find_data(fit, node, image);

	if (!error && fit->verify)
		error = verify_image(fit, node, image, bytes_hashed);
	return error;
}

static enum kx_error read_kernel(const struct fit *fit, int configuration,
				 struct fit_config *config)
{
	enum kx_error error;
	int node;

	if (!fdt_getprop(fit->tree, configuration, "kernel", NULL))
		return refuse(fit, KX_E_FIT_CONFIG, "configuration without kernel");
	error = find_image(fit, configuration, "kernel", &node);
	if (error)
		return error;
	if (says_other(fit, node, "arch", "arm64"))
		return refuse(fit, KX_E_FIT_CONFIG, "kernel of another architecture than arm64");
	if (says_other(fit, node, "compression", "none"))
		return refuse(fit, KX_E_COMPRESSION, "compressed kernel");
	return read_image(fit, node, &config->kernel, &config->bytes_hashed);
}

/* Whatever its compression is said to be: the kernel unpacks its initramfs itself. */
static enum kx_error read_ramdisk(const struct fit *fit, int configuration,
				  struct fit_config *config)
{
	enum kx_error error;
	int node;

	if (!fdt_getprop(fit->tree, configuration, "ramdisk", NULL))
		return KX_OK;
	error = find_image(fit, configuration, "ramdisk", &node);
	if (error)
		return error;
	return read_image(fit, node, &config->ramdisk, &config->bytes_hashed);
}

static enum kx_error read_fdt(const struct fit *fit, int configuration, struct fit_config *config)
{
	enum kx_error error;
	int node;

	if (!fdt_getprop(fit->tree, configuration, "fdt", NULL))
		return KX_OK;
	if (fdt_stringlist_count(fit->tree, configuration, "fdt") > 1)
		return refuse(fit, KX_E_FIT_CONFIG, "configuration with device tree overlays");
	error = find_image(fit, configuration, "fdt", &node);
	if (error)
		return error;
	if (says_other(fit, node, "compression", "none"))
		return refuse(fit, KX_E_COMPRESSION, "compressed device tree");
	return read_image(fit, node, &config->fdt, &config->bytes_hashed);
}

static enum kx_error read_bootargs(const struct fit *fit, int configuration,
				   struct fit_config *config)
{
	if (!fdt_getprop(fit->tree, configuration, "bootargs", NULL))
		return KX_OK;
	config->bootargs = fdt_tree_string(fit->tree, configuration, "bootargs");
	if (!config->bootargs)
		return refuse(fit, KX_E_FIT_CONFIG, "bootargs in configuration malformed");
	return KX_OK;
}

static int default_configuration(const struct fit *fit)
{
	const char *name;

	if (!fdt_getprop(fit->tree, fit->configurations, "default", NULL))
		return fdt_first_subnode(fit->tree, fit->configurations);
	name = fdt_tree_string(fit->tree, fit->configurations, "default");
	return name ? fdt_tree_child(fit->tree, fit->configurations, name) : -FDT_ERR_NOTFOUND;
}

static int nth_configuration(const struct fit *fit, size_t index)
{
	int first = default_configuration(fit);
	int node;

	if (first < 0 || index == 0)
		return first;
	fdt_for_each_subnode (node, fit->tree, fit->configurations) {
		if (node != first && --index == 0)
			return node;
	}
	return -FDT_ERR_NOTFOUND;
}

static enum kx_error find_configuration(const struct fit *fit, size_t index, int *node,
					const char **name)
{
	*node = nth_configuration(fit, index);
	if (*node < 0)
		return refuse(fit, KX_E_FIT_CONFIG, "no such configuration");
	*name = fdt_get_name(fit->tree, *node, NULL);
	if (fdt_tree_child(fit->tree, fit->configurations, *name) < 0)
		return refuse(fit, KX_E_FIT_CONFIG, "two configurations of one name");
	return KX_OK;
}

size_t fit_config_count(const void *tree, size_t size)
{
	struct kx_refusal why;
	struct fit fit = {.tree = tree, .size = size, .why = &why};
	size_t count = 0;
	int node;

	if (open_fit(&fit) != KX_OK)
		return 0;
	fdt_for_each_subnode (node, tree, fit.configurations) {
		count++;
	}
	return count;
}

enum kx_error fit_config_read(const void *tree, size_t size, size_t index, bool verify,
			      struct fit_config *config, struct kx_refusal *why)
{
	struct fit fit = {.tree = tree, .size = size, .verify = verify, .why = why};
	enum kx_error error = open_fit(&fit);
	int node;

	*config = (struct fit_config){0};
	if (!error)
		error = find_configuration(&fit, index, &node, &config->name);
	if (!error)
		error = read_bootargs(&fit, node, config);
	if (!error)
		error = read_kernel(&fit, node, config);
	if (!error)
		error = read_ramdisk(&fit, node, config);
	if (!error)
		error = read_fdt(&fit, node, config);
	return error;
}
