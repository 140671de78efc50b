/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "time_model.h"

/* --- The bus ----------------------------------------------------------------------------- */

/* When the bus has room for another line. By slices only: cores take turns of a slice's length, and
 * who comes last must not find the bus busy until the slice's end. */
static uint64_t room_from(struct bandwidth *b, uint64_t now)
{
	for (uint64_t number = now / SLICE_PS;; number++) {
		uint64_t at = number % SLICES;

		if (b->slices[at].number != number) {
			b->slices[at].number = number;
			b->slices[at].used = 0;
		}
		if (b->slices[at].used + TIME_LINE > b->bytes_per_slice)
			continue;
		b->slices[at].used += TIME_LINE;
		return later(now, number * SLICE_PS);
	}
}

/* When a line that is sent or asked for now has gone over the bus: one core's lines follow each
 * other. */
static uint64_t transfer(struct time_model *m, struct core *c)
{
	c->transferred =
		later(c->transferred, room_from(&m->bandwidth, c->now)) + m->costs.transfer;
	return c->transferred;
}

/* Writes are posted, as far as buffers last: a memory latency's worth. */
static void post_write(struct time_model *m, struct core *c, uint64_t done)
{
	c->written = later(c->written, done);
	if (c->written > m->costs.dram)
		wait_until(c, c->written - m->costs.dram);
}

void memory_write(struct time_model *m, struct core *c)
{
	c->counts.dram_writes++;
	post_write(m, c, transfer(m, c));
}

/* --- Caches ------------------------------------------------------------------------------ */

static struct cache *cache_at(struct time_model *m, struct core *c, enum cache_level level)
{
	return level == LLC ? &m->llc : &c->caches[level];
}

/* Puts a line into a level that does not have it; what is dirty and has to leave goes outwards. */
static void insert(struct time_model *m, struct core *c, enum cache_level level, uint64_t line,
		   uint64_t ready, bool dirty)
{
	struct cache_line out = cache_insert(cache_at(m, c, level), line, ready, dirty);

	while (out.used && out.dirty) {
		struct cache_line *there;

		if (++level == CACHE_LEVELS) {
			memory_write(m, c);
			return;
		}
		there = cache_find(cache_at(m, c, level), out.line);
		if (there) {
			there->dirty = true;
			return;
		}
		out = cache_insert(cache_at(m, c, level), out.line, out.ready, true);
	}
}

/* A whole line, into the last level, which has it for whoever reads it next. */
static void insert_last(struct time_model *m, struct core *c, uint64_t line)
{
	enum cache_level last = m->llc.sets ? LLC : L2;
	struct cache_line *there = cache_find(cache_at(m, c, last), line);

	if (there)
		there->dirty = true;
	else
		insert(m, c, last, line, c->now, true);
}

/* When a line that is not in L1 arrives, if it is asked for now. */
static uint64_t fetch_line(struct time_model *m, struct core *c, uint64_t line)
{
	struct cache_line *found = cache_find(&c->caches[L2], line);
	uint64_t arrival;

	if (found)
		return later(c->now + m->costs.l2, found->ready);
	found = cache_find(&m->llc, line);
	if (found) {
		arrival = later(c->now + m->costs.llc, found->ready);
	} else {
		c->counts.dram_reads++;
		arrival = later(c->now + m->costs.dram, transfer(m, c));
		insert(m, c, LLC, line, arrival, false);
	}
	insert(m, c, L2, line, arrival, false);
	return arrival;
}

/* --- Line buffers ------------------------------------------------------------------------ */

/* A free one when fewer than allowed are busy, else NULL. next: when one of the busy is free. */
static uint64_t *free_buffer(uint64_t *buffers, unsigned int count, unsigned int allowed,
			     uint64_t now, uint64_t *next)
{
	uint64_t *found = NULL;
	unsigned int busy = 0;

	*next = UINT64_MAX;
	for (unsigned int i = 0; i < count; i++) {
		if (buffers[i] <= now) {
			found = &buffers[i];
			continue;
		}
		busy++;
		if (buffers[i] < *next)
			*next = buffers[i];
	}
	return busy < allowed ? found : NULL;
}

static uint64_t *wait_for_buffer(struct core *c, uint64_t *buffers, unsigned int count,
				 unsigned int allowed)
{
	uint64_t *buffer, next;

	while (!(buffer = free_buffer(buffers, count, allowed, c->now, &next)))
		c->now = next;
	return buffer;
}

/* Brings a line into L1, in as many buffers as allowed; when it arrives. */
static uint64_t fill(struct time_model *m, struct core *c, uint64_t line, unsigned int allowed,
		     bool dirty)
{
	uint64_t *buffer = wait_for_buffer(c, c->fills, m->costs.lines, allowed);
	uint64_t arrival = fetch_line(m, c, line);

	*buffer = arrival;
	c->counts.l1_misses++;
	insert(m, c, L1, line, arrival, dirty);
	return arrival;
}

/* --- Stream prefetch --------------------------------------------------------------------- */

static struct stream *stream_of(struct core *c, uint64_t line)
{
	struct stream *oldest = c->streams;

	for (unsigned int i = 0; i < STREAMS; i++) {
		struct stream *s = &c->streams[i];

		if (s->used && line == s->last + 1)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct stream){.last = line, .ahead = line};
	return oldest;
}

/* Asks for lines ahead of a stream's reader while buffers are free; nobody waits for them. */
static void run_ahead(struct time_model *m, struct core *c, struct stream *s)
{
	uint64_t next;

	if (s->ahead < s->last)
		s->ahead = s->last;
	while (s->ahead < s->last + m->costs.stream_lines) {
		if (cache_find(&c->caches[L1], s->ahead + 1)) {
			s->ahead++;
			continue;
		}
		if (!free_buffer(c->fills, m->costs.lines, m->costs.stream_lines, c->now, &next))
			return;
		fill(m, c, ++s->ahead, m->costs.stream_lines, false);
	}
}

static void prefetcher_sees(struct time_model *m, struct core *c, uint64_t line)
{
	struct stream *s;

	if (line == c->seen)
		return;
	c->seen = line;
	s = stream_of(c, line);
	s->used = ++c->stream_clock;
	s->last = line;
	if (++s->length >= 2)
		run_ahead(m, c, s);
}

/* --- Stores ------------------------------------------------------------------------------ */

void memory_write_line(struct time_model *m, struct core *c, uint64_t line)
{
	c->counts.streamed++;
	post_write(m, c, later(c->written, c->now) + m->costs.write_line);
	insert_last(m, c, line);
}

static bool streams_writes(const struct time_model *m, const struct core *c)
{
	return c->merge.full_in_a_row > m->costs.write_stream_after;
}

/* The gathered line leaves: into L1 if a prefetch has brought it there meanwhile, alone if it is
 * whole and one of a row, else into L1 over its old contents. */
static void merge_close(struct time_model *m, struct core *c)
{
	struct merge *g = &c->merge;
	struct cache_line *found;

	if (!g->open)
		return;
	g->open = false;
	found = cache_find(&c->caches[L1], g->line);
	if (found) {
		found->dirty = true;
		return;
	}
	if (g->bytes == UINT64_MAX) {
		g->full_in_a_row = g->line == g->full_line + 1 ? g->full_in_a_row + 1 : 1;
		g->full_line = g->line;
		if (streams_writes(m, c)) {
			memory_write_line(m, c, g->line);
			return;
		}
	}
	fill(m, c, g->line, m->costs.stream_lines, true);
}

void memory_store(struct time_model *m, struct core *c, uint64_t line, uint64_t bytes)
{
	struct cache_line *found = cache_find(&c->caches[L1], line);

	if (found) {
		found->dirty = true;
		return;
	}
	if (!c->merge.open || c->merge.line != line) {
		merge_close(m, c);
		c->merge.open = true;
		c->merge.line = line;
		c->merge.bytes = 0;
	}
	c->merge.bytes |= bytes;
	if (c->merge.bytes == UINT64_MAX)
		merge_close(m, c);
}

/* --- Loads ------------------------------------------------------------------------------- */

uint64_t memory_load(struct time_model *m, struct core *c, uint64_t line)
{
	struct cache_line *found;
	uint64_t arrival;

	if (c->merge.open && c->merge.line == line)
		merge_close(m, c);
	found = cache_find(&c->caches[L1], line);
	if (found)
		arrival = later(found->ready, c->now + m->costs.l1);
	else
		arrival = fill(m, c, line, m->costs.stream_lines, false);
	prefetcher_sees(m, c, line);
	return arrival;
}

void memory_prefetch(struct time_model *m, struct core *c, uint64_t line)
{
	if (!cache_find(&c->caches[L1], line))
		fill(m, c, line, m->costs.lines, false);
}

uint64_t memory_load_noncacheable(struct time_model *m, struct core *c)
{
	uint64_t *buffer = wait_for_buffer(c, c->noncacheable, m->costs.noncacheable_lines,
					   m->costs.noncacheable_lines);

	*buffer = later(c->now + m->costs.dram, transfer(m, c));
	return *buffer;
}

/* --- Cleaning and waiting ---------------------------------------------------------------- */

/* The core goes on while operations are under way, as many as there may be. */
static void post_clean(struct time_model *m, struct core *c)
{
	uint64_t latency = m->costs.clean * m->costs.clean_lines;
	uint64_t *oldest = &c->cleans[c->clean_next];

	wait_until(c, *oldest);
	c->cleaned = later(c->now + latency, c->cleaned + m->costs.clean);
	*oldest = c->cleaned;
	c->clean_next = (c->clean_next + 1) % m->costs.clean_lines;
}

void memory_clean(struct time_model *m, struct core *c, uint64_t line, bool drop)
{
	bool dirty = false;

	post_clean(m, c);
	if (c->merge.open && c->merge.line == line)
		merge_close(m, c);
	for (enum cache_level level = L1; level < CACHE_LEVELS; level++) {
		struct cache *cache = cache_at(m, c, level);
		struct cache_line *found = cache_find(cache, line);

		if (!found)
			continue;
		dirty |= found->dirty;
		found->dirty = false;
		if (drop)
			cache_remove(cache, line);
	}
	if (dirty)
		memory_write(m, c);
}

void memory_drain(struct time_model *m, struct core *c)
{
	merge_close(m, c);
	for (unsigned int i = 0; i < MAX_LINES; i++)
		wait_until(c, later(c->fills[i], c->noncacheable[i]));
	wait_until(c, later(c->written, c->cleaned));
}
