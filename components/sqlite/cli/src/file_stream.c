/* Files that the shell reads or writes, by the interface that databases have: WASI's own
** streams hand each piece to another thread, the first one starts that thread, and they
** know no pipes. The functions `host_*` are in src/c_interface.rs. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern int host_open_stream(const char *zPath, int forWriting);
extern int host_open_descriptor(unsigned descriptor);
extern long host_read_stream(int file, long long at, char *a, size_t n);
extern long host_write_stream(int file, long long at, const char *a, size_t n);
extern long long host_stream_size(int file);
extern void host_close_stream(int file);

/* Bytes of a buffer. The libc's own 1 KiB costs sixteen times the calls. */
#define BUFFER_BYTES 16384

/* An open file, where reading or writing goes on, and the buffer of its
** stream. */
typedef struct FileStream FileStream;
struct FileStream {
  int file;
  long long at;
  char aBuffer[BUFFER_BYTES];
};

static ssize_t moved(FileStream *stream, long count) {
  if (count < 0) {
    errno = (int)-count;
    return -1;
  }
  stream->at += count;
  return count;
}

static ssize_t stream_read(void *p, char *a, size_t n) {
  FileStream *stream = p;
  return moved(stream, host_read_stream(stream->file, stream->at, a, n));
}

static ssize_t stream_write(void *p, const char *a, size_t n) {
  FileStream *stream = p;
  return moved(stream, host_write_stream(stream->file, stream->at, a, n));
}

static int stream_seek(void *p, off_t *pAt, int whence) {
  FileStream *stream = p;
  long long at = *pAt, size = host_stream_size(stream->file);
  if (whence == SEEK_CUR) at += stream->at;
  if (whence == SEEK_END) at += size;
  if (at < 0 || size < 0) {
    errno = size < 0 ? ESPIPE : EINVAL;
    return -1;
  }
  stream->at = *pAt = at;
  return 0;
}

static int stream_close(void *p) {
  host_close_stream(((FileStream *)p)->file);
  free(p);
  return 0;
}

/* A stream on an open file; instead of a file's handle, `file` can be a negated `errno`. */
static FILE *stream_on(int file, const char *zMode) {
  cookie_io_functions_t calls = {stream_read, stream_write, stream_seek, stream_close};
  if (file < 0) {
    errno = -file;
    return 0;
  }
  FileStream *stream = malloc(sizeof(*stream));
  FILE *f = stream ? fopencookie(stream, zMode, calls) : 0;
  if (f == 0) {
    free(stream);
    host_close_stream(file);
    return 0;
  }
  stream->file = file;
  stream->at = 0;
  setvbuf(f, stream->aBuffer, _IOFBF, sizeof(stream->aBuffer));
  return f;
}

/* As fopen(zPath, zMode), which is "r" or "w" with or without "b"; the path
** leads to a granted directory. */
FILE *open_stream(const char *zPath, const char *zMode) {
  return stream_on(host_open_stream(zPath, zMode[0] == 'w'), zMode);
}

/* The same for a descriptor that the calling shell has opened and the user has
** named, as by <(...). */
FILE *open_descriptor(unsigned descriptor, const char *zMode) {
  return stream_on(host_open_descriptor(descriptor), zMode);
}
