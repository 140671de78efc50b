/* SPDX-License-Identifier: MIT */
/* What kexpress uses of the UEFI specification 2.10, whose sections are named. Calls follow
 * AAPCS64. */
#ifndef EFI_UEFI_H
#define EFI_UEFI_H

#include <stddef.h>
#include <stdint.h>

#define EFI_PAGE_SHIFT 12 /* whatever the granule is */

/* Appendix D */
typedef uint64_t efi_status;
#define EFI_SUCCESS	     0ull
#define EFI_ERROR(n)	     ((n) | 1ull << 63)
#define EFI_LOAD_ERROR	     EFI_ERROR(1)
#define EFI_UNSUPPORTED	     EFI_ERROR(3)
#define EFI_BUFFER_TOO_SMALL EFI_ERROR(5)
#define EFI_OUT_OF_RESOURCES EFI_ERROR(9)
#define EFI_NOT_FOUND	     EFI_ERROR(14)
#define EFI_END_OF_FILE	     EFI_ERROR(31)

typedef void *efi_handle;

/* Appendix A; as it lies in memory. */
struct efi_guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

/* 7.2.1: types of memory, and attributes. */
enum efi_memory_type {
	EFI_LOADER_CODE = 1,
	EFI_LOADER_DATA = 2,
	EFI_BOOT_CODE = 3,
	EFI_BOOT_DATA = 4,
	EFI_CONVENTIONAL = 7,
};

#define EFI_MEMORY_WB	   (1ull << 3)
#define EFI_MEMORY_SP	   (1ull << 18) /* for specific users */
#define EFI_MEMORY_RUNTIME (1ull << 63) /* its owner is called later */

/* 7.2.3; those of a map follow each other by a size that GetMemoryMap tells. */
struct efi_memory_descriptor {
	uint32_t type;
	uint32_t padding;
	uint64_t start;
	uint64_t virtual_start;
	uint64_t pages;
	uint64_t attributes;
};

enum efi_allocate { EFI_ANY_PAGES = 0 };

/* 10.2 */
struct efi_device_path {
	uint8_t type;
	uint8_t subtype;
	uint8_t length[2];
};

#define EFI_PATH_MEDIA	      4
#define EFI_PATH_MEDIA_VENDOR 3
#define EFI_PATH_END	      0x7f
#define EFI_PATH_END_ALL      0xff

/* 12.4 */
struct efi_text_output {
	void *reset;
	efi_status (*output)(struct efi_text_output *self, const uint16_t *text);
};

/* 13.2 */
struct efi_load_file2 {
	efi_status (*load)(struct efi_load_file2 *self, const struct efi_device_path *path,
			   uint8_t boot_policy, uint64_t *size, void *buffer);
};

/* 13.5; mode 1 is to read. */
#define EFI_FILE_READ 1
#define EFI_FILE_END  (~0ull)

struct efi_file {
	uint64_t revision;
	efi_status (*open)(struct efi_file *self, struct efi_file **opened, const uint16_t *name,
			   uint64_t mode, uint64_t attributes);
	efi_status (*close)(struct efi_file *self);
	void *remove;
	efi_status (*read)(struct efi_file *self, uint64_t *size, void *buffer);
	void *write;
	efi_status (*tell)(struct efi_file *self, uint64_t *position);
	efi_status (*seek)(struct efi_file *self, uint64_t position);
};

/* 13.4 */
struct efi_volume {
	uint64_t revision;
	efi_status (*open)(struct efi_volume *self, struct efi_file **root);
};

/* 9.1 */
struct efi_loaded_image {
	uint32_t revision;
	efi_handle parent;
	void *system;
	efi_handle device;
	struct efi_device_path *path;
	void *reserved;
	uint32_t options_size; /* bytes */
	const uint16_t *options;
	void *base;
	uint64_t size;
};

/* 4.4, 7 */
struct efi_boot_services {
	uint8_t header[24];
	void *task_priority[2];
	efi_status (*allocate_pages)(enum efi_allocate how, enum efi_memory_type type,
				     uint64_t pages, uint64_t *address);
	efi_status (*free_pages)(uint64_t address, uint64_t pages);
	efi_status (*memory_map)(uint64_t *size, void *map, uint64_t *key,
				 uint64_t *descriptor_size, uint32_t *descriptor_version);
	efi_status (*allocate_pool)(enum efi_memory_type type, uint64_t size, void **buffer);
	efi_status (*free_pool)(void *buffer);
	void *events[6];
	void *install_protocol[3];
	efi_status (*handle_protocol)(efi_handle handle, const struct efi_guid *protocol,
				      void **found);
	void *reserved;
	void *protocol_notify;
	void *locate_handle;
	efi_status (*locate_device_path)(const struct efi_guid *protocol,
					 const struct efi_device_path **path, efi_handle *found);
	efi_status (*install_table)(const struct efi_guid *name, void *table);
	void *images[4];
	efi_status (*exit)(efi_handle image, uint64_t key);
};

/* 4.5, 8.2 */
struct efi_runtime_services {
	uint8_t header[24];
	void *time[4];
	void *virtual_memory[2];
	efi_status (*variable)(const uint16_t *name, const struct efi_guid *vendor,
			       uint32_t *attributes, uint64_t *size, void *data);
};

/* 4.6 */
struct efi_configuration_table {
	struct efi_guid name;
	void *table;
};

/* 4.3 */
struct efi_system_table {
	uint8_t header[24];
	uint16_t *vendor;
	uint32_t revision;
	void *input[2];
	efi_handle output_handle;
	struct efi_text_output *output;
	void *error[2];
	struct efi_runtime_services *runtime;
	struct efi_boot_services *boot;
	uint64_t table_count;
	const struct efi_configuration_table *tables;
};

_Static_assert(offsetof(struct efi_memory_descriptor, attributes) == 32, "7.2.3");
_Static_assert(offsetof(struct efi_loaded_image, size) == 72, "9.1");
_Static_assert(offsetof(struct efi_boot_services, handle_protocol) == 152, "4.4");
_Static_assert(offsetof(struct efi_boot_services, exit) == 232, "4.4");
_Static_assert(offsetof(struct efi_runtime_services, variable) == 72, "4.5");
_Static_assert(offsetof(struct efi_system_table, output) == 64, "4.3");
_Static_assert(offsetof(struct efi_system_table, tables) == 112, "4.3");

#endif /* EFI_UEFI_H */
