/* SPDX-License-Identifier: MIT */
#include "payload/fit.h"

#include "random.h"
#include "tree.h"
#include <bearssl.h>
#include <stdio.h>
#include <zlib.h>

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

static const char *or_else(const char *string, const char *otherwise)
{
	return string ? string : otherwise;
}

static void add_hash(void *tree, const struct spec *spec, const char *node)
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

static void add_number(void *tree, const char *name, uint64_t value)
{
	if (value <= UINT32_MAX)
		tree_u32(tree, name, (uint32_t)value);
	else
		tree_u64(tree, name, value);
}

static void add_kernel_data(void *tree, const struct spec *spec)
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

static void add_kernel(void *tree, const struct spec *spec)
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

static void add_image(void *tree, const char *name, const char *compression, const char *data,
		      size_t size)
{
	tree_node(tree, name);
	if (compression)
		tree_string(tree, "compression", compression);
	tree_bytes(tree, "data", data, size);
	tree_close(tree);
}

static void add_images(void *tree, const struct spec *spec)
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

static void add_full_configuration(void *tree, const struct spec *spec)
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

static void add_configurations(void *tree, const struct spec *spec)
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

static size_t tree_end(const void *tree)
{
	return ((size_t)fdt_totalsize(tree) + 3) / 4 * 4;
}

/* The kernel's data follows the tree, wherever it is said to be; nothing follows it. */
static struct guarded make_fit(const struct spec *spec, size_t *size)
{
	void *tree = tree_new();
	struct guarded g;

	tree_open(tree, 1, 1);
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

static enum kx_error read_spec(const struct spec *spec, size_t index, bool verify,
			       struct kx_refusal *why)
{
	size_t size;
	struct guarded g = make_fit(spec, &size);
	struct fit_config config;
	enum kx_error error = fit_config_read(g.data, size, index, verify, &config, why);

	guarded_free(&g);
	return error;
}

static void assert_image(const struct guarded *g, size_t size, const struct fit_image *image,
			 const char *data, size_t data_size)
{
	const char *start = image->data;

	assert_non_null(start);
	assert_int_equal(image->size, data_size);
	assert_true(start >= (char *)g->data);
	assert_true(start + data_size <= (char *)g->data + size);
	assert_memory_equal(start, data, data_size);
}

static void assert_full_configuration(const struct guarded *g, size_t size,
				      const struct fit_config *config)
{
	assert_string_equal(config->name, "conf-2");
	assert_string_equal(config->bootargs, "quiet");
	assert_image(g, size, &config->kernel, kernel_data, sizeof(kernel_data));
	assert_image(g, size, &config->ramdisk, ramdisk_data, sizeof(ramdisk_data));
	assert_image(g, size, &config->fdt, fdt_data, sizeof(fdt_data));
}

static void test_configurations(void **state)
{
	size_t size;
	struct guarded g = make_fit(&(struct spec){0}, &size);
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	assert_int_equal(fit_config_count(g.data, size), 3);

	assert_int_equal(fit_config_read(g.data, size, 0, true, &config, &why), KX_OK);
	assert_full_configuration(&g, size, &config);
	assert_int_equal(config.bytes_hashed, sizeof(kernel_data));

	assert_int_equal(fit_config_read(g.data, size, 1, true, &config, &why), KX_OK);
	assert_string_equal(config.name, "conf-1");
	assert_image(&g, size, &config.kernel, other_data, sizeof(other_data));
	assert_null(config.ramdisk.data);
	assert_null(config.fdt.data);
	assert_null(config.bootargs);
	assert_int_equal(config.bytes_hashed, 0);

	assert_int_equal(fit_config_read(g.data, size, 2, true, &config, &why), KX_OK);
	assert_string_equal(config.name, "conf-3");
	assert_image(&g, size, &config.kernel, kernel_data, sizeof(kernel_data));

	assert_int_equal(fit_config_read(g.data, size, 3, true, &config, &why), KX_E_FIT_CONFIG);
	assert_int_equal(fit_config_read(g.data, size, SIZE_MAX, true, &config, &why),
			 KX_E_FIT_CONFIG);
	guarded_free(&g);
}

static void test_no_default_is_first(void **state)
{
	void *tree = tree_new();
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	tree_open(tree, 1, 1);
	add_images(tree, &(struct spec){0});
	tree_node(tree, "configurations");
	tree_node(tree, "first");
	tree_string(tree, "kernel", "kernel@1");
	tree_close(tree);
	add_full_configuration(tree, &(struct spec){0});
	tree_close(tree);
	tree = tree_finish(tree);

	assert_int_equal(fit_config_read(tree, fdt_totalsize(tree), 0, true, &config, &why), KX_OK);
	assert_string_equal(config.name, "first");
	assert_int_equal(fit_config_read(tree, fdt_totalsize(tree), 1, true, &config, &why), KX_OK);
	assert_string_equal(config.name, "conf-2");
	free(tree);
}

static void test_no_configuration_at_all(void **state)
{
	void *tree = tree_new();
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	tree_open(tree, 1, 1);
	add_images(tree, &(struct spec){0});
	tree_node(tree, "configurations");
	tree_close(tree);
	tree = tree_finish(tree);

	assert_int_equal(fit_config_count(tree, fdt_totalsize(tree)), 0);
	assert_int_equal(fit_config_read(tree, fdt_totalsize(tree), 0, true, &config, &why),
			 KX_E_FIT_CONFIG);
	free(tree);
}

static void assert_spec_reads(const struct spec *spec)
{
	size_t size;
	struct guarded g = make_fit(spec, &size);
	struct fit_config config;
	struct kx_refusal why;

	assert_int_equal(fit_config_read(g.data, size, 0, true, &config, &why), KX_OK);
	assert_full_configuration(&g, size, &config);
	guarded_free(&g);
}

/* mkimage -E, -E -B, -E -p: data behind the tree, whose size need not be a multiple of 4. */
static void test_external_data(void **state)
{
	static const char *const extra[] = {"x", "xx", "xxx", "xxxx"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct spec spec = {.place = POSITION, .extra = extra[i]};
		size_t size;
		struct guarded g = make_fit(&spec, &size);

		spec.shift = tree_end(g.data);
		guarded_free(&g);
		assert_spec_reads(&spec);
		assert_spec_reads(&(struct spec){.place = OFFSET, .extra = extra[i]});
	}
}

/* U-Boot takes data-position before data-offset before data. */
static void test_precedence_of_data(void **state)
{
	void *tree = tree_new();
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	tree_open(tree, 1, 1);
	tree_node(tree, "images");
	tree_node(tree, "kernel");
	tree_bytes(tree, "data", kernel_data, sizeof(kernel_data));
	tree_u32(tree, "data-offset", 4);
	tree_u32(tree, "data-position", 8);
	tree_u32(tree, "data-size", 12);
	tree_close(tree);
	tree_close(tree);
	add_configurations(tree, &(struct spec){.default_name = "conf-3"});
	tree = tree_finish(tree);

	assert_int_equal(fit_config_read(tree, fdt_totalsize(tree), 0, true, &config, &why), KX_OK);
	assert_ptr_equal(config.kernel.data, (char *)tree + 8);
	assert_int_equal(config.kernel.size, 12);
	free(tree);
}

static const struct {
	struct spec spec;
	enum kx_error error;
	const char *what;
} refused[] = {
	{{.no_configurations = true}, KX_E_FIT, "not exactly one /configurations node"},
	{{.configurations_twice = true}, KX_E_FIT, "not exactly one /configurations node"},
	{{.default_name = "conf-4"}, KX_E_FIT_CONFIG, "no such configuration"},
	{{.default_name = "conf"}, KX_E_FIT_CONFIG, "no such configuration"},
	{{.config_twice = true}, KX_E_FIT_CONFIG, "no such configuration"},
	{{.no_kernel = true}, KX_E_FIT_CONFIG, "configuration without kernel"},
	{{.kernel_name = "kernel-9"},
	 KX_E_FIT_CONFIG,
	 "configuration names an image that is missing"},
	{{.kernel_node = "other@1", .kernel_name = "other"},
	 KX_E_FIT_CONFIG,
	 "configuration names an image that is missing"},
	{{.ramdisk_name = ""}, KX_E_FIT_CONFIG, "configuration names an image that is missing"},
	{{.kernel_name = "images/kernel"},
	 KX_E_FIT_CONFIG,
	 "configuration names an image that is missing"},
	{{.kernel_twice = true}, KX_E_FIT, "two images of one name"},
	{{.unterminated_kernel = true}, KX_E_FIT_CONFIG, "image name in configuration malformed"},
	{{.unterminated_bootargs = true}, KX_E_FIT_CONFIG, "bootargs in configuration malformed"},
	{{.overlays = true}, KX_E_FIT_CONFIG, "configuration with device tree overlays"},
	{{.arch = "arm"}, KX_E_FIT_CONFIG, "kernel of another architecture than arm64"},
	{{.compression = "gzip"}, KX_E_COMPRESSION, "compressed kernel"},
	{{.fdt_compression = "lzma"}, KX_E_COMPRESSION, "compressed device tree"},
	{{.place = NOWHERE}, KX_E_FIT_DATA, "image without data"},
	{{.place = OFFSET, .no_size = true}, KX_E_FIT_DATA, "image without data-size"},
	{{.place = OFFSET, .grow = 1}, KX_E_FIT_DATA, "image data not wholly inside the FIT"},
	{{.place = OFFSET, .shift = 1}, KX_E_FIT_DATA, "image data not wholly inside the FIT"},
	{{.place = OFFSET, .shift = UINT32_MAX},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.place = OFFSET, .shift = (uint32_t)-0x100},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.place = OFFSET, .shift = (uint64_t)-0x100},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.place = OFFSET, .grow = UINT32_MAX - sizeof(kernel_data)},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.place = POSITION, .shift = UINT32_MAX},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.place = POSITION, .shift = 4, .grow = UINT32_MAX - 4 - sizeof(kernel_data)},
	 KX_E_FIT_DATA,
	 "image data not wholly inside the FIT"},
	{{.hash_wrong = true}, KX_E_HASH, "image is not what its hash says"},
	{{.hash_wrong = true, .hash_node = "hash@1"}, KX_E_HASH, "image is not what its hash says"},
	{{.hash_wrong = true, .hash_node = "hash"}, KX_E_HASH, "image is not what its hash says"},
	{{.algorithm = "md5"}, KX_E_HASH_TYPE, "hash algorithm of this image"},
	{{.algorithm = "sha512"}, KX_E_FIT, "hash value of another length than its algorithm's"},
	{{.hash_without_value = true}, KX_E_FIT, "hash node without algo or value"},
	{{.more_hashes = 8}, KX_E_FIT, "image with too many hash nodes"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct kx_refusal why = {0};
		enum kx_error error = read_spec(&refused[i].spec, 0, true, &why);

		if (error != refused[i].error)
			print_error("case %zu: %s\n", i, refused[i].what);
		assert_int_equal(error, refused[i].error);
		assert_int_equal(why.error, error);
		assert_string_equal(why.what, refused[i].what);
		assert_true(why.start < why.end);
	}
}

static const struct spec accepted[] = {
	{.algorithm = "crc32"},
	{.more_hashes = 7},
	{.hash_wrong = true, .hash_ignored = true},
	{.algorithm = "md5", .hash_ignored = true},
	{.hash_wrong = true, .hash_node = "digest"},
	{.ramdisk_compression = "zstd"},
	{.fdt_compression = "none"},
	{.kernel_node = "kernel@2", .kernel_name = "kernel@2"},
	{.default_name = "conf-1"},
};

static void test_accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		struct kx_refusal why;

		assert_int_equal(read_spec(&accepted[i], 0, true, &why), KX_OK);
	}
}

static void test_duplicate_configuration_by_number(void **state)
{
	struct spec spec = {.config_twice = true, .default_name = "conf-1"};
	struct kx_refusal why;

	(void)state;
	assert_int_equal(read_spec(&spec, 0, true, &why), KX_OK);
	assert_int_equal(read_spec(&spec, 1, true, &why), KX_E_FIT_CONFIG);
	assert_string_equal(why.what, "two configurations of one name");
}

static void test_without_verify(void **state)
{
	size_t size;
	struct guarded g = make_fit(&(struct spec){.hash_wrong = true}, &size);
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	assert_int_equal(fit_config_read(g.data, size, 0, false, &config, &why), KX_OK);
	assert_full_configuration(&g, size, &config);
	assert_int_equal(config.bytes_hashed, 0);

	assert_int_equal(fit_config_read(g.data, size, 0, true, &config, &why), KX_E_HASH);
	assert_int_equal(why.start, (uintptr_t)config.kernel.data);
	assert_int_equal(why.end, (uintptr_t)config.kernel.data + config.kernel.size);
	guarded_free(&g);
}

/* The last byte of everything the FIT is needs to be there, and nothing beyond it is read. */
static void test_truncated_anywhere(void **state)
{
	size_t size;
	struct guarded whole = make_fit(&(struct spec){.place = OFFSET}, &size);

	(void)state;
	for (size_t cut = 0; cut <= size; cut++) {
		struct guarded g = guarded_new(cut);
		struct fit_config config;
		struct kx_refusal why;
		enum kx_error error;

		memcpy(g.data, whole.data, cut);
		error = fit_config_read(g.data, cut, 0, true, &config, &why);
		assert_int_equal(error, cut == size			   ? KX_OK
					: cut >= fdt_totalsize(whole.data) ? KX_E_FIT_DATA
									   : KX_E_FIT);
		assert_int_equal(fit_config_count(g.data, cut),
				 cut >= fdt_totalsize(whole.data) ? 3 : 0);
		guarded_free(&g);
	}
	guarded_free(&whole);
}

static void test_misaligned(void **state)
{
	size_t size;
	struct guarded g = make_fit(&(struct spec){0}, &size);
	struct guarded off = guarded_new(size + 8);
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
	for (size_t shift = 1; shift < 8; shift++) {
		char *fit = (char *)off.data + shift;

		memcpy(fit, g.data, size);
		assert_int_equal(fit_config_read(fit, size, 0, true, &config, &why), KX_E_FIT);
		assert_string_equal(why.what, "device tree not 8-byte aligned");
	}
	guarded_free(&off);
	guarded_free(&g);
}

static uint64_t sum_image(const struct guarded *g, size_t size, const struct fit_image *image)
{
	const unsigned char *data = image->data;
	uint64_t sum = 0;

	if (!data)
		return 0;
	assert_true(data >= (unsigned char *)g->data && image->size <= size);
	assert_true((size_t)(data - (unsigned char *)g->data) <= size - image->size);
	for (size_t i = 0; i < image->size; i++)
		sum += data[i];
	return sum;
}

static volatile uint64_t sink; /* so that what is summed up is read */

/* Whatever the bytes: no fault, no hang, and what is returned lies inside. */
static void read_everything(const struct guarded *g, size_t size)
{
	size_t count = fit_config_count(g->data, size);
	uint64_t sum = 0;

	for (size_t i = 0; i <= count; i++) {
		struct fit_config config;
		struct kx_refusal why = {0};

		if (fit_config_read(g->data, size, i, true, &config, &why) != KX_OK) {
			assert_non_null(why.what);
			continue;
		}
		assert_true(i < count);
		sum += strlen(config.name) + (config.bootargs ? strlen(config.bootargs) : 0);
		sum += sum_image(g, size, &config.kernel);
		sum += sum_image(g, size, &config.ramdisk);
		sum += sum_image(g, size, &config.fdt);
	}
	sink = sum;
}

static void corrupt_byte(unsigned char *fit, size_t size, uint64_t *random)
{
	fit[random_below(random, size)] = (unsigned char)random_next(random);
}

/* Tags, lengths and offsets take values that are near to something. */
static void corrupt_word(unsigned char *fit, size_t size, uint64_t *random)
{
	uint32_t word = (uint32_t)random_below(random, 32);

	if (random_below(random, 2))
		word = -word;
	fdt32_st(fit + random_below(random, size / 4) * 4, word);
}

static void test_corrupted(void **state)
{
	size_t size;
	struct guarded whole = make_fit(&(struct spec){.place = OFFSET}, &size);
	struct guarded g = guarded_new(size);
	uint64_t random = 0x6b657870;

	(void)state;
	for (unsigned int i = 0; i < 40000; i++) {
		memcpy(g.data, whole.data, size);
		if (i % 2)
			corrupt_word(g.data, size, &random);
		else
			corrupt_byte(g.data, size, &random);
		read_everything(&g, size);
	}
	guarded_free(&g);
	guarded_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configurations),
		cmocka_unit_test(test_no_default_is_first),
		cmocka_unit_test(test_no_configuration_at_all),
		cmocka_unit_test(test_external_data),
		cmocka_unit_test(test_precedence_of_data),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_duplicate_configuration_by_number),
		cmocka_unit_test(test_without_verify),
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_corrupted),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
