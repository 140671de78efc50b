/* SPDX-License-Identifier: MIT */
/* The kernel's side: kexec_load(2) and reboot(2). */
#ifndef LOADER_KEXEC_H
#define LOADER_KEXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the process where the kernel will not load anything whoever asks, or not for us. */
void kexec_check_permitted(void);

/* Whether a kernel is loaded, ours or another. */
bool kexec_is_loaded(void);

/* Loads size bytes, whole pages, to be at a physical address and to be started there. */
void kexec_load(const void *data, size_t size, uint64_t at);

void kexec_unload(void);

/* Reboots into what is loaded. */
void kexec_execute(void) __attribute__((noreturn));

#endif /* LOADER_KEXEC_H */
