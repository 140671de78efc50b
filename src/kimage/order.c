/* SPDX-License-Identifier: MIT */
/*
 * Time is n log n in the number of destination pages n. Destinations do not overlap, and a source
 * of p pages meets at most p + 1 of them; all sources together have at most n pages. So there are
 * at most 2n pairs of a run and one that waits for it, however much the sources overlap.
 */
#include "order.h"

#include <kexpress/list.h>

#include "../place/range.h"
#include "../place/sort.h"

#define PAGE_OFFSET ((uint64_t)KX_PAGE_SIZE - 1)
#define WRITTEN_MAX 32

struct order {
	struct run *runs; /* sorted by destination, none empty or overlapping, all merged */
	size_t count;
	uint64_t pages;	 /* of all runs */
	size_t *readers; /* for each run, how many are still to be emitted before it */
	size_t *queue;	 /* runs without readers, as they are to be emitted */
	size_t queued;
	struct range_set written; /* what is not in place; where it is many ranges, more */
	struct range written_ranges[WRITTEN_MAX];
	struct range written_span; /* from the first of them to the last */
	struct range read_span;	   /* from the first source to the last */
	bool waits;		   /* a run must wait for another */
	uint64_t spare;
	struct run *out;
	size_t out_max;
	size_t out_count;
	bool full; /* a run found no room in out */
};

/* Indices [first, end) of order.runs. */
struct stretch {
	size_t first;
	size_t end;
};

size_t order_work_size(uint64_t pages)
{
	return pages * (sizeof(struct run) + 2 * sizeof(size_t));
}

size_t order_max(uint64_t pages)
{
	return 2 * pages; /* each page by way of the spare one */
}

/* Of the destination, whose last page is the run's in whole. */
static uint64_t run_size(const struct run *run)
{
	return (run->length + PAGE_OFFSET) & ~PAGE_OFFSET;
}

static uint64_t destination_end(const struct run *run)
{
	return run->destination + run_size(run);
}

/* Counts the last page of the address space as beyond, so that ends can be rounded up to pages. */
static bool goes_beyond(uint64_t start, uint64_t length)
{
	uint64_t limit = UINT64_MAX - PAGE_OFFSET;

	return start > limit || length > limit - start;
}

static enum kx_error check_run(const struct run *run, struct kx_refusal *why)
{
	if (goes_beyond(run->destination, run->length))
		return kx_refuse(why, KX_E_DEST_RANGE, "destination beyond last address",
				 run->destination, UINT64_MAX);
	if (goes_beyond(run->source, run->length))
		return kx_refuse(why, KX_E_SOURCE_RANGE, "source beyond last address", run->source,
				 UINT64_MAX);
	if (run->destination & PAGE_OFFSET)
		return kx_refuse(why, KX_E_ALIGN, "destination not 4 KiB aligned", run->destination,
				 run->destination + run->length);
	return KX_OK;
}

/* The end of sorted runs that are put together. */
struct tail {
	struct run *next;     /* behind the last one */
	uint64_t end;	      /* of the last one's destination */
	struct range written; /* the last stretch of what they write */
};

/* Notes a stretch that is written, which lies beyond all that is noted. */
static void note_written(struct order *o, struct range r)
{
	if (r.start == r.end)
		return;
	if (o->written.count == WRITTEN_MAX)
		o->written_ranges[WRITTEN_MAX - 1].end = r.end;
	else
		o->written_ranges[o->written.count++] = r;
}

/* Puts a run behind the last one, or merges it to that. False: it begins before their end. */
static inline bool put_behind(struct order *o, struct tail *t, const struct run *run)
{
	struct run *last = t->next - 1;

	if (run->destination < t->end)
		return false;
	t->end = destination_end(run);
	if (run->kind != RUN_IN_PLACE) {
		if (t->written.end != run->destination) {
			note_written(o, t->written);
			t->written.start = run->destination;
		}
		t->written.end = t->end;
	}
	if (t->next > o->runs && run_continues(last, run)) {
		last->length += run->length;
		return true;
	}
	if (t->next != run)
		*t->next = *run;
	t->next++;
	return true;
}

/*
 * Checks each of count runs by itself, drops the empty ones, and counts the pages of the others, at
 * most max. *sorted receives whether the runs were in order already; they are put together then.
 */
static enum kx_error check_runs(struct order *o, size_t count, uint64_t max, bool *sorted,
				struct kx_refusal *why)
{
	const struct run *end = o->runs + count;
	struct tail tail = {.next = o->runs};
	struct range read = {UINT64_MAX, 0};
	bool in_order = true;
	uint64_t pages = 0;

	for (const struct run *run = o->runs; run < end; run++) {
		enum kx_error error;

		if (!run->length)
			continue;
		error = check_run(run, why);
		if (error)
			return error;
		pages += run_size(run) >> KX_PAGE_SHIFT;
		if (pages > max)
			return kx_refuse(why, KX_E_NO_ROOM, "no memory to order runs in", 0, 0);
		if (run->kind == RUN_COPY && run->source < read.start)
			read.start = run->source;
		if (run->kind == RUN_COPY && run->source + run->length > read.end)
			read.end = run->source + run->length;
		in_order = in_order && put_behind(o, &tail, run);
		if (!in_order)
			*tail.next++ = *run;
	}
	note_written(o, tail.written);
	o->count = (size_t)(tail.next - o->runs);
	o->pages = pages;
	o->read_span = read;
	*sorted = in_order;
	return KX_OK;
}

/* Sorts the runs, and checks that no two of them write the same page. */
static enum kx_error sort(struct order *o, void *work, struct kx_refusal *why)
{
	const struct run *end = o->runs + o->count;
	struct tail tail = {.next = o->runs};

	sort_by_key(o->runs, o->count, sizeof(*o->runs), offsetof(struct run, destination), work);
	o->written.count = 0;
	for (const struct run *run = o->runs; run < end; run++)
		if (!put_behind(o, &tail, run))
			return kx_refuse(why, KX_E_DEST_TWICE, "destination written twice",
					 run->destination, destination_end(run));
	note_written(o, tail.written);
	o->count = (size_t)(tail.next - o->runs);
	return KX_OK;
}

/* Whether a run may read what another writes, or itself. No: it does not. */
static inline bool may_meet_written(const struct order *o, const struct run *run)
{
	return run->kind == RUN_COPY && run->source < o->written_span.end &&
	       run->source + run->length > o->written_span.start &&
	       range_set_overlaps(&o->written, run->source, run->source + run->length);
}

/* The first run whose destination ends beyond address. */
static size_t first_beyond(const struct order *o, uint64_t address)
{
	size_t low = 0, high = o->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (destination_end(&o->runs[middle]) > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The runs that overwrite what a run reads. It may be one of them itself. Few lists have any: most
 * sources are told by the ranges written, without a search through all runs and the caches.
 */
static struct stretch overwriters(const struct order *o, const struct run *run)
{
	struct stretch s = {0, 0};

	if (!may_meet_written(o, run))
		return s;
	s.first = first_beyond(o, run->source);
	s.end = s.first;
	while (s.end < o->count && o->runs[s.end].destination < run->source + run->length)
		s.end++;
	return s;
}

static bool must_wait(const struct order *o, size_t i, size_t reader)
{
	return i != reader && o->runs[i].kind != RUN_IN_PLACE;
}

static void count_readers(struct order *o)
{
	o->waits = false;
	for (size_t i = 0; i < o->count; i++)
		o->readers[i] = 0;
	for (size_t reader = 0; reader < o->count; reader++) {
		struct stretch s = overwriters(o, &o->runs[reader]);

		for (size_t i = s.first; i < s.end; i++) {
			if (!must_wait(o, i, reader))
				continue;
			o->readers[i]++;
			o->waits = true;
		}
	}
}

/* Queues the runs that waited for this reader only. */
static void release(struct order *o, size_t reader)
{
	struct stretch s = overwriters(o, &o->runs[reader]);

	for (size_t i = s.first; i < s.end; i++)
		if (must_wait(o, i, reader) && !--o->readers[i])
			o->queue[o->queued++] = i;
}

static void append(struct order *o, const struct run *run)
{
	if (o->out_count == o->out_max)
		o->full = true;
	else
		o->out[o->out_count++] = *run;
}

static void append_copy(struct order *o, uint64_t source, uint64_t destination, uint64_t length)
{
	append(o, &(struct run){source, destination, length, RUN_COPY});
}

/* Appends a run, as part of the one before where it continues that one. */
static void extend(struct order *o, const struct run *run)
{
	struct run *last = o->out_count ? &o->out[o->out_count - 1] : NULL;

	if (last && run_continues(last, run))
		last->length += run->length;
	else
		append(o, run);
}

/* The part of a run from offset on, of at most size bytes. Both are whole pages. */
static struct run part(const struct run *run, uint64_t offset, uint64_t size)
{
	struct run p = *run;

	if (run->kind == RUN_COPY)
		p.source += offset;
	p.destination += offset;
	p.length -= offset;
	if (p.length > size)
		p.length = size;
	return p;
}

/* Emits a run that lies step or more above its source. No part overlaps itself, and each part is
 * read before the ones below are written over it. */
static void emit_from_end(struct order *o, const struct run *run, uint64_t step)
{
	for (uint64_t n = (run->length - 1) / step + 1; n-- > 0;) {
		struct run p = part(run, n * step, step);

		extend(o, &p);
	}
}

/* Emits a run that lies less than a page from its source, so that each page overlaps itself. */
static void emit_through_spare(struct order *o, const struct run *run, bool from_end)
{
	uint64_t size = run_size(run);

	for (uint64_t done = 0; done < size; done += KX_PAGE_SIZE) {
		uint64_t offset = from_end ? size - KX_PAGE_SIZE - done : done;
		struct run p = part(run, offset, KX_PAGE_SIZE);

		append_copy(o, p.source, o->spare, p.length);
		append_copy(o, o->spare, p.destination, p.length);
	}
}

/* Whole destination pages count: they may be zeroed before they are filled. */
static bool overlaps_itself(const struct run *run)
{
	return run->kind == RUN_COPY && run->source != run->destination &&
	       run->source < destination_end(run) && run->destination < run->source + run->length;
}

static void emit(struct order *o, const struct run *run)
{
	bool up = run->destination > run->source;
	uint64_t distance = up ? run->destination - run->source : run->source - run->destination;

	if (!overlaps_itself(run))
		extend(o, run);
	else if (distance < KX_PAGE_SIZE)
		emit_through_spare(o, run, up);
	else if (up)
		emit_from_end(o, run, distance & ~PAGE_OFFSET);
	else
		extend(o, run);
}

/* Emits every run that is in place or, else, all others, as they come. */
static void emit_all(struct order *o, bool in_place)
{
	for (size_t i = 0; i < o->count; i++)
		if ((o->runs[i].kind == RUN_IN_PLACE) == in_place)
			emit(o, &o->runs[i]);
}

/* Emits those in place, and those that wait for none or only for what has been emitted. */
static void emit_in_turn(struct order *o)
{
	o->queued = 0;
	for (size_t i = 0; i < o->count; i++)
		if (o->runs[i].kind == RUN_IN_PLACE)
			o->queue[o->queued++] = i;
	for (size_t i = 0; i < o->count; i++)
		if (o->runs[i].kind != RUN_IN_PLACE && !o->readers[i])
			o->queue[o->queued++] = i;
	for (size_t head = 0; head < o->queued; head++) {
		emit(o, &o->runs[o->queue[head]]);
		release(o, o->queue[head]);
	}
}

/* Emits every run that is in no circle and waits for none. The others keep their readers. */
static void emit_free(struct order *o)
{
	count_readers(o);
	if (o->waits) {
		emit_in_turn(o);
		return;
	}
	emit_all(o, true);
	emit_all(o, false);
}

/* Goes on with the single pages of the runs that are left. */
static void split_stuck(struct order *o, struct run *pages)
{
	size_t n = 0;

	for (size_t i = 0; i < o->count; i++) {
		const struct run *run = &o->runs[i];

		if (!o->readers[i])
			continue;
		for (uint64_t offset = 0; offset < run->length; offset += KX_PAGE_SIZE)
			pages[n++] = part(run, offset, KX_PAGE_SIZE);
	}
	o->runs = pages;
	o->count = n;
}

/* Emits the circle that page start is in: each page after the one that reads it. */
static void break_circle(struct order *o, size_t start)
{
	const struct run *last = &o->runs[start];

	append_copy(o, last->source, o->spare, KX_PAGE_SIZE);
	for (size_t i = first_beyond(o, last->source); i != start;
	     i = first_beyond(o, o->runs[i].source)) {
		extend(o, &o->runs[i]);
		o->readers[i] = 0;
	}
	append_copy(o, o->spare, last->destination, last->length);
	o->readers[start] = 0;
}

/*
 * Each page that is left has a reader that is left. With aligned sources a page reads one page at
 * most, so each has exactly one reader and the pages form circles and nothing else. A page with
 * another source is then in a circle itself, or waits for one that such a page is in.
 */
static enum kx_error break_circles(struct order *o, struct kx_refusal *why)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->readers[i] && (o->runs[i].source & PAGE_OFFSET))
			return kx_refuse(why, KX_E_ALIGN, "circle of copies, source not aligned",
					 o->runs[i].source, o->runs[i].source + o->runs[i].length);
	for (size_t i = 0; i < o->count; i++)
		if (o->readers[i])
			break_circle(o, i);
	return KX_OK;
}

/* What is left once nothing is free: by single pages, so that circles are simple. */
static enum kx_error emit_stuck(struct order *o, struct run *pages, struct kx_refusal *why)
{
	split_stuck(o, pages);
	emit_free(o);
	return break_circles(o, why);
}

/* Checks, sorts and merges count runs, which are o->runs. */
static enum kx_error prepare(struct order *o, size_t count, void *work, size_t work_size,
			     struct kx_refusal *why)
{
	bool sorted;
	enum kx_error error;

	o->written = (struct range_set){o->written_ranges, 0, WRITTEN_MAX};
	error = check_runs(o, count, work_size / order_work_size(1), &sorted, why);
	if (!error && !sorted)
		error = sort(o, work, why);
	if (!error && o->written.count)
		o->written_span = (struct range){o->written_ranges[0].start,
						 o->written_ranges[o->written.count - 1].end};
	return error;
}

static bool is_ordered(const struct order *o)
{
	const struct run *end = o->runs + o->count;

	if (o->read_span.end <= o->written_span.start || o->written_span.end <= o->read_span.start)
		return true;
	for (const struct run *run = o->runs; run < end; run++)
		if (may_meet_written(o, run))
			return false;
	return true;
}

enum kx_error order_check(struct run *runs, size_t *count, bool *ordered, void *work,
			  size_t work_size, struct kx_refusal *why)
{
	struct order o = {.runs = runs};
	enum kx_error error = prepare(&o, *count, work, work_size, why);

	if (error)
		return error;
	*ordered = is_ordered(&o);
	*count = o.count;
	return KX_OK;
}

enum kx_error order_runs(struct run *runs, size_t count, uint64_t spare, struct run *out,
			 size_t out_max, size_t *out_count, void *work, size_t work_size,
			 struct kx_refusal *why)
{
	struct order o = {.runs = runs, .spare = spare, .out = out, .out_max = out_max};
	struct run *page_runs = work;
	enum kx_error error = prepare(&o, count, work, work_size, why);

	if (error)
		return error;
	o.readers = (size_t *)(page_runs + o.pages);
	o.queue = o.readers + o.pages;
	emit_free(&o);
	if (o.waits)
		error = emit_stuck(&o, page_runs, why);
	if (error)
		return error;
	if (o.full)
		return kx_refuse(why, KX_E_NO_ROOM, "too many runs once ordered", 0, 0);
	*out_count = o.out_count;
	return KX_OK;
}
