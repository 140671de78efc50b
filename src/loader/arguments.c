/* SPDX-License-Identifier: MIT */
#include "arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

/* Options without a letter. */
enum { OPTION_INITRD = 0x100, OPTION_TREE, OPTION_APPEND, OPTION_REUSE, OPTION_JSON };

static const struct option options[] = {
	{"load", no_argument, NULL, 'l'},
	{"exec", no_argument, NULL, 'e'},
	{"unload", no_argument, NULL, 'u'},
	{"load-panic", no_argument, NULL, 'p'},
	{"initrd", required_argument, NULL, OPTION_INITRD},
	{"ramdisk", required_argument, NULL, OPTION_INITRD},
	{"dtb", required_argument, NULL, OPTION_TREE},
	{"append", required_argument, NULL, OPTION_APPEND},
	{"command-line", required_argument, NULL, OPTION_APPEND},
	{"reuse-cmdline", no_argument, NULL, OPTION_REUSE},
	{"json", no_argument, NULL, OPTION_JSON},
	{"debug", no_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'v'},
	{NULL, 0, NULL, 0},
};

static const struct {
	const char *word;
	enum command command;
} words[] = {{"check", CHECK}, {"status", STATUS}};

#define NO_COMMAND (-1)

static void set_command(int *command, enum command wanted)
{
	if (*command != NO_COMMAND && *command != (int)wanted)
		fail(USAGE, "one of -l, -e, -u, check and status at a time");
	*command = wanted;
}

static void take_option(int option, struct arguments *a, int *command)
{
	switch (option) {
	case 'l':
		set_command(command, LOAD);
		break;
	case 'e':
		set_command(command, EXECUTE);
		break;
	case 'u':
		set_command(command, UNLOAD);
		break;
	case 'p':
		fail(USAGE, "-p: a crash kernel is loaded to its own place already, and there is "
			    "nothing to relocate; use kexec -p");
	case OPTION_INITRD:
		a->initrd = optarg;
		break;
	case OPTION_TREE:
		a->tree = optarg;
		break;
	case OPTION_APPEND:
		a->append = optarg;
		break;
	case OPTION_REUSE:
		a->reuse_command_line = true;
		break;
	case OPTION_JSON:
		a->json = true;
		break;
	case 'd':
		say_debug_enabled = true;
		break;
	case 'h':
		set_command(command, HELP);
		break;
	case 'v':
		set_command(command, VERSION);
		break;
	default:
		fail(USAGE, "try kexpress --help");
	}
}

static void take_word(const char *word, struct arguments *a, int *command)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0 && *command != LOAD) {
			set_command(command, words[i].command);
			return;
		}
	if (a->kernel)
		fail(USAGE, "one kernel, not %s as well", word);
	a->kernel = word;
}

static void check(const struct arguments *a)
{
	bool loads = a->command == LOAD;

	if (loads && !a->kernel)
		fail(USAGE, "-l needs a kernel");
	if (!loads && a->kernel)
		fail(USAGE, "%s: only -l takes a file", a->kernel);
	if (!loads && (a->initrd || a->tree || a->append || a->reuse_command_line))
		fail(USAGE, "--initrd, --dtb, --append and --reuse-cmdline go with -l");
	if (a->json && a->command != STATUS)
		fail(USAGE, "--json goes with status");
}

struct arguments arguments_read(int argc, char **argv)
{
	struct arguments a = {0};
	int command = NO_COMMAND, option;

	while ((option = getopt_long(argc, argv, "leupdhv", options, NULL)) != -1)
		take_option(option, &a, &command);
	while (optind < argc)
		take_word(argv[optind++], &a, &command);
	if (command == NO_COMMAND)
		fail(USAGE, "what to do? try kexpress --help");
	a.command = (enum command)command;
	if (a.command != HELP && a.command != VERSION)
		check(&a);
	return a;
}

void arguments_help(void)
{
	fputs("kexpress -l KERNEL [--initrd=FILE] [--dtb=FILE] [--append=STRING] [--reuse-cmdline]\n"
	      "                 load a kernel (arm64 Image, also gzip) or a FIT for the next reboot\n"
	      "kexpress -e      reboot into it now, past all shutdown scripts\n"
	      "kexpress check   see whether all that was loaded is still right; if not, unload it\n"
	      "kexpress -u      unload it\n"
	      "kexpress status [--json]\n"
	      "                 what is loaded, and what the last relocation took\n"
	      "\n"
	      "  --initrd, --ramdisk FILE         initramfs\n"
	      "  --dtb FILE                       device tree; otherwise this machine's\n"
	      "  --append, --command-line STRING  command line for the kernel\n"
	      "  --reuse-cmdline                  begin it with the one of the running kernel\n"
	      "  -d, --debug                      tell what is done\n"
	      "  -v, --version                    tell the version\n",
	      stdout);
}
