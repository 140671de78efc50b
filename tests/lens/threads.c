/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* gettid */
#include "threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* /proc's "pid (name) S ...": a name may have blanks and parentheses, but is short. */
static bool sleeps(const char *task)
{
	char path[64];
	char state = 'S';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", task);
	file = fopen(path, "r");
	if (!file) /* has ended */
		return true;
	if (fscanf(file, "%*[^)]) %c", &state) != 1)
		state = 'S';
	fclose(file);
	return state == 'S';
}

bool threads_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool all = true;

	while (tasks && all && (task = readdir(tasks))) {
		long number = strtol(task->d_name, NULL, 10);

		all = number == 0 || number == gettid() || sleeps(task->d_name);
	}
	if (tasks)
		closedir(tasks);
	return all;
}
