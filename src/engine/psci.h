/* SPDX-License-Identifier: MIT */
/* PSCI 0.2 and later, as the crash word (crash.h) says that it is called. */
#ifndef ENGINE_PSCI_H
#define ENGINE_PSCI_H

#include <stdbool.h>
#include <stdint.h>

/* Whether calls reach firmware from the exception level we are at. */
bool psci_usable(void);

/* Whether the CPU is on its way to entry, with the MMU off, at our exception level or above. */
bool psci_cpu_on(uint64_t id, uint64_t entry);

/* Whether the CPU is off. */
bool psci_is_off(uint64_t id);

#endif /* ENGINE_PSCI_H */
