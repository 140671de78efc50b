/* SPDX-License-Identifier: MIT */
/*
 * One walk of our own. libfdt 1.6.1 adds the length of a property to an int: a length just below
 * 2^32 sends its walks, fdt_check_full's among them, round in circles; and it checks the bounds of
 * every byte of a name anew, which takes ten times as long.
 */
#include "fdt_check.h"

#include <libfdt.h>
#include <stdbool.h>
#include <string.h>

#define FDT_ALIGNMENT	  8
#define FDT_VERSION	  17  /* what every producer has written since 2007 */
#define PROPERTY_NAME_MAX 255 /* the specification says 31, vendors' trees have longer ones */
#define PROPERTY_HEADER	  (2 * FDT_TAGSIZE) /* behind the tag: length, and where the name is */
#define UNSOUND		  UINT32_MAX	    /* longer than any block is */

struct block {
	const char *start;
	uint32_t size;
};

static uint32_t word_at(struct block b, uint32_t offset)
{
	return fdt32_to_cpu(*(const fdt32_t *)(b.start + offset));
}

/* Bytes of the string there and its end, at most max. */
static uint32_t string_size(struct block b, uint32_t offset, uint32_t max)
{
	uint32_t length;

	if (offset >= b.size)
		return UNSOUND;
	if (max > b.size - offset)
		max = b.size - offset;
	length = (uint32_t)strnlen(b.start + offset, max);
	return length < max ? length + 1 : UNSOUND;
}

/* Bytes behind a property's tag. Bounding the length of names keeps the search for their ends, one
 * a property, linear. */
static uint32_t property_size(struct block structure, struct block strings, uint32_t offset)
{
	uint32_t left = structure.size - offset, length, name;

	if (left < PROPERTY_HEADER)
		return UNSOUND;
	length = word_at(structure, offset);
	name = word_at(structure, offset + FDT_TAGSIZE);
	if (length > left - PROPERTY_HEADER ||
	    string_size(strings, name, PROPERTY_NAME_MAX + 1) == UNSOUND)
		return UNSOUND;
	return PROPERTY_HEADER + length;
}

/* Bytes behind the tag at an offset, with depth nodes open. */
static uint32_t tag_size(struct block structure, struct block strings, uint32_t at, uint32_t depth)
{
	uint32_t offset = at + FDT_TAGSIZE, size;

	switch (word_at(structure, at)) {
	case FDT_BEGIN_NODE:
		size = string_size(structure, offset, UINT32_MAX);
		return depth || (!at && size == 1) ? size : UNSOUND; /* the root has no name */
	case FDT_PROP:
		return depth ? property_size(structure, strings, offset) : UNSOUND;
	case FDT_END_NODE:
		return depth ? 0 : UNSOUND;
	case FDT_NOP:
		return at ? 0 : UNSOUND;
	default:
		return UNSOUND;
	}
}

/* One root, with which the structure begins, and the end. */
static bool structure_is_sound(struct block structure, struct block strings)
{
	uint32_t at = 0, depth = 0;

	while (structure.size - at >= FDT_TAGSIZE) {
		uint32_t tag = word_at(structure, at), size;

		if (tag == FDT_END)
			return at && !depth;
		size = tag_size(structure, strings, at, depth);
		if (size > structure.size - at - FDT_TAGSIZE)
			return false;
		depth += (tag == FDT_BEGIN_NODE) - (tag == FDT_END_NODE);
		at += FDT_TAGSIZE + ((size + FDT_TAGSIZE - 1) & ~(FDT_TAGSIZE - 1));
		if (at > structure.size)
			return false;
	}
	return false;
}

static const char *find_fault(const void *fdt, size_t size)
{
	struct block structure, strings;

	if ((uintptr_t)fdt % FDT_ALIGNMENT != 0)
		return "device tree not 8-byte aligned";
	if (size < FDT_V17_SIZE)
		return "device tree shorter than its header";
	if (fdt_check_header(fdt) != 0 || fdt_version(fdt) < FDT_VERSION)
		return "device tree header malformed";
	if (fdt_totalsize(fdt) > size)
		return "device tree truncated";
	if (fdt_off_dt_struct(fdt) % FDT_TAGSIZE != 0)
		return "device tree structure misaligned";
	structure =
		(struct block){(const char *)fdt + fdt_off_dt_struct(fdt), fdt_size_dt_struct(fdt)};
	strings = (struct block){(const char *)fdt + fdt_off_dt_strings(fdt),
				 fdt_size_dt_strings(fdt)};
	if (fdt_num_mem_rsv(fdt) < 0 || !structure_is_sound(structure, strings))
		return "device tree structure malformed";
	return NULL;
}

enum kx_error fdt_check_tree(const void *fdt, size_t size, struct kx_refusal *why)
{
	const char *what = find_fault(fdt, size);

	if (what)
		return kx_refuse(why, KX_E_FDT, what, (uintptr_t)fdt, (uintptr_t)fdt + size);
	return KX_OK;
}
