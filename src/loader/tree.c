/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../payload/fdt_fixup.h"
#include "../payload/fdt_read.h"
#include "say.h"

#define TREE_ROOM    ((size_t)2 << 20) /* booting.rst: at most 2 megabytes */
#define BOOTARGS_MAX 4096	       /* what the stage reads */
#define ENTROPY_SIZE 40		       /* kaslr-seed and rng-seed */

/* The old kernel is gone when kexpress runs: there is nobody to go back to. */
#define ON_ERROR "kexpress.onerror=reset"

/* What a boot loader has added, and what was said to kexpress the last time. */
static bool is_stale(const char *word)
{
	return strncmp(word, "BOOT_IMAGE=", 11) == 0 || strncmp(word, "kexpress.", 9) == 0;
}

static void add(char *line, const char *words)
{
	size_t length = strlen(line);

	if (!*words)
		return;
	if (length + strlen(words) + 2 > BOOTARGS_MAX)
		fail(FAILED, "command line longer than %d bytes", BOOTARGS_MAX - 1);
	sprintf(line + length, "%s%s", *line ? " " : "", words);
}

static void add_fresh(char *line, const char *words)
{
	char *copy = strdup(words), *rest = copy;

	if (!copy)
		fail(NO_MEMORY, "no memory for the command line");
	for (char *word = strsep(&rest, " \n"); word; word = strsep(&rest, " \n"))
		if (!is_stale(word))
			add(line, word);
	free(copy);
}

static void add_running(char *line)
{
	size_t size;
	char *running = input_read_text("/proc/cmdline", &size);

	if (!running)
		fail_errno(FAILED, "cannot read /proc/cmdline");
	add_fresh(line, running);
	free(running);
}

/* As kexec-tools: what is given counts; else the tree's own, by which this kernel was started. */
static void make_bootargs(char *line, const struct machine *m, const struct loader_payload *p,
			  const struct arguments *a)
{
	strcpy(line, ON_ERROR);
	if (p->bootargs)
		add(line, p->bootargs);
	if (a->reuse_command_line)
		add_running(line);
	if (a->append)
		add(line, a->append);
	if (!p->bootargs && !a->append && !a->reuse_command_line)
		add_fresh(line, fdt_read_bootargs(m->tree));
}

struct tree tree_make(const struct machine *m, const struct loader_payload *p,
		      const struct arguments *a, struct range initrd)
{
	char bootargs[BOOTARGS_MAX];
	uint8_t entropy[ENTROPY_SIZE];
	struct fdt_fixup f = {
		.machine = m->tree,
		.payload = p->tree.size ? p->tree.data : NULL,
		.payload_size = p->tree.size,
		.bootargs = bootargs,
		.initrd = initrd,
		.entropy = getrandom(entropy, sizeof(entropy), GRND_NONBLOCK) == sizeof(entropy)
				   ? entropy
				   : NULL,
		.entropy_size = sizeof(entropy),
	};
	struct tree t = {.data = malloc(TREE_ROOM)};
	struct kx_refusal why;

	if (!t.data)
		fail(NO_MEMORY, "no memory for the device tree");
	make_bootargs(bootargs, m, p, a);
	if (fdt_fixup(&f, t.data, TREE_ROOM, &why))
		fail(FAILED, "device tree: %s", why.what);
	t.size = fdt_totalsize(t.data);
	return t;
}
