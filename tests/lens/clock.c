/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define NS_PER_S 1000000000

static clock_source source;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the three below */
static bool modelled;
static bool begun;	 /* to model, once */
static uint64_t base;	 /* to add to the model's or the host's time */
static atomic_bool seen; /* somebody else's call has come here */
static _Thread_local unsigned int thread_cpu = CLOCK_ANY_CPU;

static int (*host_clock_gettime)(clockid_t, struct timespec *);

/* Runs before the threads there are. */
__attribute__((constructor)) static void find_host_clock(void)
{
	host_clock_gettime =
		(int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

/* Until the model begins, in steps that all counters' ticks divide: how the ticks lie to what is
 * modelled is then the same on every run. */
#define STEP_NS 16000

static uint64_t host_ns(void)
{
	struct timespec ts;
	uint64_t ns;

	host_clock_gettime(CLOCK_MONOTONIC, &ts);
	ns = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	return begun ? ns : ns - ns % STEP_NS;
}

static uint64_t now(void)
{
	return base + (modelled ? source(thread_cpu) : host_ns());
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t ns;

	seen = true;
	if (!host_clock_gettime) /* another constructor is earlier than ours */
		find_host_clock();
	if (id != CLOCK_MONOTONIC)
		return host_clock_gettime(id, ts);
	pthread_mutex_lock(&lock);
	ns = now();
	pthread_mutex_unlock(&lock);
	ts->tv_sec = (time_t)(ns / NS_PER_S);
	ts->tv_nsec = (long)(ns % NS_PER_S);
	return 0;
}

bool clock_is_preloaded(void)
{
	return seen;
}

void clock_set_source(clock_source s)
{
	source = s;
}

void clock_set_thread(unsigned int cpu)
{
	thread_cpu = cpu;
}

void clock_model(bool on)
{
	uint64_t then;

	pthread_mutex_lock(&lock);
	then = now();
	begun = true;
	modelled = on;
	base = then - (on ? source(thread_cpu) : host_ns());
	pthread_mutex_unlock(&lock);
}
