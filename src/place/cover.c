/* SPDX-License-Identifier: MIT */
#include "cover.h"

#include "sort.h"

size_t cover_normalise(struct range *ranges, size_t count, struct range *scratch)
{
	size_t n = 0;

	sort_by_key(ranges, count, sizeof(*ranges), offsetof(struct range, start), scratch);
	for (size_t i = 0; i < count; i++) {
		if (n && ranges[i].start <= ranges[n - 1].end) {
			if (ranges[i].end > ranges[n - 1].end)
				ranges[n - 1].end = ranges[i].end;
		} else {
			ranges[n++] = ranges[i];
		}
	}
	return n;
}

size_t cover_subtract(const struct range *a, size_t a_count, const struct range *b, size_t b_count,
		      struct range *out)
{
	size_t n = 0, next = 0;

	for (size_t i = 0; i < a_count; i++) {
		uint64_t from = a[i].start;

		while (next < b_count && b[next].end <= from)
			next++;
		for (size_t j = next; j < b_count && b[j].start < a[i].end; j++) {
			if (b[j].start > from)
				out[n++] = (struct range){from, b[j].start};
			from = b[j].end;
		}
		if (from < a[i].end)
			out[n++] = (struct range){from, a[i].end};
	}
	return n;
}
