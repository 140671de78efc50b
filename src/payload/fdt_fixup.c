/* SPDX-License-Identifier: MIT */
/* Static functions return 0, or an error of libfdt, which is negative. */
#include "fdt_fixup.h"

#include <string.h>

#include "fdt_adopt.h"
#include "fdt_check.h"
#include "fdt_cpus.h"
#include "fdt_read.h"
#include "fdt_tree.h"

#define FDT_BYTES_MAX	  ((size_t)2 << 20) /* booting.rst: at most 2 megabytes */
#define KASLR_SEED_SIZE	  8
#define TIMING_NODE	  "kexpress"
#define TIMING_COMPATIBLE "kexpress,timing"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is said anew on every boot. */
static const char *const stale_properties[] = {
	"linux,initrd-start",
	"linux,initrd-end",
	"bootargs",
};

static const char *const timing_properties[] = {
#define TIMING_PROPERTY(member, property) property,
	KX_TIMING_FIELDS(TIMING_PROPERTY)
#undef TIMING_PROPERTY
};

/* U-Boot and Linux's kexec reserve the initrd as well; that one was the payload. */
static int drop_initrd_reservation(void *fdt, const void *machine)
{
	struct range initrd;
	int index;

	if (!fdt_read_initrd(machine, &initrd))
		return 0;
	index = fdt_tree_find_reservation(fdt, initrd.start, initrd.end - initrd.start);
	return index < 0 ? 0 : fdt_del_mem_rsv(fdt, index);
}

static int drop_property(void *fdt, int node, const char *name)
{
	int err = fdt_delprop(fdt, node, name);

	return err == -FDT_ERR_NOTFOUND ? 0 : err;
}

static int drop_stale(void *fdt, int chosen)
{
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(stale_properties); i++)
		err = drop_property(fdt, chosen, stale_properties[i]);
	return err;
}

static int set_initrd(void *fdt, int chosen, const struct range *initrd)
{
	int err;

	if (initrd->start == initrd->end)
		return 0;
	err = fdt_setprop_u64(fdt, chosen, "linux,initrd-end", initrd->end);
	if (!err)
		err = fdt_setprop_u64(fdt, chosen, "linux,initrd-start", initrd->start);
	return err;
}

/* Linux zeroes the seed that it has used, and would take the zero for a seed the next time. */
static int drop_used_seed(void *fdt, int chosen)
{
	int length;
	const unsigned char *seed = fdt_getprop(fdt, chosen, "kaslr-seed", &length);

	for (int i = 0; i < length; i++) {
		if (seed[i] != 0)
			return 0;
	}
	return drop_property(fdt, chosen, "kaslr-seed");
}

/* Dropped first, so that a tree that is completed again comes out the same to the byte. */
static int set_seeds(void *fdt, int chosen, const uint8_t *entropy, size_t size)
{
	int err = drop_property(fdt, chosen, "kaslr-seed");

	if (!err)
		err = drop_property(fdt, chosen, "rng-seed");
	if (!err)
		err = fdt_setprop(fdt, chosen, "rng-seed", entropy + KASLR_SEED_SIZE,
				  (int)(size - KASLR_SEED_SIZE));
	if (!err)
		err = fdt_setprop(fdt, chosen, "kaslr-seed", entropy, KASLR_SEED_SIZE);
	return err;
}

static int complete_seeds(void *fdt, int chosen, const struct fdt_fixup *f)
{
	if (!f->entropy)
		return drop_used_seed(fdt, chosen);
	return set_seeds(fdt, chosen, f->entropy, f->entropy_size);
}

static int drop_timing_node(void *fdt, int chosen)
{
	int node = fdt_tree_child(fdt, chosen, TIMING_NODE);

	if (node == -FDT_ERR_NOTFOUND)
		return 0;
	return node < 0 ? node : fdt_del_node(fdt, node);
}

/* libfdt puts a new property before the others: from last to first. */
static int add_timing_node(void *fdt, int chosen)
{
	int node = fdt_add_subnode(fdt, chosen, TIMING_NODE);
	int err = 0;

	if (node < 0)
		return node;
	for (size_t i = COUNT(timing_properties); !err && i > 0; i--)
		err = fdt_setprop_u64(fdt, node, timing_properties[i - 1], 0);
	if (!err)
		err = fdt_setprop_string(fdt, node, "compatible", TIMING_COMPATIBLE);
	return err;
}

static int complete_chosen(void *fdt, const struct fdt_fixup *f)
{
	int chosen = fdt_adopt_chosen_node(fdt);
	int err;

	if (chosen < 0)
		return chosen;
	err = drop_stale(fdt, chosen);
	if (!err)
		err = complete_seeds(fdt, chosen, f);
	if (!err)
		err = set_initrd(fdt, chosen, &f->initrd);
	if (!err)
		err = fdt_setprop_string(fdt, chosen, "bootargs", f->bootargs);
	if (!err)
		err = drop_timing_node(fdt, chosen);
	if (!err)
		err = add_timing_node(fdt, chosen);
	return err;
}

static int complete(void *fdt, size_t size, const struct fdt_fixup *f)
{
	int err = fdt_open_into(fdt, fdt, (int)size);

	if (!err && f->payload)
		err = fdt_adopt_machine(fdt, f->machine);
	if (!err)
		err = drop_initrd_reservation(fdt, f->machine);
	if (!err)
		err = complete_chosen(fdt, f);
	if (!err && f->landing.end)
		err = fdt_cpus_prepare(fdt, &f->landing);
	if (!err)
		err = fdt_pack(fdt);
	if (!err)
		fdt_set_boot_cpuid_phys(fdt, fdt_boot_cpuid_phys(f->machine));
	return err;
}

static enum kx_error refuse(const struct fdt_fixup *f, enum kx_error error, const char *what,
			    struct kx_refusal *why)
{
	const void *base = f->payload ? f->payload : f->machine;
	size_t size = f->payload ? f->payload_size : fdt_totalsize(f->machine);

	return kx_refuse(why, error, what, (uintptr_t)base, (uintptr_t)base + size);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Bytes up to the end of the last block. QEMU's tree is 8 KB in a totalsize of 1 MiB. */
static uint32_t used_size(const void *fdt)
{
	uint32_t reservations =
		(uint32_t)(fdt_num_mem_rsv(fdt) + 1) * sizeof(struct fdt_reserve_entry);
	uint32_t end = fdt_off_mem_rsvmap(fdt) + reservations;

	end = larger(end, fdt_off_dt_struct(fdt) + fdt_size_dt_struct(fdt));
	return larger(end, fdt_off_dt_strings(fdt) + fdt_size_dt_strings(fdt));
}

static enum kx_error copy_machine(const struct fdt_fixup *f, void *buffer, size_t size,
				  struct kx_refusal *why)
{
	uint32_t used = used_size(f->machine);

	if (used > size)
		return refuse(f, KX_E_FDT_SPACE, "device tree larger than its room", why);
	memcpy(buffer, f->machine, used);
	fdt_set_totalsize(buffer, used);
	return KX_OK;
}

/* Checked as a copy: in a FIT a tree is 4-byte aligned, too little for libfdt. */
static enum kx_error copy_payload(const struct fdt_fixup *f, void *buffer, size_t size,
				  struct kx_refusal *why)
{
	if (f->payload_size > size)
		return refuse(f, KX_E_FDT_SPACE, "device tree larger than its room", why);
	memcpy(buffer, f->payload, f->payload_size);
	if (fdt_check_tree(buffer, f->payload_size, why) != KX_OK)
		return refuse(f, KX_E_FDT, why->what, why);
	return KX_OK;
}

enum kx_error fdt_fixup(const struct fdt_fixup *f, void *buffer, size_t size,
			struct kx_refusal *why)
{
	size_t room = size < FDT_BYTES_MAX ? size : FDT_BYTES_MAX;
	int err;

	if (f->payload ? copy_payload(f, buffer, room, why) : copy_machine(f, buffer, room, why))
		return why->error;
	err = complete(buffer, room, f);
	if (err == -FDT_ERR_NOSPACE)
		return refuse(f, KX_E_FDT_SPACE, "device tree too large once completed", why);
	if (err)
		return refuse(f, KX_E_FDT, "device tree cannot be completed", why);
	return KX_OK;
}

static void store_number(void *fdt, int property, uint64_t value)
{
	int length;
	const void *data = fdt_getprop_by_offset(fdt, property, NULL, &length);

	if (data && length == sizeof(value))
		fdt64_st((void *)data, value);
}

/* In the order that add_timing_node has given them: a search for each by its name would go through
 * all before it. */
void fdt_fixup_timing(void *fdt, const struct kx_timing *timing)
{
	int node = fdt_tree_child(fdt, fdt_tree_child(fdt, 0, "chosen"), TIMING_NODE);
	int property = fdt_first_property_offset(fdt, node); /* compatible */

#define STORE_TIMING(member, name)                          \
	property = fdt_next_property_offset(fdt, property); \
	store_number(fdt, property, timing->member);
	KX_TIMING_FIELDS(STORE_TIMING)
#undef STORE_TIMING
}
