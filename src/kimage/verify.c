/* SPDX-License-Identifier: MIT */
#include "verify.h"

#include "../payload/crc32.h"

/* A segment on its way through its bytes. */
struct cursor {
	const struct verify *v;
	list_bias bias;
	uint64_t done;
	uint32_t crc;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The next bytes, up to offset end of the segment, are at source now. */
static void take(struct cursor *c, uint64_t source, uint64_t end)
{
	end = smaller(end, c->v->size);
	if (c->done >= end)
		return;
	c->crc = crc32_update(c->crc, (const void *)(uintptr_t)(source + c->bias), end - c->done);
	c->done = end;
}

static void take_in_place(struct cursor *c, uint64_t end)
{
	take(c, c->v->destination + c->done, end);
}

/* A run may begin before the segment: one that goes through several. */
static enum kx_error take_run(struct cursor *c, const struct run *run, struct kx_refusal *why)
{
	uint64_t segment = c->v->destination;
	uint64_t start = run->destination > segment ? run->destination : segment;

	if (start - segment < c->done)
		return kx_refuse(why, KX_E_HANDOFF, "segment with a CRC not listed in its order",
				 start, run->destination + run->length);
	take_in_place(c, start - segment);
	take(c, run->source + (start - run->destination), run->destination + run->length - segment);
	return KX_OK;
}

enum kx_error verify_segment(const struct verify *v, const struct run *runs, size_t count,
			     list_bias bias, struct kx_refusal *why)
{
	struct cursor c = {.v = v, .bias = bias};
	uint64_t end = v->destination + v->size;
	enum kx_error error = KX_OK;

	for (size_t i = 0; i < count && !error; i++)
		if (runs[i].destination < end &&
		    v->destination < runs[i].destination + runs[i].length)
			error = take_run(&c, &runs[i], why);
	if (error)
		return error;
	take_in_place(&c, v->size);
	if (c.crc != v->crc)
		return kx_refuse(why, KX_E_HASH, "segment is not what its CRC says", v->destination,
				 end);
	return KX_OK;
}
