/* The devices and descriptors that scripts name as files. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int engine_is_extension_sql_running(void);
extern FILE *open_descriptor(unsigned descriptor, const char *zMode);
extern ssize_t write_piece(int fd, const void *pData, size_t n);

/* The devices that scripts name: the standard streams, and nothing. SQL of an
** extension has none of them. The descriptor -1 has no content and takes everything.
** `readfile()` looks for the end of a file before it reads it: the rest of the
** standard input is then held here. */
typedef struct {
  int fd;
  char *aHeld;
  size_t nHeld, at;
} Device;

static ssize_t device_read(void *p, char *a, size_t n) {
  Device *pDevice = p;
  if (pDevice->aHeld == 0) return pDevice->fd < 0 ? 0 : read(pDevice->fd, a, n);
  size_t nLeft = pDevice->nHeld - pDevice->at;
  if (n > nLeft) n = nLeft;
  memcpy(a, pDevice->aHeld + pDevice->at, n);
  pDevice->at += n;
  return (ssize_t)n;
}

static ssize_t device_write(void *p, const char *a, size_t n) {
  int fd = ((Device *)p)->fd;
  if (fd < 0) return (ssize_t)n;
  fflush(stdout);
  return write_piece(fd, a, n);
}

/* Hold what follows in a stream: whether there was memory for it. */
static int hold(Device *pDevice) {
  size_t nRoom = 0;
  for (;;) {
    if (pDevice->nHeld == nRoom) {
      nRoom = nRoom ? 2 * nRoom : 64 * 1024;
      char *aMore = nRoom > pDevice->nHeld ? realloc(pDevice->aHeld, nRoom) : 0;
      if (aMore == 0) {
        errno = ENOMEM;
        return 0;
      }
      pDevice->aHeld = aMore;
    }
    ssize_t n = read(pDevice->fd, pDevice->aHeld + pDevice->nHeld, nRoom - pDevice->nHeld);
    if (n < 0) return 0;
    if (n == 0) return 1;
    pDevice->nHeld += (size_t)n;
  }
}

/* /dev/null begins and ends at 0; only the standard input can seek otherwise. */
static int device_seek(void *p, off_t *pAt, int whence) {
  Device *pDevice = p;
  if (pDevice->fd < 0) {
    *pAt = 0;
    return 0;
  }
  if (pDevice->fd != STDIN_FILENO || (pDevice->aHeld == 0 && whence != SEEK_END)) {
    errno = ESPIPE;
    return -1;
  }
  if (pDevice->aHeld == 0 && !hold(pDevice)) return -1;
  off_t from = whence == SEEK_SET ? 0 : (off_t)(whence == SEEK_CUR ? pDevice->at : pDevice->nHeld);
  if (*pAt < -from || *pAt > (off_t)pDevice->nHeld - from) {
    errno = EINVAL;
    return -1;
  }
  *pAt += from;
  pDevice->at = (size_t)*pAt;
  return 0;
}

static int device_close(void *p) {
  free(((Device *)p)->aHeld);
  free(p);
  return 0;
}

/* The descriptor that a path in one of these directories names. */
static int descriptor(const char *zPath, int *pFd) {
  static const char *const azDir[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof(azDir) / sizeof(azDir[0]); i++) {
    size_t n = strlen(azDir[i]);
    if (strncmp(zPath, azDir[i], n) != 0) continue;
    char *zEnd;
    unsigned long fd = strtoul(zPath + n, &zEnd, 10);
    *pFd = (int)fd;
    return zPath[n] >= '0' && zPath[n] <= '9' && *zEnd == 0 && fd <= INT_MAX;
  }
  return 0;
}

int is_device(const char *zPath, int *pFd) {
  static const struct {
    const char *zName;
    int fd;
  } aDevice[] = {
      {"/dev/stdin", 0},
      {"/dev/stdout", 1},
      {"/dev/stderr", 2},
      {"/dev/null", -1},
  };
  for (size_t i = 0; i < sizeof(aDevice) / sizeof(aDevice[0]); i++) {
    *pFd = aDevice[i].fd;
    if (strcmp(zPath, aDevice[i].zName) == 0) return 1;
  }
  return descriptor(zPath, pFd);
}

FILE *open_device(const char *zPath, const char *zMode) {
  cookie_io_functions_t calls = {device_read, device_write, device_seek, device_close};
  int fd;
  if (engine_is_extension_sql_running() || !is_device(zPath, &fd)) return 0;
  if (fd > STDERR_FILENO) return open_descriptor((unsigned)fd, zMode);
  Device *pDevice = calloc(1, sizeof(*pDevice));
  if (pDevice == 0) return 0;
  pDevice->fd = fd;
  FILE *stream = fopencookie(pDevice, zMode, calls);
  if (stream == 0) free(pDevice);
  return stream;
}
