/* SPDX-License-Identifier: MIT */
/*
 * What goes wrong between load and exec, to every shared memory segment that there is: "remove", or
 * an offset at which a byte is changed. With "exec" behind it reboots at once, past kexpress's own
 * check.
 */
#include <linux/reboot.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static void harm(int id, const char *how)
{
	unsigned char *at;

	if (strcmp(how, "remove") == 0) {
		shmctl(id, IPC_RMID, NULL);
		return;
	}
	at = shmat(id, NULL, 0);
	if (at != (void *)-1)
		at[strtoul(how, NULL, 0)] ^= 0x40;
}

int main(int argc, char **argv)
{
	struct shmid_ds ds;
	int last = shmctl(0, SHM_INFO, &ds);

	if (argc < 2)
		return 2;
	for (int i = 0; i <= last; i++) {
		int id = shmctl(i, SHM_STAT, &ds);

		if (id >= 0)
			harm(id, argv[1]);
	}
	if (argc > 2 && strcmp(argv[2], "exec") == 0)
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_KEXEC, NULL);
	return 0;
}
