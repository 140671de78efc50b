/* SPDX-License-Identifier: MIT */
/*
 * lens: QEMU as a machine with caches. This file is the plugin: it turns what QEMU executes into
 * events (event.h), and hands them to the clock (time.c) and to the judges (coherency.c,
 * contract.c).
 *
 *   LD_PRELOAD=lens.so qemu-system-aarch64 -plugin lens.so,profile=...,ram=... (options.h)
 *
 * QEMU calls back once or more often for an access, but not for maintenance, barriers and
 * prefetches: decode.c finds those at translation, and an instruction callback reads their
 * register. QEMU does not say what type memory is: walk.c reads the guest's own tables. System
 * registers are read at the first block after an instruction or an exception that may have changed
 * them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "console.h"
#include "contract.h"
#include "intern.h"
#include "lens.h"
#include "power.h"
#include "qemu_plugin.h"
#include "record.h"
#include "turn.h"
#include "watch.h"

#define IMAGE_ALIGNMENT 4096u /* the least that any loader gives */
#define EXPORT		__attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_VERSION;

struct lens lens;

static uint64_t plugin;
static struct intern sites = {.item_size = sizeof(struct site)};
static struct intern blocks = {.item_size = sizeof(struct block)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t translation_lock = PTHREAD_MUTEX_INITIALIZER;

void lens_enter(void)
{
	if (lens.core_count > 1)
		pthread_mutex_lock(&lock);
}

void lens_leave(void)
{
	if (lens.core_count > 1)
		pthread_mutex_unlock(&lock);
}

int lens_sleep(pthread_cond_t *signal, const struct timespec *until)
{
	return pthread_cond_timedwait(signal, &lock, until);
}

struct flags *lens_flags(unsigned int cpu)
{
	return qemu_plugin_scoreboard_find(lens.scoreboard, cpu);
}

uint64_t lens_latest_ps(void)
{
	uint64_t latest = 0;

	for (unsigned int i = 0; i < lens.core_count; i++) {
		if (time_now_ps(lens.model, i) > latest)
			latest = time_now_ps(lens.model, i);
	}
	return latest;
}

static uint64_t model_ns(unsigned int cpu)
{
	return (cpu == CLOCK_ANY_CPU ? lens_latest_ps() : time_now_ps(lens.model, cpu)) / 1000;
}

/* --- Translation ------------------------------------------------------------------------- */

static uint64_t physical(const struct plugin_insn *insn)
{
	const uint8_t *host = qemu_plugin_insn_haddr(insn);

	return host ? (uint64_t)(host - lens.ram.map) + lens.ram.base : OPTION_NOWHERE - 1;
}

static bool begins_image(uint64_t pa)
{
	struct contract_ram memory = {lens.ram.base, lens.ram.size, lens.ram.map};

	return pa % IMAGE_ALIGNMENT == 0 && contract_is_image(&memory, pa);
}

static void instrument_steps(struct plugin_insn *insn)
{
	uint64_t pa = physical(insn);

	for (unsigned int i = 0; i < lens.options.mark_count; i++) {
		if (lens.options.marks[i].address == pa)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, watch_mark, PLUGIN_NO_REGISTERS, lens.options.marks[i].name);
	}
	if (pa == lens.options.start)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_start, PLUGIN_NO_REGISTERS,
						       NULL);
	if (pa == lens.options.stop)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_stop, PLUGIN_NO_REGISTERS, NULL);
	if (console_is_watched())
		qemu_plugin_register_vcpu_mem_cb(insn, console_store, PLUGIN_NO_REGISTERS,
						 PLUGIN_WRITE, NULL);
	if (pa == lens.options.kernel || (lens.options.images && begins_image(pa)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_kernel, PLUGIN_READ_REGISTERS,
						       (void *)(uintptr_t)pa);
}

static void instrument(struct plugin_insn *insn)
{
	struct plugin_counter stale = {lens.scoreboard, offsetof(struct flags, stale)};
	uint32_t word = 0;
	struct site site;
	void *kept;

	qemu_plugin_insn_data(insn, &word, sizeof(word));
	memset(&site, 0, sizeof(site));
	site.pc = qemu_plugin_insn_vaddr(insn);
	site.insn = decode(word);
	if (site.insn.kind == INSN_OTHER)
		return;
	kept = (void *)intern(&sites, &site);
	switch (site.insn.kind) {
	case INSN_MEMORY:
		qemu_plugin_register_vcpu_mem_cb(insn, watch_memory, PLUGIN_NO_REGISTERS,
						 PLUGIN_READ_WRITE, kept);
		return;
	case INSN_OP:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_op, PLUGIN_READ_REGISTERS, kept);
		return;
	case INSN_BULK:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_bulk, PLUGIN_READ_REGISTERS,
						       kept);
		return;
	case INSN_MARKER:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, watch_marker, PLUGIN_NO_REGISTERS,
						       kept);
		return;
	case INSN_CALL:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, power_call, PLUGIN_READ_REGISTERS,
						       NULL);
		__attribute__((fallthrough));
	case INSN_CONTEXT:
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, PLUGIN_STORE, stale, 1);
		return;
	case INSN_OTHER:
		return;
	}
}

static void instrument_block(struct plugin_tb *tb)
{
	struct plugin_counter stale = {lens.scoreboard, offsetof(struct flags, stale)};
	struct block block;
	void *kept;

	memset(&block, 0, sizeof(block));
	block.pc = qemu_plugin_tb_vaddr(tb);
	block.pa = physical(qemu_plugin_tb_get_insn(tb, 0));
	block.instructions = (uint32_t)qemu_plugin_tb_n_insns(tb);
	block.in_range = block.pa - lens.options.range_first <
			 lens.options.range_end - lens.options.range_first;
	kept = (void *)intern(&blocks, &block);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, watch_block, PLUGIN_NO_REGISTERS, kept);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, watch_stale_state, PLUGIN_READ_REGISTERS,
						  PLUGIN_NOT_EQUAL, stale, 0, NULL);
	if (lens.coherency)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, watch_fetch, PLUGIN_NO_REGISTERS, kept);
}

static void on_translate(uint64_t id, struct plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	pthread_mutex_lock(&translation_lock);
	if (lens.instrumented)
		instrument_block(tb);
	for (size_t i = 0; i < count; i++) {
		instrument_steps(qemu_plugin_tb_get_insn(tb, i));
		if (lens.instrumented)
			instrument(qemu_plugin_tb_get_insn(tb, i));
	}
	pthread_mutex_unlock(&translation_lock);
}

/* --- Beginning and end ------------------------------------------------------------------- */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "lens: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* QEMU's own mapping of the RAM file: instructions are told by addresses in it. */
static void find_ram(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char *path = realpath(lens.options.ram, NULL);
	struct stat status;
	char line[512];

	if (!maps || !path || stat(path, &status))
		die(lens.options.ram, "can't be read");
	while (!lens.ram.map && fgets(line, sizeof(line), maps)) {
		unsigned long start, offset;

		if (sscanf(line, "%lx-%*x %*s %lx", &start, &offset) == 2 && offset == 0 &&
		    strstr(line, path))
			lens.ram.map = (const uint8_t *)start;
	}
	fclose(maps);
	free(path);
	if (!lens.ram.map)
		die(lens.options.ram, "is not the guest's RAM");
	lens.ram.base = lens.options.ram_base;
	lens.ram.size = (uint64_t)status.st_size;
}

static void start_judges(struct registers *registers)
{
	struct coherency_options how = {
		.ram_base = lens.ram.base,
		.ram_size = lens.ram.size,
		.ram = lens.ram.map,
		.cpus = lens.core_count,
		.ctr = registers_read(registers, REGISTER_CTR_EL0),
	};

	lens.coherency = coherency_new(&how, lens.report);
	if (!lens.coherency)
		die("coherency", "no memory, or too many CPUs");
}

static void on_vcpu_init(uint64_t id, unsigned int cpu)
{
	struct core *core = &lens.cores[cpu];

	(void)id;
	lens_enter();
	registers_find(&core->registers);
	core->tlb = calloc(1, sizeof(*core->tlb));
	if (!core->tlb)
		die("lens", "no memory");
	if (!lens.ram.map)
		find_ram();
	if (lens.options.coherency && !lens.coherency)
		start_judges(&core->registers);
	for (unsigned int i = 0; i < LENS_LEVELS; i++)
		core->vectors[i] = UINT64_MAX;
	lens_flags(cpu)->stale = true;
	lens_leave();
}

static void on_idle(uint64_t id, unsigned int cpu)
{
	(void)id;
	lens_enter();
	power_idle(cpu);
	lens_leave();
}

static void on_resume(uint64_t id, unsigned int cpu)
{
	(void)id;
	lens_enter();
	power_resume(cpu);
	lens_leave();
}

static void on_end(uint64_t id, void *user)
{
	(void)id;
	(void)user;
	record_end();
	report_finish(lens.report);
	fflush(lens.record);
}

static void register_callbacks(uint64_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_idle_cb(id, on_idle);
	qemu_plugin_register_vcpu_resume_cb(id, on_resume);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
}

/* Code that nobody watches runs at QEMU's own speed. */
void lens_instrument(void)
{
	lens.instrumented = watch_is_on();
	qemu_plugin_reset(plugin, register_callbacks);
}

static void read_profile(struct profile *profile)
{
	FILE *file = fopen(lens.options.profile, "r");
	char error[64];

	if (!file)
		die(lens.options.profile, "can't be opened");
	if (profile_read(profile, file, error, sizeof(error)))
		die(lens.options.profile, error);
	fclose(file);
}

static void set_up(const struct plugin_info *info)
{
	struct profile profile;

	read_profile(&profile);
	lens.core_count = (unsigned int)info->system.max_vcpus;
	lens.model = time_new(&profile, lens.core_count);
	lens.cores = calloc(lens.core_count, sizeof(*lens.cores));
	lens.record = lens.options.log ? fopen(lens.options.log, "w") : stderr;
	lens.scoreboard = qemu_plugin_scoreboard_new(sizeof(struct flags));
	if (lens.record) /* a machine that is killed leaves a whole log too */
		setvbuf(lens.record, NULL, _IOLBF, 0);
	if (!lens.model || !lens.cores || !lens.record)
		die("lens", "no memory, or the log can't be written");
	turn_set_up();
	lens.report = report_new(lens.record);
	if (!lens.report ||
	    (lens.options.elf && report_symbols(lens.report, lens.options.elf, lens.options.bias)))
		die("elf", "no symbols");
}

EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv)
{
	const char *wrong;

	if (!info->system_emulation || strcmp(info->target, "aarch64") != 0)
		die(info->target, "not an AArch64 machine");
	if (options_read(&lens.options, argc, argv, &wrong))
		die("option", wrong);
	if (!clock_is_preloaded())
		die("clock", "start QEMU with LD_PRELOAD naming this plugin's file");
	set_up(info);
	clock_set_source(model_ns);
	if (watch_models_at_once()) /* QEMU's own start takes no time, as far as the guest can see
				     */
		clock_model(true);
	plugin = id;
	lens.instrumented = watch_begins_at_once();
	register_callbacks(id);
	return 0;
}
