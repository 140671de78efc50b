/* SPDX-License-Identifier: MIT */
#include "payload.h"

#include "../payload/fit.h"
#include "say.h"

static void refuse(const char *name, const struct kx_refusal *why) __attribute__((noreturn));
static void refuse(const char *name, const struct kx_refusal *why)
{
	fail(FAILED, "%s: %s", name, why->what);
}

static struct input part(const char *name, const struct fit_image *image)
{
	return (struct input){name, image->data, image->size};
}

/* The first configuration whose hashes are right, the default one before the others. */
static void open_fit(struct input fit, struct loader_payload *p)
{
	size_t count = fit_config_count(fit.data, fit.size);
	struct kx_refusal why = {.what = "malformed FIT"};
	struct fit_config config;

	for (size_t i = 0; i < count; i++) {
		if (!fit_config_read(fit.data, fit.size, i, true, &config, &why)) {
			say_debug("FIT configuration %s", config.name);
			p->kernel = part(fit.name, &config.kernel);
			p->initrd = part(fit.name, &config.ramdisk);
			p->tree = part(fit.name, &config.fdt);
			p->bootargs = config.bootargs;
			return;
		}
		say_warning("%s: configuration %zu: %s", fit.name, i + 1, why.what);
	}
	refuse(fit.name, &why);
}

void payload_open(const struct arguments *a, struct loader_payload *p)
{
	struct input kernel = input_unpack(input_open(a->kernel));
	enum payload_kind kind;
	struct kx_refusal why;

	*p = (struct loader_payload){.kernel = kernel};
	if (payload_identify(kernel.data, kernel.size, &kind, &why))
		refuse(kernel.name, &why);
	if (kind == PAYLOAD_FIT)
		open_fit(kernel, p);
	if (a->initrd)
		p->initrd = input_open(a->initrd);
	if (a->tree)
		p->tree = input_open(a->tree);
	if (image_read(p->kernel.data, p->kernel.size, &p->image, &why))
		refuse(p->kernel.name, &why);
}
