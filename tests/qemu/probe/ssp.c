/* SPDX-License-Identifier: MIT */
/* What libraries built with stack protection and fortified string functions want. */
#include "../guest/guest.h"

extern uintptr_t __stack_chk_guard;
void __stack_chk_fail(void) __attribute__((noreturn));
void __chk_fail(void) __attribute__((noreturn));

uintptr_t __stack_chk_guard;

void __stack_chk_fail(void)
{
	print("probe: stack overrun\r\n");
	power_off(true);
}

void __chk_fail(void)
{
	print("probe: buffer overrun\r\n");
	power_off(true);
}
