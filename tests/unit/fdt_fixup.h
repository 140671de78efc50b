/* SPDX-License-Identifier: MIT */
/* Trees that fdt_fixup made, and what must be in them. */
#ifndef TESTS_UNIT_FDT_FIXUP_H
#define TESTS_UNIT_FDT_FIXUP_H

#include "payload/fdt_check.h"
#include "payload/fdt_fixup.h"
#include "payload/fdt_read.h"
#include "tree.h"

/* What completing a tree of these tests adds to it at most. */
#define COMPLETION_MAX 8192
#define BUFFER_SIZE    ((size_t)64 * 1024)

static _Alignas(8) unsigned char buffer[BUFFER_SIZE];

static const uint8_t entropy[40] = "8 bytes:and 32 bytes for the other seed";

static inline void fixup(const struct fdt_fixup *f)
{
	struct kx_refusal why;

	memset(buffer, 0xa5, sizeof(buffer));
	assert_int_equal(fdt_fixup(f, buffer, sizeof(buffer), &why), KX_OK);
	assert_int_equal(fdt_check_tree(buffer, fdt_totalsize(buffer), &why), KX_OK);
}

static inline int node_at(const char *path)
{
	int node = fdt_path_offset(buffer, path);

	if (node < 0)
		fail_msg("no %s", path);
	return node;
}

static inline void assert_property(const char *path, const char *name, const void *value,
				   size_t size)
{
	int length;
	const void *found = fdt_getprop(buffer, node_at(path), name, &length);

	if (!found)
		fail_msg("no %s in %s", name, path);
	assert_int_equal(length, size);
	assert_memory_equal(found, value, size);
}

static inline void assert_string(const char *path, const char *name, const char *value)
{
	assert_property(path, name, value, strlen(value) + 1);
}

static inline void assert_u64(const char *path, const char *name, uint64_t value)
{
	fdt64_t cells = cpu_to_fdt64(value);

	assert_property(path, name, &cells, sizeof(cells));
}

static inline void assert_cells(const char *path, const char *name, const uint32_t *cells,
				size_t count)
{
	fdt32_t value[8];

	assert_true(count <= 8);
	for (size_t i = 0; i < count; i++)
		value[i] = cpu_to_fdt32(cells[i]);
	assert_property(path, name, value, count * sizeof(value[0]));
}

#define ASSERT_CELLS(path, name, ...)                             \
	assert_cells(path, name, (const uint32_t[]){__VA_ARGS__}, \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static inline void assert_absent(const char *path, const char *name)
{
	if (fdt_getprop(buffer, node_at(path), name, NULL))
		fail_msg("%s in %s", name, path);
}

static inline void assert_reservations(const uint64_t (*expected)[2], int count)
{
	assert_int_equal(fdt_num_mem_rsv(buffer), count);
	for (int i = 0; i < count; i++) {
		uint64_t address;
		uint64_t size;

		assert_int_equal(fdt_get_mem_rsv(buffer, i, &address, &size), 0);
		assert_int_equal(address, expected[i][0]);
		assert_int_equal(size, expected[i][1]);
	}
}

static inline void assert_timing_zero(void)
{
	assert_string("/chosen/kexpress", "compatible", "kexpress,timing");
#define ASSERT_ZERO(member, property) assert_u64("/chosen/kexpress", property, 0);
	KX_TIMING_FIELDS(ASSERT_ZERO)
#undef ASSERT_ZERO
	assert_absent("/chosen/kexpress", "left-over");
}

static inline void assert_refused(const struct fdt_fixup *f, size_t size, enum kx_error error,
				  const char *what)
{
	const void *base = f->payload ? f->payload : f->machine;
	struct kx_refusal why = {0};

	assert_int_equal(fdt_fixup(f, buffer, size, &why), error);
	assert_int_equal(why.error, error);
	assert_string_equal(why.what, what);
	assert_int_equal(why.start, (uintptr_t)base);
}

#endif /* TESTS_UNIT_FDT_FIXUP_H */
