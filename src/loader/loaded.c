/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kimage/list.h"
#include "../payload/crc32.h"
#include "../place/page.h"
#include "kexec.h"
#include "say.h"

#define DIRECTORY  "/run/kexpress" /* forgotten by a reboot, as what it tells of is */
#define STATE	   DIRECTORY "/loaded"
#define STATE_NEW  DIRECTORY "/loaded.new"
#define STATE_ID   0x316465646c78706bull /* "kpxlded1": changes whenever struct loaded does */
#define PIECES_MAX ((size_t)1 << 26)

/* What has a count of its own, and follows in the file. */
#define PIECES_OF(l)                                                                               \
	{                                                                                          \
		&(l)->segments[0].pieces, &(l)->segments[1].pieces, &(l)->control_copy, &(l)->list \
	}
#define PIECES_COUNT 4

static bool read_pieces(FILE *file, struct pieces *p)
{
	if (p->count > PIECES_MAX)
		return false;
	p->max = p->count;
	p->pieces = calloc(p->count + 1, sizeof(*p->pieces));
	return p->pieces && fread(p->pieces, sizeof(*p->pieces), p->count, file) == p->count;
}

static bool read_state(FILE *file, struct loaded *l)
{
	struct pieces *all[PIECES_COUNT] = PIECES_OF(l);
	uint64_t id;

	if (fread(&id, sizeof(id), 1, file) != 1 || id != STATE_ID ||
	    fread(l, sizeof(*l), 1, file) != 1 || l->store.pool_count > STORE_POOLS ||
	    l->segment_count > CONTROL_SEGMENTS)
		return false;
	for (size_t i = 0; i < PIECES_COUNT; i++)
		if (!read_pieces(file, all[i]))
			return false;
	l->store.base = NULL;
	l->store.pages = NULL;
	return true;
}

bool loaded_read(struct loaded *l)
{
	FILE *file = fopen(STATE, "re");
	bool good;

	memset(l, 0, sizeof(*l));
	if (!file) {
		if (errno == ENOENT)
			return false;
		fail_errno(errno == EACCES ? NOT_PERMITTED : FAILED, "cannot open " STATE);
	}
	good = read_state(file, l);
	fclose(file);
	if (!good)
		fail(FAILED, STATE ": not written by this version of kexpress");
	return true;
}

static bool write_state(FILE *file, const struct loaded *l)
{
	const struct pieces *all[PIECES_COUNT] = PIECES_OF(l);
	const uint64_t id = STATE_ID;
	bool good = fwrite(&id, sizeof(id), 1, file) == 1 && fwrite(l, sizeof(*l), 1, file) == 1;

	for (size_t i = 0; i < PIECES_COUNT && good; i++)
		good = fwrite(all[i]->pieces, sizeof(struct piece), all[i]->count, file) ==
		       all[i]->count;
	return good;
}

/* Whole or not at all. */
static void save(const struct loaded *l)
{
	FILE *file;
	bool good;

	if (mkdir(DIRECTORY, 0700) && errno != EEXIST)
		fail_errno(FAILED, "cannot make " DIRECTORY);
	file = fopen(STATE_NEW, "we");
	good = file && write_state(file, l);
	if (file)
		good = !fclose(file) && good;
	if (!good || rename(STATE_NEW, STATE))
		fail_errno(FAILED, "cannot write " STATE);
}

static void copy(const struct loaded *l, const struct pieces *p, unsigned char *data, size_t size,
		 bool put)
{
	for (size_t i = 0; i < p->count && size; i++) {
		unsigned char *at = l->store.base + p->pieces[i].offset;
		size_t length = p->pieces[i].length < size ? p->pieces[i].length : size;

		memcpy(put ? at : data, put ? data : at, length);
		data += length;
		size -= length;
	}
}

void loaded_put(const struct loaded *l, const struct pieces *to, const void *data, size_t size)
{
	copy(l, to, (unsigned char *)data, size, true);
}

static void get(const struct loaded *l, const struct pieces *from, void *data, size_t size)
{
	copy(l, from, data, size, false);
}

/* The pages that the layout has set aside for it. */
static struct list_page *list_room(const struct loaded *l, size_t *count)
{
	struct list_page *pages;
	uint64_t size = 0, length;

	for (size_t i = 0; i < l->list.count; i++)
		size += l->list.pieces[i].length;
	pages = calloc(size / KX_PAGE_SIZE, sizeof(*pages));
	if (!pages)
		fail(NO_MEMORY, "no memory for the entry list");
	*count = 0;
	for (size_t i = 0; i < l->list.count; i++) {
		struct piece p = l->list.pieces[i];

		for (uint64_t at = p.offset; at < p.offset + p.length; at += KX_PAGE_SIZE)
			pages[(*count)++] = (struct list_page){
				store_physical(&l->store, at, &length),
				(uint64_t *)(l->store.base + at),
			};
	}
	return pages;
}

/* Where a piece begins, and how much of it lies there in a row. */
static uint64_t physical(const struct loaded *l, struct piece piece, uint64_t *length)
{
	uint64_t page = store_physical(&l->store, piece.offset, length);

	if (*length > piece.length)
		*length = piece.length;
	return page;
}

static void take(struct piece *piece, uint64_t length)
{
	piece->offset += length;
	piece->length -= length;
}

/* Pages that are their own destination are not listed, nor what a piece has beyond the file. False:
 * the list is full. */
static bool list_segment(const struct loaded *l, const struct loaded_segment *g,
			 struct list_writer *w)
{
	uint64_t destination = g->is.destination, end = page_up(destination + g->is.file_size);
	bool good = true;

	for (size_t i = 0; i < g->pieces.count && good; i++) {
		struct piece rest = g->pieces.pieces[i];
		uint64_t length;

		for (; rest.length && destination < end && good; take(&rest, length)) {
			uint64_t source = physical(l, rest, &length);

			if (length > end - destination)
				length = end - destination;
			if (source != destination)
				good = list_write(w, source, destination, length / KX_PAGE_SIZE);
			destination += length;
		}
	}
	return good;
}

static uint64_t make_list(const struct loaded *l)
{
	struct list_writer writer;
	uint64_t head;
	size_t count;
	struct list_page *pages = list_room(l, &count);
	bool good = true;

	list_writer_begin(&writer, pages, count);
	for (size_t i = 0; i < l->segment_count && good; i++)
		good = list_segment(l, &l->segments[i], &writer);
	head = list_writer_end(&writer);
	free(pages);
	if (!head || !good)
		fail(FAILED, "the payload's pages lie so scattered that their list has no room");
	return head;
}

static uint32_t sum_of_pages(const struct loaded *l)
{
	return crc32_update(0, l->store.pages, store_page_count(&l->store) * sizeof(uint64_t));
}

/* Whether any of the pieces lies where the old kernel is going to write. */
static bool is_in_control(const struct loaded *l, const struct pieces *p)
{
	uint64_t end = l->control + l->control_memory, length;

	for (size_t i = 0; i < p->count; i++)
		for (struct piece rest = p->pieces[i]; rest.length; take(&rest, length)) {
			uint64_t page = physical(l, rest, &length);

			if (page < end && l->control < page + length)
				return true;
		}
	return false;
}

/* It was free of them at first; what has moved since may have come there. */
static void check_control(const struct loaded *l)
{
	bool taken = is_in_control(l, &l->list);

	for (size_t i = 0; i < l->segment_count; i++)
		taken = taken || is_in_control(l, &l->segments[i].pieces);
	if (taken)
		fail(FAILED, "pages of the payload have moved to where kexpress itself is to be: "
			     "load it again");
}

void loaded_commit(struct loaded *l)
{
	void *control = calloc(1, l->control_size);

	if (!control)
		fail(NO_MEMORY, "no memory for what the kernel is handed");
	check_control(l);
	get(l, &l->control_copy, control, l->control_size);
	control_set_list(control, make_list(l));
	kexec_load(control, l->control_size, l->control);
	free(control);
	l->where = sum_of_pages(l);
	save(l);
}

bool loaded_is_in_place(struct loaded *l)
{
	store_locate(&l->store);
	return sum_of_pages(l) == l->where;
}

static uint32_t sum_of_segment(const struct loaded *l, const struct loaded_segment *g)
{
	uint64_t left = g->is.file_size;
	uint32_t crc = 0;

	for (size_t i = 0; i < g->pieces.count && left; i++) {
		struct piece p = g->pieces.pieces[i];
		uint64_t length = p.length < left ? p.length : left;

		crc = crc32_update(crc, l->store.base + p.offset, length);
		left -= length;
		say_progress("checking", g->is.file_size - left, g->is.file_size);
	}
	return crc;
}

const struct loaded_segment *loaded_find_damage(const struct loaded *l)
{
	for (size_t i = 0; i < l->segment_count; i++)
		if (sum_of_segment(l, &l->segments[i]) != l->segments[i].is.crc)
			return &l->segments[i];
	return NULL;
}

void loaded_remove(struct loaded *l)
{
	kexec_unload();
	store_remove(&l->store);
	unlink(STATE);
}
