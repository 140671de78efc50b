/* SPDX-License-Identifier: MIT */
#include "iomem.h"

#include <stdlib.h>
#include <string.h>

struct line {
	unsigned int depth; /* in spaces */
	struct range range;
	const char *name;
	size_t length; /* of the name */
};

/* The running kernel, which is gone when its memory is written. */
static const char *const ours[] = {"Kernel code", "Kernel data", "Kernel bss", "Kernel rodata"};

static bool is_called(const struct line *line, const char *name)
{
	return line->length == strlen(name) && memcmp(line->name, name, line->length) == 0;
}

static bool is_kernel(const struct line *line)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (is_called(line, ours[i]))
			return true;
	return false;
}

static bool read_number(const char **text, uint64_t *value)
{
	char *end;

	*value = strtoull(*text, &end, 16);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

static bool skip(const char **text, const char *what)
{
	size_t length = strlen(what);

	if (strncmp(*text, what, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool read_line(const char **text, struct line *line)
{
	const char *start = *text;
	uint64_t last;

	while (**text == ' ')
		++*text;
	line->depth = (unsigned int)(*text - start);
	if (!read_number(text, &line->range.start) || !skip(text, "-") ||
	    !read_number(text, &last) || !skip(text, " : "))
		return false;
	line->range.end = last + 1;
	line->name = *text;
	line->length = strcspn(*text, "\n");
	*text += line->length;
	return skip(text, "\n") || !**text;
}

static bool avoid(struct iomem *iomem, struct range range, uint64_t page_size)
{
	return range_set_add(&iomem->avoid, range.start & ~(page_size - 1),
			     (range.end + page_size - 1) & ~(page_size - 1));
}

bool iomem_read(const char *text, uint64_t page_size, struct iomem *iomem)
{
	bool in_ram = false, good = true;
	struct line line;

	iomem->ram.count = 0;
	iomem->avoid.count = 0;
	while (good && *text) {
		if (!read_line(&text, &line))
			return false;
		if (line.depth == 0)
			in_ram = is_called(&line, "System RAM");
		if (!in_ram || line.range.end <= line.range.start)
			continue;
		if (line.depth == 0)
			good = range_set_add(&iomem->ram, line.range.start, line.range.end);
		else if (!is_kernel(&line))
			good = avoid(iomem, line.range, page_size);
	}
	range_set_trim(&iomem->ram, page_size);
	/* Who may not see addresses sees 0-0 everywhere: one byte, less than a page. */
	return good && iomem->ram.count;
}
