/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <stddef.h>

#include "lens.h"
#include "qemu_plugin.h"
#include "text.h"
#include "watch.h"

bool console_is_watched(void)
{
	return lens.options.start_text || lens.options.stop_text;
}

void console_store(unsigned int cpu, uint32_t info, uint64_t va, void *unused)
{
	static struct text start, stop;
	struct plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, va);
	char printed = (char)qemu_plugin_mem_get_value(info).data;
	bool starts, stops;

	(void)unused;
	if (!at || qemu_plugin_hwaddr_phys_addr(at) != lens.options.console)
		return;
	lens_enter();
	start.wanted = lens.options.start_text;
	stop.wanted = lens.options.stop_text;
	starts = text_ends(&start, printed);
	stops = text_ends(&stop, printed);
	lens_leave();
	if (starts)
		watch_start(cpu, NULL);
	if (stops)
		watch_stop(cpu, NULL);
}
