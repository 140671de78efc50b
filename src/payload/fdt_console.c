/* SPDX-License-Identifier: MIT */
#include "fdt_console.h"

#include <string.h>

#include "fdt_bus.h"
#include "fdt_tree.h"

/* What of a model is asked from the tree. */
struct row {
	const char *compatible; /* strings, one behind the other; an empty one ends them */
	int shift;
	unsigned int access;
	uint32_t end; /* of the registers that are used */
};

#define ROW(name, names, shift, status, mask, ready, data, access) \
	[CONSOLE_##name] = {names, shift, access, ((status) > (data) ? (status) : (data)) + 4},
static const struct row rows[] = {CONSOLE_MODELS(ROW)};
#undef ROW

/* libfdt 1.6.1 follows an alias that is its own value until the stack is full. */
static const char *resolve_alias(const void *fdt, const char *alias, int length)
{
	int aliases = fdt_tree_child(fdt, 0, "aliases");
	const char *path =
		aliases < 0 ? NULL : fdt_getprop_namelen(fdt, aliases, alias, length, &length);

	if (!path || length < 1 || path[0] != '/' || path[length - 1] != '\0')
		return NULL;
	return path;
}

static int stdout_node(const void *fdt)
{
	int chosen = fdt_tree_child(fdt, 0, "chosen");
	const char *path = chosen < 0 ? NULL : fdt_tree_string(fdt, chosen, "stdout-path");
	int length;

	if (!path)
		return -FDT_ERR_NOTFOUND;
	length = (int)strcspn(path, ":");
	if (path[0] != '/') {
		path = resolve_alias(fdt, path, length);
		if (!path)
			return -FDT_ERR_BADPATH;
		length = (int)strlen(path);
	}
	return fdt_path_offset_namelen(fdt, path, length);
}

static bool has_name(const void *fdt, int node, const struct row *row)
{
	for (const char *name = row->compatible; *name; name += strlen(name) + 1)
		if (fdt_node_check_compatible(fdt, node, name) == 0)
			return true;
	return false;
}

/* A number of the tree, or what its binding says where it is absent. */
static uint64_t number(const void *fdt, int node, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return fdt_tree_number(fdt, node, name, &value) ? value : otherwise;
}

static bool has_layout(const void *fdt, int node, const struct row *row)
{
	return row->shift == CONSOLE_ANY_SHIFT ||
	       (number(fdt, node, "reg-shift", 0) == (uint64_t)row->shift &&
		number(fdt, node, "reg-io-width", 1) == row->access);
}

static bool find_model(const void *fdt, int node, enum console_model *model)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (has_name(fdt, node, &rows[i]) && has_layout(fdt, node, &rows[i])) {
			*model = (enum console_model)i;
			return true;
		}
	}
	return false;
}

static bool read_stdout(const void *fdt, struct console *console)
{
	int node = stdout_node(fdt);
	struct range registers;
	struct console found;

	if (node < 0 || !find_model(fdt, node, &found.model) ||
	    !fdt_bus_registers(fdt, node, 0, &registers))
		return false;
	found.base = registers.start;
	if (found.base % CONSOLE_ALIGN ||
	    found.base % CONSOLE_PAGE + rows[found.model].end > CONSOLE_PAGE)
		return false;
	*console = found;
	return true;
}

/* Its first guest is given the stdout-path of the machine, whose console Xen keeps to itself. */
static bool is_under_xen(const void *fdt)
{
	int node = fdt_tree_child(fdt, 0, "hypervisor");

	return node >= 0 && fdt_node_check_compatible(fdt, node, "xen,xen") == 0;
}

bool fdt_console_read(const void *fdt, struct console *console)
{
	if (read_stdout(fdt, console))
		return true;
	if (!is_under_xen(fdt))
		return false;
	*console = (struct console){.base = 0, .model = CONSOLE_XEN};
	return true;
}
