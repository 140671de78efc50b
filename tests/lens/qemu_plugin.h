/* SPDX-License-Identifier: MIT */
/*
 * What lens uses of QEMU's plugin interface, version 4 (QEMU 9.1 to 10.0). Distributions do not
 * ship the header; the functions are in the executable's dynamic symbols. The two array types are
 * GLib's, whose library QEMU brings along.
 */
#ifndef LENS_QEMU_PLUGIN_H
#define LENS_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API_VERSION 4

struct plugin_info {
	const char *target;
	struct {
		int min;
		int current;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

struct glib_bytes {
	uint8_t *data;
	unsigned int len;
};

struct glib_array {
	void *data;
	unsigned int len;
};

struct plugin_register {
	void *handle;
	const char *name;
	const char *feature;
};

struct plugin_scoreboard;

struct plugin_counter {
	struct plugin_scoreboard *score;
	size_t offset;
};

/* data is a union; its low bytes hold what is accessed, where the host is little-endian. */
struct plugin_value {
	int type;
	uint64_t data, upper;
};

struct plugin_tb;
struct plugin_insn;
struct plugin_hwaddr;

enum plugin_registers { PLUGIN_NO_REGISTERS, PLUGIN_READ_REGISTERS };
enum plugin_direction { PLUGIN_READ = 1, PLUGIN_WRITE, PLUGIN_READ_WRITE };
enum plugin_inline { PLUGIN_ADD, PLUGIN_STORE };
enum plugin_condition { PLUGIN_NEVER, PLUGIN_ALWAYS, PLUGIN_EQUAL, PLUGIN_NOT_EQUAL };

typedef void (*plugin_vcpu_fn)(uint64_t id, unsigned int cpu);
typedef void (*plugin_exec_fn)(unsigned int cpu, void *user);
typedef void (*plugin_memory_fn)(unsigned int cpu, uint32_t info, uint64_t va, void *user);

/* Defined by the plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc, char **argv);

/* Defined by QEMU. qemu_plugin_reset() drops all callbacks and translations, at the end of the
 * block that is being executed; what fn registers holds from then on. */
void qemu_plugin_reset(uint64_t id, void (*fn)(uint64_t id));
void qemu_plugin_register_vcpu_init_cb(uint64_t id, plugin_vcpu_fn fn);
void qemu_plugin_register_vcpu_idle_cb(uint64_t id, plugin_vcpu_fn fn);
void qemu_plugin_register_vcpu_resume_cb(uint64_t id, plugin_vcpu_fn fn);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*fn)(uint64_t, struct plugin_tb *));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*fn)(uint64_t, void *), void *user);

void qemu_plugin_register_vcpu_tb_exec_cb(struct plugin_tb *tb, plugin_exec_fn fn,
					  enum plugin_registers registers, void *user);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct plugin_tb *tb, plugin_exec_fn fn,
					       enum plugin_registers registers,
					       enum plugin_condition condition,
					       struct plugin_counter counter, uint64_t operand,
					       void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct plugin_insn *insn, plugin_exec_fn fn,
					    enum plugin_registers registers, void *user);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct plugin_insn *insn,
							 enum plugin_inline op,
							 struct plugin_counter counter,
							 uint64_t operand);
void qemu_plugin_register_vcpu_mem_cb(struct plugin_insn *insn, plugin_memory_fn fn,
				      enum plugin_registers registers,
				      enum plugin_direction direction, void *user);

size_t qemu_plugin_tb_n_insns(const struct plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct plugin_tb *tb);
struct plugin_insn *qemu_plugin_tb_get_insn(const struct plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct plugin_insn *insn, void *data, size_t size);
uint64_t qemu_plugin_insn_vaddr(const struct plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct plugin_insn *insn);

unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
struct plugin_value qemu_plugin_mem_get_value(uint32_t info);
struct plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t va);
bool qemu_plugin_hwaddr_is_io(const struct plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct plugin_hwaddr *hwaddr);

struct glib_array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(void *handle, struct glib_bytes *bytes);

struct plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct plugin_scoreboard *score, unsigned int cpu);

struct glib_bytes *g_byte_array_new(void);
struct glib_bytes *g_byte_array_set_size(struct glib_bytes *bytes, unsigned int size);

#endif /* LENS_QEMU_PLUGIN_H */
