/* SPDX-License-Identifier: MIT */
#include <asm/hwcap.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "../engine/version.h"
#include "../payload/crc32.h"
#include "commands.h"
#include "say.h"

int main(int argc, char **argv)
{
	struct arguments a = arguments_read(argc, argv);

	if (getauxval(AT_HWCAP) & HWCAP_CRC32)
		crc32_use(crc32_instructions);
	switch (a.command) {
	case LOAD:
		command_load(&a);
		break;
	case EXECUTE:
		command_execute();
	case CHECK:
		command_check();
		break;
	case UNLOAD:
		command_unload();
		break;
	case STATUS:
		command_status(&a);
		break;
	case HELP:
		arguments_help();
		break;
	case VERSION:
		puts("kexpress " KEXPRESS_VERSION);
		break;
	}
	return DONE;
}
