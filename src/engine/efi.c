/* SPDX-License-Identifier: MIT */
/*
 * kexpress as an EFI application (docs/boot.md): takes from the firmware what the boot protocol
 * wants, puts a copy of our image at a 2 MiB boundary, exits boot services and starts the copy as
 * any loader would. Everything that can fail does so before that, and returns to the firmware.
 */
#include "efi.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../payload/efi_map.h"
#include "../payload/fdt_check.h"
#include "../payload/fdt_efi.h"
#include "../payload/fdt_read.h"
#include "../payload/fdt_tree.h"
#include "../payload/options.h"
#include "../place/page.h"
#include "fail.h"
#include "image_layout.h"
#include "lowlevel.h"

#define LINE_SIZE      256
#define BOOTARGS_MAX   4096 /* as discover.c has it */
#define FDT_MAX	       0x200000u
#define IMAGE_ALIGN    0x200000
#define MAP_SLACK      32 /* descriptors that our own allocations, and events, may add */
#define EXIT_TRIES     4  /* UEFI specification 2.10, 7.4.6: the map may have changed meanwhile */
#define OPTIONS_OF_MAP 2  /* a range taken out of another leaves two */

static const struct efi_guid loaded_image = {
	0x5b1b31a1, 0x9562, 0x11d2, {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
static const struct efi_guid shell_parameters = {
	0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};
static const struct efi_guid global_variables = {
	0x8be4df61, 0x93ca, 0x11d2, {0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c}};
static const struct efi_guid device_tree = {
	0xb1b621d5, 0xf19c, 0x41a5, {0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0}};
static const struct efi_guid memory_reservations = {
	0x888eb0c6, 0x8ede, 0x4ff5, {0xa8, 0xf0, 0x9a, 0xee, 0x5c, 0xb9, 0x77, 0xc2}};

/* Linux's linux_efi_memreserve, empty. */
struct linux_reservations {
	uint32_t size;
	uint32_t count;
	uint64_t next;
};

/* What has its place before the last look at the memory map. */
struct leave {
	uint64_t image; /* our copy */
	uint64_t tree;
	uint64_t tree_room;
	struct efi_map map;
	uint64_t map_room;
	struct range_set ram;
	bool secure_boot;
};

enum kx_error efi_refuse(struct efi *e, efi_status status, enum kx_error error, const char *what,
			 uint64_t start, uint64_t end)
{
	e->status = status;
	return kx_refuse(&e->why, error, what, start, end);
}

enum kx_error efi_allocate(struct efi *e, uint64_t size, uint64_t align, uint64_t *start)
{
	uint64_t bytes = page_up(size), room = bytes + align - KX_PAGE_SIZE, at, end;
	efi_status status = e->boot->allocate_pages(EFI_ANY_PAGES, EFI_LOADER_DATA,
						    room >> EFI_PAGE_SHIFT, &at);

	if (status)
		return efi_refuse(e, status, KX_E_NO_ROOM, "firmware has no memory of this size", 0,
				  room);
	*start = (at + align - 1) & ~(align - 1);
	end = *start + bytes;
	if (at < *start)
		e->boot->free_pages(at, (*start - at) >> EFI_PAGE_SHIFT);
	if (end < at + room)
		e->boot->free_pages(end, (at + room - end) >> EFI_PAGE_SHIFT);
	e->allocated[e->allocated_count++] = (struct range){*start, end};
	return KX_OK;
}

static void free_all(struct efi *e)
{
	for (size_t i = 0; i < e->allocated_count; i++)
		e->boot->free_pages(e->allocated[i].start,
				    (e->allocated[i].end - e->allocated[i].start) >>
					    EFI_PAGE_SHIFT);
}

void *efi_protocol(const struct efi *e, efi_handle handle, const struct efi_guid *name)
{
	void *found;

	return e->boot->handle_protocol(handle, name, &found) ? NULL : found;
}

static const void *find_table(const struct efi *e, const struct efi_guid *name)
{
	for (uint64_t i = 0; i < e->system->table_count; i++)
		if (memcmp(&e->system->tables[i].name, name, sizeof(*name)) == 0)
			return e->system->tables[i].table;
	return NULL;
}

/* On the firmware's console. */
static void tell(const struct efi *e)
{
	uint16_t text[LINE_SIZE];
	char line[LINE_SIZE];
	size_t i = 0;

	snprintf(line, sizeof(line), "kexpress: error %s: %s, 0x%llx-0x%llx\r\n",
		 fail_name(e->why.error), e->why.what, (unsigned long long)e->why.start,
		 (unsigned long long)e->why.end);
	do {
		text[i] = (unsigned char)line[i];
	} while (line[i++]);
	if (e->system->output)
		e->system->output->output(e->system->output, text);
}

/* A tree without CPUs is what GRUB makes to name an initrd in, where firmware has ACPI tables. */
static enum kx_error find_machine(struct efi *e)
{
	const void *fdt = find_table(e, &device_tree);
	uint64_t at = (uintptr_t)fdt;
	enum kx_error error;

	e->status = EFI_LOAD_ERROR;
	if (fdt) {
		uint32_t size = fdt_totalsize(fdt);

		error = fdt_check_tree(fdt, size < FDT_MAX ? size : FDT_MAX, &e->why);
		if (error)
			return error;
	}
	if (!fdt || fdt_tree_child(fdt, 0, "cpus") < 0)
		return efi_refuse(e, EFI_UNSUPPORTED, KX_E_FDT,
				  "firmware has no device tree of the machine (ACPI only?)", at,
				  at);
	e->machine = fdt;
	return KX_OK;
}

static struct efi_text load_options(const struct efi *e)
{
	struct efi_text options = {e->loaded->options, e->loaded->options_size / 2};

	if (!options.text)
		return (struct efi_text){0};
	options = efi_text_trim(options);
	return efi_protocol(e, e->image, &shell_parameters) ? efi_text_skip_word(options) : options;
}

/* Also what of it is for us before the entry; the rest is left for discover. */
static enum kx_error read_options(struct efi *e)
{
	const char *bootargs = fdt_read_bootargs(e->machine);
	struct options parsed;
	uint64_t room;
	size_t unknown;
	enum kx_error error = efi_allocate(e, 2 * BOOTARGS_MAX, KX_PAGE_SIZE, &room);

	if (error)
		return error;
	e->options = load_options(e);
	if (e->options.length)
		bootargs = e->bootargs = (const char *)room;
	if ((e->bootargs && !efi_text_utf8(e->options, (char *)room, BOOTARGS_MAX)) ||
	    !options_parse(bootargs, &parsed, (char *)room + BOOTARGS_MAX, BOOTARGS_MAX, NULL, 0,
			   &unknown))
		return efi_refuse(e, EFI_LOAD_ERROR, KX_E_FDT_SPACE,
				  "command line longer than 4095 bytes", room, room);
	e->verify = parsed.verify;
	return KX_OK;
}

/* UEFI specification 2.10, 3.3; false where it does not exist. */
static bool variable_is_set(const struct efi *e, const uint16_t *name)
{
	uint64_t size = 1;
	uint8_t value;

	return !e->system->runtime->variable(name, &global_variables, NULL, &size, &value) &&
	       value == 1;
}

static bool secure_boot(const struct efi *e)
{
	return variable_is_set(e, u"SecureBoot") && !variable_is_set(e, u"SetupMode");
}

/* Linux's drivers want to add to it what must outlive a kexec; its own EFI stub makes one too. */
static void offer_reservations(const struct efi *e)
{
	struct linux_reservations *table;
	void *room;

	if (find_table(e, &memory_reservations) ||
	    e->boot->allocate_pool(EFI_LOADER_DATA, sizeof(*table), &room))
		return;
	table = room;
	*table = (struct linux_reservations){0};
	e->boot->install_table(&memory_reservations, table);
}

static enum kx_error copy_image(struct efi *e, struct leave *l)
{
	enum kx_error error = efi_allocate(e, _end - _head, IMAGE_ALIGN, &l->image);

	if (!error)
		memcpy((void *)l->image, _head, _image_file_end - _head);
	return error;
}

/* Room for the map, for what RAM it may have, and for the tree with that. */
static enum kx_error make_room(struct efi *e, struct leave *l)
{
	uint64_t key, ranges;
	size_t count;
	enum kx_error error;

	l->map_room = 0;
	e->boot->memory_map(&l->map_room, NULL, &key, &l->map.descriptor_size,
			    &l->map.descriptor_version);
	if (l->map.descriptor_size < sizeof(struct efi_memory_descriptor))
		return efi_refuse(e, EFI_LOAD_ERROR, KX_E_EFI, "firmware has no memory map", 0, 0);
	count = l->map_room / l->map.descriptor_size + MAP_SLACK;
	l->map_room = count * l->map.descriptor_size;
	l->ram.max = count * OPTIONS_OF_MAP;
	l->tree_room = fdt_efi_room(e->machine, e->bootargs, l->ram.max);
	error = efi_allocate(e, l->map_room, KX_PAGE_SIZE, (uint64_t *)&l->map.descriptors);
	if (!error)
		error = efi_allocate(e, l->ram.max * sizeof(struct range), KX_PAGE_SIZE, &ranges);
	if (!error)
		error = efi_allocate(e, l->tree_room, KX_PAGE_SIZE, &l->tree);
	if (!error)
		l->ram.ranges = (struct range *)ranges;
	return error;
}

static enum kx_error write_tree(struct efi *e, struct leave *l)
{
	const struct range kept[] = {
		{l->image, l->image + page_up(_end - _head)},
		{l->tree, page_up(l->tree + l->tree_room)},
		{page_down(e->payload.start), page_up(e->payload.end)},
	};
	const struct fdt_efi f = {
		.machine = e->machine,
		.bootargs = e->bootargs,
		.initrd = e->payload,
		.ram = &l->ram,
		.system_table = (uintptr_t)e->system,
		.secure_boot = l->secure_boot,
		.map = l->map,
	};
	enum kx_error error;

	l->ram.count = 0;
	error = efi_map_ram(&l->map, kept, sizeof(kept) / sizeof(kept[0]), &l->ram, &e->why);
	return error ? error : fdt_efi(&f, (void *)l->tree, l->tree_room, &e->why);
}

/* Firmware cleans what it loads to the PoU, if at all: with the MMU off that is not enough. */
static void start_copy(const struct leave *l) __attribute__((noreturn));
static void start_copy(const struct leave *l)
{
	efi_map_stay(&l->map);
	efi_clean((uint64_t)_head, (uint64_t)_text_end);
	efi_clean(l->image, l->image + (_image_file_end - _head));
	efi_clean(l->tree, l->tree + fdt_totalsize(l->tree));
	efi_leave(l->tree, l->image);
}

/* The map as it is now, and a tree that says so. */
static enum kx_error look(struct efi *e, struct leave *l, uint64_t *key)
{
	efi_status status;

	l->map.size = l->map_room;
	status = e->boot->memory_map(&l->map.size, l->map.descriptors, key, &l->map.descriptor_size,
				     &l->map.descriptor_version);
	if (status)
		return efi_refuse(e, status, KX_E_EFI, "firmware does not tell its memory map",
				  (uintptr_t)l->map.descriptors,
				  (uintptr_t)l->map.descriptors + l->map_room);
	e->status = EFI_LOAD_ERROR;
	return write_tree(e, l);
}

/* Returns only where firmware does not let go. */
static enum kx_error leave(struct efi *e, struct leave *l)
{
	efi_status status = EFI_LOAD_ERROR;

	for (unsigned int i = 0; i < EXIT_TRIES; i++) {
		uint64_t key;
		enum kx_error error = look(e, l, &key);

		if (error)
			return error;
		status = e->boot->exit(e->image, key);
		if (!status)
			start_copy(l);
	}
	return efi_refuse(e, status, KX_E_EFI, "firmware does not exit its boot services",
			  (uintptr_t)_head, (uintptr_t)_end);
}

/* Looks at the map twice: the device tree that names the payload is not to be trusted. */
static enum kx_error prepare(struct efi *e, struct leave *l)
{
	uint64_t key;
	enum kx_error error = find_machine(e);

	if (!error)
		error = read_options(e);
	if (!error)
		error = efi_payload_find(e);
	if (!error)
		error = copy_image(e, l);
	if (!error)
		error = make_room(e, l);
	if (!error)
		error = look(e, l, &key);
	return error ? error : efi_payload_check(e);
}

static enum kx_error run(struct efi *e)
{
	struct leave l = {.secure_boot = secure_boot(e)};
	enum kx_error error;

	e->loaded = efi_protocol(e, e->image, &loaded_image);
	if (!e->loaded)
		return efi_refuse(e, EFI_UNSUPPORTED, KX_E_EFI, "firmware does not know our image",
				  (uintptr_t)_head, (uintptr_t)_end);
	error = prepare(e, &l);
	if (error)
		return error;
	offer_reservations(e);
	return leave(e, &l);
}

efi_status efi_main(efi_handle image, const struct efi_system_table *system)
{
	struct efi e = {.image = image, .system = system, .boot = system->boot};

	run(&e);
	tell(&e);
	free_all(&e);
	return e.status;
}
