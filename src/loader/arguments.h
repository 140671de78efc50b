/* SPDX-License-Identifier: MIT */
/* The command line. Options are those of kexec-tools where they mean the same. */
#ifndef LOADER_ARGUMENTS_H
#define LOADER_ARGUMENTS_H

#include <stdbool.h>

enum command { LOAD, EXECUTE, CHECK, UNLOAD, STATUS, HELP, VERSION };

struct arguments {
	enum command command;
	const char *kernel; /* of LOAD */
	const char *initrd; /* or NULL, as all that follow */
	const char *tree;
	const char *append;
	bool reuse_command_line;
	bool json;
};

/* Reads it; one that makes no sense ends the process. --debug is noted where it is used: say.h. */
struct arguments arguments_read(int argc, char **argv);

void arguments_help(void);

#endif /* LOADER_ARGUMENTS_H */
