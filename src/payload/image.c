/* SPDX-License-Identifier: MIT */
#include "image.h"

/* The header as it lies in memory, little-endian (Linux arch/arm64/include/asm/image.h). */
struct image_header {
	uint32_t code[2];
	uint64_t text_offset;
	uint64_t image_size;
	uint64_t flags;
	uint64_t reserved[3];
	uint32_t magic;
	uint32_t pe_offset;
};

#define IMAGE_FLAG_BIG_ENDIAN  0x1
#define IMAGE_FLAGS_PAGE_SHIFT 1
#define IMAGE_FLAGS_PAGE_MASK  0x3
#define IMAGE_FLAG_ANYWHERE    0x8

/* Linux builds no other text_offset, and destinations are whole pages. */
#define IMAGE_TEXT_OFFSET_ALIGN 0x1000

/* What holds before Linux 3.17. */
#define IMAGE_OLD_TEXT_OFFSET 0x80000
#define IMAGE_OLD_BSS	      0x1000000

/* Bytes at an offset by which a format is known; '?' stands for any byte. */
struct magic {
	size_t offset;
	size_t length;
	const char *bytes;
};

#define BYTES(string) sizeof(string) - 1, string

static const struct magic magic_fdt = {0, BYTES("\xd0\x0d\xfe\xed")};
static const struct magic magic_image = {offsetof(struct image_header, magic), BYTES("ARM\x64")};

/* What is not booted, the first that fits. Magics of compressed data are those of Linux
 * lib/decompress.c, with the bytes behind them that their formats fix. */
static const struct {
	struct magic magic;
	enum kx_error error;
	const char *what;
} refused[] = {
	{{0, BYTES("MZ??zimg")}, KX_E_ZBOOT, "zboot EFI image"},
	{{0, BYTES("MZ")}, KX_E_PE, "PE file"},
	{{0, BYTES("\177ELF")}, KX_E_ELF, "ELF file"},
	{{0, BYTES("\x1f\x8b")}, KX_E_GZIP, "gzip data"},
	{{0, BYTES("\x28\xb5\x2f\xfd")}, KX_E_COMPRESSION, "zstd data"},
	{{0, BYTES("\x04\x22\x4d\x18")}, KX_E_COMPRESSION, "lz4 data"},
	{{0, BYTES("\x02\x21\x4c\x18")}, KX_E_COMPRESSION, "lz4 data, legacy format"},
	{{0, BYTES("\xfd\x37zXZ")}, KX_E_COMPRESSION, "xz data"},
	{{0, BYTES("BZh")}, KX_E_COMPRESSION, "bzip2 data"},
	{{0, BYTES("\x5d\0\0")}, KX_E_COMPRESSION, "lzma data"},
	{{0, BYTES("\x89LZO")}, KX_E_COMPRESSION, "lzo data"},
};

static bool has_magic(const void *data, size_t size, const struct magic *magic)
{
	const char *bytes = data;

	if (size < magic->offset + magic->length)
		return false;
	for (size_t i = 0; i < magic->length; i++)
		if (magic->bytes[i] != '?' && magic->bytes[i] != bytes[magic->offset + i])
			return false;
	return true;
}

static enum kx_error refuse_data(struct kx_refusal *why, enum kx_error error, const char *what,
				 const void *data, size_t size)
{
	return kx_refuse(why, error, what, (uintptr_t)data, (uintptr_t)data + size);
}

enum kx_error payload_identify(const void *data, size_t size, enum payload_kind *kind,
			       struct kx_refusal *why)
{
	if (has_magic(data, size, &magic_fdt)) {
		*kind = PAYLOAD_FIT;
		return KX_OK;
	}
	/* Before PE: an Image with an EFI stub is both. */
	if (has_magic(data, size, &magic_image)) {
		*kind = PAYLOAD_IMAGE;
		return KX_OK;
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (has_magic(data, size, &refused[i].magic))
			return refuse_data(why, refused[i].error, refused[i].what, data, size);
	return refuse_data(why, KX_E_FORMAT, "neither FIT nor arm64 Image", data, size);
}

/* data may have any alignment, and the host of the tests any byte order. */
static uint64_t read_le64(const void *data, size_t offset)
{
	const uint8_t *bytes = (const uint8_t *)data + offset;
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static void read_flags(uint64_t flags, struct image_info *info)
{
	static const uint8_t page_shifts[] = {0, 12, 14, 16};

	info->big_endian = flags & IMAGE_FLAG_BIG_ENDIAN;
	info->anywhere = flags & IMAGE_FLAG_ANYWHERE;
	info->page_shift = page_shifts[flags >> IMAGE_FLAGS_PAGE_SHIFT & IMAGE_FLAGS_PAGE_MASK];
}

enum kx_error image_read(const void *data, size_t size, struct image_info *info,
			 struct kx_refusal *why)
{
	uint64_t image_size;
	uint64_t end;

	if (size < sizeof(struct image_header))
		return refuse_data(why, KX_E_IMAGE, "shorter than its header", data, size);
	if (!has_magic(data, size, &magic_image))
		return refuse_data(why, KX_E_IMAGE, "no magic", data, size);

	image_size = read_le64(data, offsetof(struct image_header, image_size));
	if (image_size) {
		info->text_offset = read_le64(data, offsetof(struct image_header, text_offset));
		/* A signature behind the Image makes the file the larger of the two. */
		info->memory_size = image_size > size ? image_size : size;
		read_flags(read_le64(data, offsetof(struct image_header, flags)), info);
	} else {
		info->text_offset = IMAGE_OLD_TEXT_OFFSET;
		info->memory_size = (uint64_t)size + IMAGE_OLD_BSS;
		read_flags(0, info);
	}

	if (info->text_offset % IMAGE_TEXT_OFFSET_ALIGN)
		return refuse_data(why, KX_E_IMAGE, "text_offset not a whole page", data, size);
	if (__builtin_add_overflow(info->text_offset, info->memory_size, &end))
		return refuse_data(why, KX_E_IMAGE, "text_offset and image_size wrap", data, size);
	return KX_OK;
}
