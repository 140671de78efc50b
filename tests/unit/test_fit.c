/* SPDX-License-Identifier: MIT */
/* Configurations of a FIT, and where their images lie. */
#include "fit_spec.h"

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

/* A tree with images and no configuration yet. */
static void *open_configurations(void)
{
	void *tree = tree_begin(1, 1);

	add_images(tree, &(struct spec){0});
	tree_node(tree, "configurations");
	return tree;
}

static void test_no_default_is_first(void **state)
{
	void *tree = open_configurations();
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
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
	void *tree = open_configurations();
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
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
	void *tree = tree_begin(1, 1);
	struct fit_config config;
	struct kx_refusal why;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configurations),
		cmocka_unit_test(test_no_default_is_first),
		cmocka_unit_test(test_no_configuration_at_all),
		cmocka_unit_test(test_external_data),
		cmocka_unit_test(test_precedence_of_data),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_without_verify),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
