/* SPDX-License-Identifier: MIT */
/*
 * Step "open": what the payload is and what is to be placed. A hand-off block brings its list of
 * segments; any other source is a FIT or an arm64 Image.
 */
#include "open.h"

#include "console.h"
#include "lowlevel.h"
#include "sources.h"

#include "../payload/crc32.h"
#include "../payload/fit.h"
#include "../payload/hash.h"

#include <arm64/sysreg.h>

static const void *physical(uint64_t address)
{
	return (const void *)address; /* all RAM is identity-mapped since discover */
}

static void add_segment(struct payload *p, const void *data, size_t size, uint64_t memory_size,
			uint32_t flags)
{
	p->segments[p->segment_count++] = (struct segment){
		.source = (uint64_t)data,
		.file_size = size,
		.memory_size = memory_size,
		.flags = flags,
	};
}

enum kx_error open_check_granule(const struct image_info *kernel, struct range file,
				 struct kx_refusal *why)
{
	uint64_t mmfr0 = sysreg_read(id_aa64mmfr0_el1);

	if (kernel->page_shift && !geometry_has_granule(mmfr0, kernel->page_shift))
		return kx_refuse(why, KX_E_GRANULE, "kernel page size not supported by this CPU",
				 file.start, file.end);
	return KX_OK;
}

static enum kx_error add_kernel(struct stage *s, const void *data, size_t size)
{
	struct range file = {(uint64_t)data, (uint64_t)data + size};
	struct image_info *kernel = &s->payload.kernel;
	enum kx_error error;

	error = image_read(data, size, kernel, &s->why);
	if (error)
		return error;
	add_segment(&s->payload, data, size, kernel->memory_size,
		    KX_SEGMENT_KERNEL | KX_SEGMENT_EXEC | KX_SEGMENT_POC);
	return open_check_granule(kernel, file, &s->why);
}

static enum kx_error open_fit(struct stage *s, const void *fit, size_t size)
{
	struct fit_config c;
	enum kx_error error;

	if (s->config == 0)
		s->config_count = fit_config_count(fit, size);
	if (s->config_count > STAGE_CONFIGS_MAX)
		s->config_count = STAGE_CONFIGS_MAX;
	error = fit_config_read(fit, size, s->config, s->options.verify, &c, &s->why);
	if (error)
		return error;
	s->timing.bytes_hashed = c.bytes_hashed;
	s->payload.fdt = c.fdt;
	s->payload.bootargs = c.bootargs;
	error = add_kernel(s, c.kernel.data, c.kernel.size);
	if (!error && c.ramdisk.data)
		add_segment(&s->payload, c.ramdisk.data, c.ramdisk.size, c.ramdisk.size,
			    KX_SEGMENT_INITRD);
	if (s->options.debug)
		say("open: FIT configuration %s", c.name);
	return error;
}

static enum kx_error open_image(struct stage *s, const void *image, size_t size)
{
	struct range initrd = s->options.initrd;
	enum kx_error error;

	error = add_kernel(s, image, size);
	if (error || initrd.start == initrd.end)
		return error;
	error = sources_check(s, initrd, "kexpress.initrd not in usable RAM");
	if (error)
		return error;
	add_segment(&s->payload, physical(initrd.start), initrd.end - initrd.start,
		    initrd.end - initrd.start, KX_SEGMENT_INITRD);
	return KX_OK;
}

static enum kx_error open_source(struct stage *s)
{
	struct range source = s->sources[s->source].data;
	const void *data = physical(source.start);
	size_t size = source.end - source.start;
	enum payload_kind kind;
	enum kx_error error;

	error = payload_identify(data, size, &kind, &s->why);
	if (error)
		return error;
	if (kind == PAYLOAD_IMAGE)
		return open_image(s, data, size);
	if (s->options.initrd.start != s->options.initrd.end)
		say("warning: kexpress.initrd ignored, the payload is a FIT");
	return open_fit(s, data, size);
}

static enum kx_error refuse_handoff(struct stage *s, const char *what)
{
	return kx_refuse(&s->why, KX_E_HANDOFF, what, (uint64_t)s->handoff,
			 (uint64_t)s->handoff + s->handoff->size);
}

static enum kx_error add_handoff_segment(struct stage *s, const struct kx_segment *g)
{
	const uint32_t known = KX_SEGMENT_EXEC | KX_SEGMENT_POC | KX_SEGMENT_KERNEL |
			       KX_SEGMENT_INITRD | KX_SEGMENT_CRC;
	uint32_t once = g->flags & (KX_SEGMENT_KERNEL | KX_SEGMENT_INITRD);
	uint32_t implied = g->flags & KX_SEGMENT_KERNEL ? KX_SEGMENT_EXEC | KX_SEGMENT_POC : 0;

	if (g->flags & ~known || (g->crc && !(g->flags & KX_SEGMENT_CRC)))
		return refuse_handoff(s, "segment has flags that are not known");
	for (size_t i = 0; i < s->payload.segment_count; i++)
		if (s->payload.segments[i].flags & once)
			return refuse_handoff(s, "two segments are the kernel, or the initramfs");
	add_segment(&s->payload, NULL, g->file_size, g->memory_size, g->flags | implied);
	s->payload.segments[s->payload.segment_count - 1].destination = g->destination;
	s->payload.segments[s->payload.segment_count - 1].crc = g->crc;
	return KX_OK;
}

static enum kx_error open_handoff(struct stage *s)
{
	const struct kx_handoff *h = s->handoff;

	if (h->el > s->entry->el)
		return kx_refuse(&s->why, KX_E_EL, "wished exception level above that of entry",
				 h->el, s->entry->el);
	for (uint32_t i = 0; i < h->segment_count; i++) {
		enum kx_error error = add_handoff_segment(s, &h->segments[i]);

		if (error)
			return error;
	}
	return KX_OK;
}

/* What the CPU does better than portable C. */
static void use_instructions(void)
{
	uint64_t isar0 = sysreg_read(id_aa64isar0_el1);

	if (ID_AA64ISAR0_SHA2(isar0))
		hash_use_sha256_blocks(sha256_blocks);
	if (ID_AA64ISAR0_CRC32(isar0))
		crc32_use(crc32_instructions);
}

enum kx_error open_payload(struct stage *s)
{
	use_instructions();
	s->payload = (struct payload){0};
	return s->handoff ? open_handoff(s) : open_source(s);
}
