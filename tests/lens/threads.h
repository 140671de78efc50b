/* SPDX-License-Identifier: MIT */
#ifndef LENS_THREADS_H
#define LENS_THREADS_H

#include <stdbool.h>

/* Do all threads of this process but the caller's sleep? One that could run, if a busy host let it,
 * does not. */
bool threads_sleep(void);

#endif /* LENS_THREADS_H */
