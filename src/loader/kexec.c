/* SPDX-License-Identifier: MIT */
#include "kexec.h"

#include <errno.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "input.h"
#include "say.h"

#define LOCKDOWN "/sys/kernel/security/lockdown" /* the mode in force is in brackets */
#define DISABLED "/proc/sys/kernel/kexec_load_disabled"
#define LOADED	 "/sys/kernel/kexec_loaded"

static bool text_has(const char *name, const char *what)
{
	size_t size;
	char *text = input_read_text(name, &size);
	bool found = text && strstr(text, what);

	free(text);
	return found;
}

void kexec_check_permitted(void)
{
	if (geteuid() != 0)
		fail(NOT_PERMITTED, "only root can load a kernel");
	if (text_has(LOCKDOWN, "[integrity]") || text_has(LOCKDOWN, "[confidentiality]"))
		fail(NOT_PERMITTED, "the kernel is locked down (" LOCKDOWN "), as it is after a "
				    "secure boot: it loads signed kernels only, by kexec -s");
	if (text_has(DISABLED, "1"))
		fail(NOT_PERMITTED, "kernel.kexec_load_disabled is 1, and stays so until a reboot");
	if (access(LOADED, R_OK))
		fail(FAILED, "this kernel was built without kexec: there is no " LOADED);
}

bool kexec_is_loaded(void)
{
	return text_has(LOADED, "1");
}

static long call(uint64_t entry, unsigned long count, const struct kexec_segment *segments)
{
	return syscall(SYS_kexec_load, entry, count, segments, (unsigned long)KEXEC_ARCH_AARCH64);
}

void kexec_load(const void *data, size_t size, uint64_t at)
{
	struct kexec_segment segment = {data, size, (void *)at, size};

	if (!call(at, 1, &segment))
		return;
	if (errno == EPERM)
		fail(NOT_PERMITTED, "kexec_load is not permitted: no CAP_SYS_BOOT, or a security "
				    "module forbids it");
	if (errno == EBUSY)
		fail(FAILED, "somebody else is loading a kernel at this moment");
	fail_errno(errno == ENOMEM ? NO_MEMORY : FAILED, "kexec_load of %zu bytes to 0x%llx", size,
		   (unsigned long long)at);
}

void kexec_unload(void)
{
	if (call(0, 0, NULL))
		fail_errno(errno == EPERM ? NOT_PERMITTED : FAILED, "cannot unload");
}

void kexec_execute(void)
{
	sync();
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	fail_errno(errno == EPERM ? NOT_PERMITTED : FAILED, "the kernel does not reboot");
}
