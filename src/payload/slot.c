/* SPDX-License-Identifier: MIT */
#include "slot.h"

#include <string.h>
#include <zlib.h>

#include "hash.h"

#define ERASED 0xff

bool slot_is_empty(const void *at)
{
	const unsigned char *header = at;

	for (size_t i = 0; i < sizeof(struct kx_slot); i++)
		if (header[i] != ERASED)
			return false;
	return true;
}

static enum kx_error refuse(const void *at, size_t room, const char *what, struct kx_refusal *why)
{
	return kx_refuse(why, KX_E_SLOT, what, (uintptr_t)at, (uintptr_t)at + room);
}

static bool fits(const struct kx_slot *header, size_t room)
{
	return header->offset >= sizeof(*header) && header->offset % 8 == 0 &&
	       header->offset <= room && header->size <= room - header->offset && header->size &&
	       header->tree_size && header->tree_size <= header->size;
}

enum kx_error slot_read(const void *at, size_t room, struct slot *slot, struct kx_refusal *why)
{
	struct kx_slot header;
	const char *data;

	if (room < sizeof(header))
		return refuse(at, room, "flash slot smaller than its header", why);
	memcpy(&header, at, sizeof(header));
	if (header.magic != KX_SLOT_MAGIC ||
	    header.crc != crc32_z(0, at, offsetof(struct kx_slot, crc)))
		return refuse(at, room, "flash slot's header is not whole", why);
	if (header.version != KX_SLOT_VERSION || header.reserved)
		return refuse(at, room, "flash slot of an unknown version", why);
	if (!fits(&header, room))
		return refuse(at, room, "flash slot's payload does not fit into it", why);
	data = (const char *)at + header.offset;
	if (hash_check("sha256", header.digest, sizeof(header.digest), data, header.tree_size, why))
		return refuse(at, room, "flash slot's payload is not what was written", why);
	*slot = (struct slot){data, header.size, header.sequence};
	return KX_OK;
}

bool slot_is_newer(const struct slot *a, const struct slot *b)
{
	return (int32_t)(a->sequence - b->sequence) > 0;
}
