/* SPDX-License-Identifier: MIT */
/* What a FIT is refused for, and that no bytes of one do harm. */
#include "corrupt.h"
#include "fit_spec.h"

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

static void test_duplicate_configuration_by_number(void **state)
{
	struct spec spec = {.config_twice = true, .default_name = "conf-1"};
	struct kx_refusal why;

	(void)state;
	assert_int_equal(read_spec(&spec, 0, true, &why), KX_OK);
	assert_int_equal(read_spec(&spec, 1, true, &why), KX_E_FIT_CONFIG);
	assert_string_equal(why.what, "two configurations of one name");
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

static void test_corrupted(void **state)
{
	size_t size;
	struct guarded whole = make_fit(&(struct spec){.place = OFFSET}, &size);
	struct guarded g = guarded_new(size);
	uint64_t random = 0x6b657870;

	(void)state;
	for (unsigned int i = 0; i < 40000; i++) {
		memcpy(g.data, whole.data, size);
		corrupt(g.data, size, i, &random);
		read_everything(&g, size);
	}
	guarded_free(&g);
	guarded_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_duplicate_configuration_by_number),
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_corrupted),
	};

	alarm(60); /* a hang is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
