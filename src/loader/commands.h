/* SPDX-License-Identifier: MIT */
/* What the command does, each in a file of its name. A failure ends the process. */
#ifndef LOADER_COMMANDS_H
#define LOADER_COMMANDS_H

#include "arguments.h"

void command_load(const struct arguments *arguments);
void command_execute(void) __attribute__((noreturn)); /* check.c */
void command_check(void);
void command_unload(void);
void command_status(const struct arguments *arguments);

#endif /* LOADER_COMMANDS_H */
