/* SPDX-License-Identifier: MIT */
/*
 * Which of several ways of doing the same work is the fastest, found out while doing it. The work
 * is done by one way after the other, a sample each, for some rounds; then by the one whose best
 * sample took the least time.
 */
#ifndef KIMAGE_TRIAL_H
#define KIMAGE_TRIAL_H

#include <stdint.h>

#define TRIAL_WAYS 8
#define TRIAL_SAMPLE                                                                  \
	(64ull << 10)  /* bytes: some thousand cache lines, hundreds of counter ticks \
			*/
#define TRIAL_ROUNDS 2 /* the first one finds caches and TLB cold */

struct trial {
	unsigned int ways;	    /* bit mask of those that take part */
	unsigned int way;	    /* to be used now */
	unsigned int next;	    /* number of the next sample, of all rounds */
	uint64_t left;		    /* bytes of the sample under way; 0: the trial is over */
	uint64_t spent;		    /* ticks on it so far */
	uint64_t ticks[TRIAL_WAYS]; /* of the best sample of each way */
};

/* ways: a bit for each, at least one. */
void trial_init(struct trial *t, unsigned int ways);

/* t->way has done bytes, at most t->left, in so many ticks. Not once the trial is over. */
void trial_ran(struct trial *t, uint64_t bytes, uint64_t ticks);

#endif /* KIMAGE_TRIAL_H */
