/* SPDX-License-Identifier: MIT */
/* A run: consecutive pages whose sources and whose destinations are both contiguous. */
#ifndef KIMAGE_RUN_H
#define KIMAGE_RUN_H

#include <stdbool.h>
#include <stdint.h>

enum run_kind { RUN_COPY, RUN_ZERO, RUN_IN_PLACE };

/*
 * length is in bytes. destination is 4 KiB aligned and the whole pages up to its end are the run's:
 * what follows length in the last page is zeroed. source has any alignment and is 0 for RUN_ZERO.
 */
struct run {
	uint64_t source;
	uint64_t destination;
	uint64_t length;
	enum run_kind kind;
};

/* Whether next goes on where run ends, so that both are one run. */
static inline bool run_continues(const struct run *run, const struct run *next)
{
	return next->kind == run->kind && next->destination == run->destination + run->length &&
	       (run->kind == RUN_ZERO || next->source == run->source + run->length);
}

#endif /* KIMAGE_RUN_H */
