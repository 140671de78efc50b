/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "say.h"

#define TEXT_STEP   ((size_t)1 << 16)
#define GZIP_MAGIC  "\x1f\x8b"
#define GZIP_WINDOW (15 + 16) /* zlib.h: inflateInit2(), gzip only */
#define UNPACK_STEP ((size_t)8 << 20)

/* A file that is shorter than it was, or a disk that does not answer. */
static void on_bus_error(int signal) __attribute__((noreturn));
static void on_bus_error(int signal)
{
	(void)signal;
	fail(FAILED, "a file cannot be read to its end");
}

struct input input_open(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *data;

	if (fd < 0 || fstat(fd, &stat))
		fail_errno(FAILED, "cannot open %s", name);
	if (!S_ISREG(stat.st_mode) || !stat.st_size)
		fail(FAILED, "%s is empty, or no regular file", name);
	data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		fail_errno(FAILED, "cannot map %s", name);
	close(fd);
	signal(SIGBUS, on_bus_error);
	return (struct input){name, data, (size_t)stat.st_size};
}

char *input_read_text(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	for (*size = 0; got > 0; *size += (size_t)got) {
		char *more = realloc(text, *size + TEXT_STEP + 1);

		if (!more)
			fail(NO_MEMORY, "no memory for %s", name);
		text = more;
		got = read(fd, text + *size, TEXT_STEP);
		if (got < 0)
			fail_errno(FAILED, "cannot read %s", name);
	}
	close(fd);
	text[*size] = 0;
	return text;
}

/* Output goes to memory that grows: gzip's own length field is no promise. */
static size_t inflate_all(z_stream *z, const char *name, unsigned char **data)
{
	size_t size = 0;
	int result = Z_OK;

	while (result == Z_OK) {
		unsigned char *more = realloc(*data, size + UNPACK_STEP);

		if (!more)
			fail(NO_MEMORY, "no memory to unpack %s", name);
		*data = more;
		z->next_out = *data + size;
		z->avail_out = UNPACK_STEP;
		result = inflate(z, Z_NO_FLUSH);
		size += UNPACK_STEP - z->avail_out;
	}
	if (result != Z_STREAM_END)
		fail(FAILED, "%s: damaged gzip data", name);
	return size;
}

struct input input_unpack(struct input input)
{
	z_stream z = {.next_in = (unsigned char *)input.data, .avail_in = (unsigned int)input.size};
	unsigned char *data = NULL;

	if (input.size < 2 || memcmp(input.data, GZIP_MAGIC, 2) != 0)
		return input;
	if (input.size > UINT_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		fail(FAILED, "%s: gzip data that cannot be unpacked", input.name);
	input.size = inflate_all(&z, input.name, &data);
	input.data = data;
	inflateEnd(&z);
	return input;
}
