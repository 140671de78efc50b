/* SPDX-License-Identifier: MIT */
#include "turn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lens.h"
#include "schedule.h"
#include "threads.h"

#define NAP_NS	 50000000
#define PATIENCE 4 /* naps in which nobody else could have done anything */
#define NS_PER_S 1000000000

static struct schedule *schedule;
static pthread_cond_t *turns;				  /* of each CPU: it has the turn */
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER; /* of one that was out */
static uint64_t progress; /* blocks begun and CPUs that came and went */
static uint64_t stalls;

struct patience {
	uint64_t progress;
	unsigned int naps; /* since then */
};

static _Thread_local unsigned int thread_cpu = SCHEDULE_NOBODY;

static int (*host_cond_wait)(pthread_cond_t *, pthread_mutex_t *);

__attribute__((constructor)) static void find_host_cond_wait(void)
{
	host_cond_wait =
		(int (*)(pthread_cond_t *, pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_cond_wait");
}

void turn_set_up(void)
{
	schedule = schedule_new(lens.core_count);
	turns = calloc(lens.core_count, sizeof(*turns));
	if (!schedule || !turns) {
		fprintf(stderr, "lens: no memory\n");
		exit(EXIT_FAILURE);
	}
	for (unsigned int i = 0; i < lens.core_count; i++)
		pthread_cond_init(&turns[i], NULL);
}

static void pass_on(void)
{
	unsigned int next = schedule_next(schedule);

	progress++;
	if (next != SCHEDULE_NOBODY)
		pthread_cond_signal(&turns[next]);
	for (unsigned int i = 0; i < lens.core_count; i++) {
		if (schedule_state(schedule, i) == SCHEDULE_BLOCKED)
			pthread_cond_signal(&turns[i]);
	}
}

static void nap(pthread_cond_t *signal)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += NAP_NS;
	until.tv_sec += until.tv_nsec / NS_PER_S;
	until.tv_nsec %= NS_PER_S;
	lens_sleep(signal, &until);
}

/* Waits for a signal, or for a while. False: it has had patience enough. */
static bool wait_for(pthread_cond_t *signal, struct patience *p)
{
	nap(signal);
	if (p->progress != progress)
		*p = (struct patience){.progress = progress};
	else if (threads_sleep() && ++p->naps == PATIENCE)
		stalls++;
	return p->naps < PATIENCE;
}

void turn_take(unsigned int cpu)
{
	struct patience patience = {0};

	thread_cpu = cpu;
	if (lens.core_count == 1)
		return;
	if (schedule_state(schedule, cpu) == SCHEDULE_OUT)
		pthread_cond_broadcast(&arrival);
	schedule_arrive(schedule, cpu, time_now_ps(lens.model, cpu));
	pass_on();
	while (schedule_state(schedule, cpu) == SCHEDULE_WAITING) {
		if (wait_for(&turns[cpu], &patience))
			continue;
		progress++;
		schedule_force(schedule, cpu);
	}
}

void turn_claim(unsigned int cpu)
{
	if (lens.core_count > 1)
		schedule_claim(schedule, cpu);
}

void turn_leave(unsigned int cpu)
{
	schedule_leave(schedule, cpu);
	pass_on();
}

void turn_end(void)
{
	for (unsigned int i = 0; i < lens.core_count; i++) {
		schedule_leave(schedule, i);
		pthread_cond_signal(&turns[i]);
	}
}

void turn_await(const bool *arrived)
{
	struct patience patience = {0};

	while (!*arrived && wait_for(&arrival, &patience))
		;
}

uint64_t turn_stalls(void)
{
	return stalls;
}

/* QEMU has woken a blocked CPU, but what others then find may depend on it. QEMU's lock is free
 * meanwhile: the others need it to come to where they are waited for. */
static void return_from_block(pthread_mutex_t *held)
{
	struct patience patience = {0};

	if (!schedule_may_return(schedule, thread_cpu)) {
		pthread_mutex_unlock(held);
		while (!schedule_may_return(schedule, thread_cpu) &&
		       wait_for(&turns[thread_cpu], &patience))
			;
		lens_leave();
		pthread_mutex_lock(held);
		lens_enter();
	}
	schedule_unblock(schedule, thread_cpu);
}

/* What QEMU's threads wait on. A CPU's thread that does so with its turn may wait for what other
 * CPUs do only between blocks. */
__attribute__((visibility("default"))) int pthread_cond_wait(pthread_cond_t *cond,
							     pthread_mutex_t *mutex)
{
	bool scheduled = thread_cpu != SCHEDULE_NOBODY && lens.core_count > 1;
	int result;

	if (!host_cond_wait) /* another constructor is earlier than ours */
		find_host_cond_wait();
	if (!scheduled)
		return host_cond_wait(cond, mutex);
	lens_enter();
	schedule_block(schedule, thread_cpu);
	pass_on();
	lens_leave();
	result = host_cond_wait(cond, mutex);
	lens_enter();
	return_from_block(mutex);
	lens_leave();
	return result;
}
