/* SPDX-License-Identifier: MIT */
/* A run: consecutive pages whose sources and whose destinations are both contiguous. */
#ifndef KIMAGE_RUN_H
#define KIMAGE_RUN_H

/* Kinds of run, and offsets for asm/move.S. */
#define RUN_COPY     0
#define RUN_ZERO     1
#define RUN_IN_PLACE 2

#define RUN_OFF_SOURCE	    0
#define RUN_OFF_DESTINATION 8
#define RUN_OFF_LENGTH	    16
#define RUN_OFF_KIND	    24
#define RUN_SIZE	    32

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * length is in bytes. destination is 4 KiB aligned and the whole pages up to its end are the run's:
 * what follows length in the last page is zeroed. source has any alignment and is 0 for RUN_ZERO.
 */
struct run {
	uint64_t source;
	uint64_t destination;
	uint64_t length;
	uint32_t kind; /* RUN_* */
};

_Static_assert(offsetof(struct run, destination) == RUN_OFF_DESTINATION, "run.h");
_Static_assert(offsetof(struct run, length) == RUN_OFF_LENGTH, "run.h");
_Static_assert(offsetof(struct run, kind) == RUN_OFF_KIND, "run.h");
_Static_assert(sizeof(struct run) == RUN_SIZE, "run.h");

/* Whether next goes on where run ends, so that both are one run. It is mostly their sources that
 * tell. */
static inline bool run_continues(const struct run *run, const struct run *next)
{
	return (run->kind == RUN_ZERO || next->source == run->source + run->length) &&
	       next->kind == run->kind && next->destination == run->destination + run->length;
}

#endif

#endif /* KIMAGE_RUN_H */
