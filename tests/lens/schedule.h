/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is. CPUs run one at a time, in the order of their modelled clocks: what they do to
 * each other, and to the memory that they share, then happens in the same order on every run.
 *
 * A CPU arrives at each block that it executes. The one that has the turn keeps it until it is more
 * than a quantum ahead of the slowest that waits. A CPU that is off or asleep is out, and nobody
 * waits for it.
 *
 * What QEMU runs alone, such as a TLBI that is broadcast, wants every CPU out of its blocks, and
 * who waits for that is blocked. The waiting ones then owe a block each, which takes them out: one
 * after the other, so that this too has an order. When all who were blocked have arrived again,
 * things go on. A block that is owed may be such a TLBI as well: whoever claims to run alone does
 * so when all others are known to be blocked, and the next claim begins only when all others have
 * arrived, or else it were the host that says which of them run one more block first.
 */
#ifndef LENS_SCHEDULE_H
#define LENS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_QUANTUM_PS 1000000
#define SCHEDULE_NOBODY	    UINT32_MAX

enum schedule_state {
	SCHEDULE_OUT,
	SCHEDULE_WAITING,
	SCHEDULE_RUNNING,
	SCHEDULE_BLOCKED,
	SCHEDULE_RETURNING, /* was blocked, and will arrive or be blocked again */
};

struct schedule;

/* NULL where memory is short. All are out. */
struct schedule *schedule_new(unsigned int cpus);
void schedule_free(struct schedule *schedule);

enum schedule_state schedule_state(const struct schedule *schedule, unsigned int cpu);

/* A CPU is at the beginning of a block. */
void schedule_arrive(struct schedule *schedule, unsigned int cpu, uint64_t ps);

/* The block that a CPU executes makes QEMU run something alone. */
void schedule_claim(struct schedule *schedule, unsigned int cpu);

/* A CPU waits in QEMU, not at a block, for something that the others may have to do. */
void schedule_block(struct schedule *schedule, unsigned int cpu);
void schedule_unblock(struct schedule *schedule, unsigned int cpu);

/* Is it a blocked CPU's time to be unblocked, when QEMU has woken it? */
bool schedule_may_return(const struct schedule *schedule, unsigned int cpu);

void schedule_leave(struct schedule *schedule, unsigned int cpu);

/* Out of turn: a CPU that has waited too long. */
void schedule_force(struct schedule *schedule, unsigned int cpu);

/* Gives the turn to who is next, and tells who that is; nobody where somebody has it. */
unsigned int schedule_next(struct schedule *schedule);

#endif /* LENS_SCHEDULE_H */
