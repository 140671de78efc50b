/* SPDX-License-Identifier: MIT */
#include "copier.h"

#include "lowlevel.h"

#include <arm64/sysreg.h>

#define LINE  64ull   /* that the loops take at once */
#define BLOCK 4096ull /* what is cleaned lies this far behind what is copied */

enum way { COPY_PLAIN, COPY_NEAR, COPY_FAR, COPY_ZVA, COPY_MOPS };

/* Not at EL1: an EL2 that does not know of these instructions leaves them undefined there. */
static bool has_mops(void)
{
	return current_el() == 2 && ID_AA64ISAR2_MOPS(sysreg_read(ID_AA64ISAR2_EL1));
}

void copier_init(struct copier *c)
{
	unsigned int ways = 1u << COPY_PLAIN | 1u << COPY_NEAR | 1u << COPY_FAR;

	if (copy_zva_size() == LINE)
		ways |= 1u << COPY_ZVA;
	if (has_mops())
		ways |= 1u << COPY_MOPS;
	*c = (struct copier){.folds = copy_line_size() == LINE};
	trial_init(&c->trials[false], ways);
	trial_init(&c->trials[true], ways);
}

static void copy_lines(unsigned int way, uint64_t to, uint64_t from, uint64_t bytes)
{
	switch (way) {
	case COPY_NEAR:
		copy_near(to, from, bytes);
		return;
	case COPY_FAR:
		copy_far(to, from, bytes);
		return;
	case COPY_ZVA:
		copy_zva(to, from, bytes);
		return;
	case COPY_MOPS:
		copy_mops(to, from, bytes);
		return;
	default:
		copy_plain(to, from, bytes);
	}
}

static void copy_lines_clean(unsigned int way, uint64_t to, uint64_t from, uint64_t bytes,
			     uint64_t behind)
{
	switch (way) {
	case COPY_NEAR:
		copy_near_clean(to, from, bytes, behind);
		return;
	case COPY_FAR:
		copy_far_clean(to, from, bytes, behind);
		return;
	case COPY_ZVA:
		copy_zva_clean(to, from, bytes, behind);
		return;
	case COPY_MOPS:
		copy_mops(to, from, bytes);
		cache_clean(behind, behind + bytes);
		return;
	default:
		copy_plain_clean(to, from, bytes, behind);
	}
}

void copier_finish(struct copier *c)
{
	if (c->behind_bytes)
		cache_clean(c->behind, c->behind + c->behind_bytes);
	c->behind_bytes = 0;
}

/* At most a block, whole lines; cleans what was copied before. */
static void copy_block_clean(struct copier *c, unsigned int way, uint64_t to, uint64_t from,
			     uint64_t bytes)
{
	if (c->folds && c->behind_bytes == bytes) {
		copy_lines_clean(way, to, from, bytes, c->behind);
	} else {
		copier_finish(c);
		copy_lines(way, to, from, bytes);
	}
	c->behind = to;
	c->behind_bytes = bytes;
}

static void copy_blocks_clean(struct copier *c, unsigned int way, uint64_t to, uint64_t from,
			      uint64_t bytes)
{
	while (bytes) {
		uint64_t block = bytes < BLOCK ? bytes : BLOCK;

		copy_block_clean(c, way, to, from, block);
		to += block;
		from += block;
		bytes -= block;
	}
}

static void copy_by(struct copier *c, unsigned int way, uint64_t to, uint64_t from, uint64_t bytes,
		    bool clean)
{
	uint64_t lines = bytes & ~(LINE - 1);

	if (clean)
		copy_blocks_clean(c, way, to, from, lines);
	else if (lines)
		copy_lines(way, to, from, lines);
	if (lines == bytes)
		return;
	copy_bytes(to + lines, from + lines, bytes - lines);
	if (clean)
		cache_clean(to + lines, to + bytes);
}

/* One piece of the trial. Returns its bytes. */
static uint64_t copy_sample(struct copier *c, uint64_t to, uint64_t from, uint64_t bytes,
			    bool clean)
{
	struct trial *t = &c->trials[clean];
	uint64_t piece = bytes < t->left ? bytes : t->left;
	uint64_t start = counter_read();

	copy_by(c, t->way, to, from, piece, clean);
	trial_ran(t, piece, counter_read() - start);
	return piece;
}

void copier_copy(struct copier *c, uint64_t to, uint64_t from, uint64_t bytes, bool clean)
{
	uint64_t at = 0;

	/* Zeroing ahead would lose what is still to be read. */
	if (to < from + bytes && from < to + bytes) {
		copy_by(c, COPY_PLAIN, to, from, bytes, clean);
		return;
	}
	while (c->trials[clean].left && at < bytes)
		at += copy_sample(c, to + at, from + at, bytes - at, clean);
	if (at < bytes)
		copy_by(c, c->trials[clean].way, to + at, from + at, bytes - at, clean);
}
