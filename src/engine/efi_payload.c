/* SPDX-License-Identifier: MIT */
/* Where EFI firmware or a boot manager has our payload. */
#include "efi.h"

#include <arm64/sysreg.h>

#include "../payload/fdt_read.h"
#include "../payload/fit.h"
#include "../payload/hash.h"
#include "../payload/image.h"
#include "image_layout.h"
#include "lowlevel.h"

#define PAYLOAD_ALIGN	 0x200000 /* so that a kernel inside, aligned likewise, may stay */
#define PAYLOAD_PATH_MAX 512
#define FIRMWARE_LIMIT	 (1ull << 47)

static const struct efi_guid load_file2 = {
	0x4006c0c1, 0xfcb3, 0x403e, {0x99, 0x6d, 0x4a, 0x6c, 0x87, 0x24, 0xe0, 0x6d}};
static const struct efi_guid volume_protocol = {
	0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

/* The path that Linux's boot loaders provide its initrd at (LINUX_EFI_INITRD_MEDIA_GUID). */
static const struct {
	struct efi_device_path vendor;
	struct efi_guid name;
	struct efi_device_path end;
} initrd_path = {
	{EFI_PATH_MEDIA, EFI_PATH_MEDIA_VENDOR, {sizeof(struct efi_device_path) + 16, 0}},
	{0x5568e427, 0x68fc, 0x4f3d, {0xac, 0x74, 0xca, 0x55, 0x52, 0x31, 0xcc, 0x68}},
	{EFI_PATH_END, EFI_PATH_END_ALL, {sizeof(struct efi_device_path), 0}},
};

static const uint16_t default_name[] = u"\\kexpress.itb";

static enum kx_error make_room(struct efi *e, uint64_t size)
{
	enum kx_error error;

	if (!size || size > FIRMWARE_LIMIT)
		return efi_refuse(e, EFI_LOAD_ERROR, KX_E_PAYLOAD_RANGE,
				  "payload of no size that can be", 0, size);
	error = efi_allocate(e, size, PAYLOAD_ALIGN, &e->payload.start);
	e->payload.end = e->payload.start + size;
	return error;
}

static enum kx_error refuse_read(struct efi *e, efi_status status)
{
	return efi_refuse(e, status ? status : EFI_LOAD_ERROR, KX_E_NO_PAYLOAD,
			  "payload could not be read", e->payload.start, e->payload.end);
}

/* True: there is such a protocol, and *error says what came of it. */
static bool load_provided(struct efi *e, enum kx_error *error)
{
	const struct efi_device_path *path = &initrd_path.vendor;
	struct efi_load_file2 *provider;
	uint64_t size = 0;
	efi_handle handle;
	efi_status status;

	if (e->boot->locate_device_path(&load_file2, &path, &handle))
		return false;
	provider = efi_protocol(e, handle, &load_file2);
	if (!provider || provider->load(provider, path, 0, &size, NULL) != EFI_BUFFER_TOO_SMALL)
		return false;
	*error = make_room(e, size);
	if (*error)
		return true;
	status = provider->load(provider, path, 0, &size, (void *)e->payload.start);
	if (status || size != e->payload.end - e->payload.start)
		*error = refuse_read(e, status);
	return true;
}

static efi_status file_size(struct efi_file *file, uint64_t *size)
{
	efi_status status = file->seek(file, EFI_FILE_END);

	if (!status)
		status = file->tell(file, size);
	return status ? status : file->seek(file, 0);
}

static enum kx_error read_file(struct efi *e, struct efi_file *file)
{
	uint64_t size, part;
	efi_status status = file_size(file, &size);
	enum kx_error error;

	if (status)
		return refuse_read(e, status);
	error = make_room(e, size);
	for (uint64_t at = e->payload.start; !error && at < e->payload.end; at += part) {
		part = e->payload.end - at;
		status = file->read(file, &part, (void *)at);
		if (status || !part)
			error = refuse_read(e, status);
	}
	return error;
}

/* As above. */
static bool load_file(struct efi *e, const uint16_t *name, enum kx_error *error)
{
	struct efi_volume *volume = efi_protocol(e, e->loaded->device, &volume_protocol);
	struct efi_file *root, *file;
	efi_status status;

	if (!volume || volume->open(volume, &root))
		return false;
	status = root->open(root, &file, name, EFI_FILE_READ, 0);
	if (!status) {
		*error = read_file(e, file);
		file->close(file);
	}
	root->close(root);
	return !status;
}

/* True: initrd= names a file. */
static bool load_named(struct efi *e, enum kx_error *error)
{
	uint16_t path[PAYLOAD_PATH_MAX];

	return efi_text_initrd(e->options, path, PAYLOAD_PATH_MAX) && load_file(e, path, error);
}

enum kx_error efi_payload_find(struct efi *e)
{
	enum kx_error error = KX_OK;

	if (load_provided(e, &error) || load_named(e, &error) ||
	    fdt_read_initrd(e->machine, &e->payload) || load_file(e, default_name, &error))
		return error;
	return efi_refuse(e, EFI_NOT_FOUND, KX_E_NO_PAYLOAD,
			  "no initrd from the boot loader, none named, no \\kexpress.itb", 0, 0);
}

/* Hashing wants .bss, which a loader that takes the file for all there is leaves no room for. */
static bool has_bss(const struct efi *e)
{
	return e->loaded->base == _head && e->loaded->size >= (uint64_t)(_end - _head);
}

static enum kx_error check_config(struct efi *e, const void *data, size_t size, size_t index)
{
	struct fit_config config;
	struct image_info kernel;
	enum kx_error error =
		fit_config_read(data, size, index, e->verify && has_bss(e), &config, &e->why);

	return error ? error : image_read(config.kernel.data, config.kernel.size, &kernel, &e->why);
}

static enum kx_error check_fit(struct efi *e, const void *data, size_t size)
{
	size_t index = 0;
	enum kx_error error;

	if (has_bss(e) && ID_AA64ISAR0_SHA2(sysreg_read(id_aa64isar0_el1)))
		hash_use_sha256_blocks(sha256_blocks);
	do {
		error = check_config(e, data, size, index);
	} while (error && ++index < fit_config_count(data, size));
	return error;
}

enum kx_error efi_payload_check(struct efi *e)
{
	const void *data = (const void *)e->payload.start;
	size_t size = e->payload.end - e->payload.start;
	enum payload_kind kind;
	struct image_info kernel;
	enum kx_error error = payload_identify(data, size, &kind, &e->why);

	if (!error && kind == PAYLOAD_FIT)
		error = check_fit(e, data, size);
	else if (!error)
		error = image_read(data, size, &kernel, &e->why);
	e->status = EFI_LOAD_ERROR;
	return error;
}
