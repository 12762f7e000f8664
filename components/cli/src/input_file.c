/* Files that the shell reads, by the interface that databases have: WASI's own
** streams hand each read to another thread, and the first one of them starts
** that thread. `host_*` are answered by src/input_file.rs. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern int host_open_input(const char *zPath);
extern long host_read_input(int file, long long at, char *a, size_t n);
extern long long host_input_size(int file);
extern void host_close_input(int file);

/* Bytes of a buffer. The libc's own 1 KiB costs sixteen times the calls. */
#define BUFFER_BYTES 16384

/* An open file, where reading goes on, and the buffer of its stream. */
typedef struct InputFile InputFile;
struct InputFile {
  int file;
  long long at;
  char aBuffer[BUFFER_BYTES];
};

static ssize_t input_read(void *p, char *a, size_t n){
  InputFile *input = p;
  long count = host_read_input(input->file, input->at, a, n);
  if( count<0 ){
    errno = EIO;
    return -1;
  }
  input->at += count;
  return count;
}

static int input_seek(void *p, off_t *pAt, int whence){
  InputFile *input = p;
  long long at = *pAt;
  if( whence==SEEK_CUR ) at += input->at;
  if( whence==SEEK_END ) at += host_input_size(input->file);
  if( at<0 ){
    errno = EINVAL;
    return -1;
  }
  input->at = *pAt = at;
  return 0;
}

static int input_close(void *p){
  host_close_input(((InputFile*)p)->file);
  free(p);
  return 0;
}

/* As fopen(zPath, "rb"); the path leads to a granted folder. */
FILE *open_input(const char *zPath){
  cookie_io_functions_t calls = { input_read, 0, input_seek, input_close };
  int file = host_open_input(zPath);
  if( file<0 ){
    errno = -file;
    return 0;
  }
  InputFile *input = malloc(sizeof(*input));
  FILE *f = input ? fopencookie(input, "rb", calls) : 0;
  if( f==0 ){
    free(input);
    host_close_input(file);
    return 0;
  }
  input->file = file;
  input->at = 0;
  setvbuf(f, input->aBuffer, _IOFBF, sizeof(input->aBuffer));
  return f;
}
