/* What the shell needs and WASI's libc lacks or does otherwise. The
** functions `host_*` are in src/c_interface.rs. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

extern void host_set_exit_code(int code);
extern int host_granted_path(const char *zPath, int keepLastLink, char *zOut, size_t room);
extern int engine_is_extension_sql_running(void);
extern int host_enter(const char *zPath);
extern int host_delete(const char *zPath);
extern int host_is_text(const char *zPath);
extern int host_link_target(const char *zPath, char *zOut, size_t room);
extern void host_cpu_usage(unsigned long long *pUserUs, unsigned long long *pSystemUs);
extern int host_local_offset(long long unixSeconds, int *pOffset, int *pIsDst);
/* Attributes of a file; the kinds are those of `file-kind`. */
typedef struct HostAttributes HostAttributes;
struct HostAttributes {
  unsigned kind;
  unsigned permissions;
  unsigned long long size;
  long long modified;
};
extern int host_attributes(const char *zPath, HostAttributes *p);
extern int host_set_permissions(const char *zPath, unsigned bits);
extern int host_home(char *zOut, size_t room);
extern void host_poll_interruption(void);
extern int host_write(int toError, const void *pData, size_t n);
extern unsigned char *host_startup_file(const char *zPath, size_t *pSize);

extern FILE *open_stream(const char *zPath, const char *zMode);
extern FILE *open_device(const char *zPath, const char *zMode);
extern int is_device(const char *zPath, int *pFd);

/* Bytes of a stdio buffer: the libc's own 1 KiB costs 64 times the calls. */
#define BUFFER_BYTES 65536

_Noreturn void shell_exit(int code) {
  host_set_exit_code(code);
  exit(code);
}

/* One piece, as `write` has it: stdout and stderr bypass WASI's streams. */
ssize_t write_piece(int fd, const void *pData, size_t n) {
  if (fd != STDOUT_FILENO && fd != STDERR_FILENO) return write(fd, pData, n);
  if (n == 0 || host_write(fd == STDERR_FILENO, pData, n)) return (ssize_t)n;
  errno = EIO;
  return -1;
}

/* Replaces the libc's, which its streams use; like that one it writes
** the first piece that is not empty. */
ssize_t writev(int fd, const struct iovec *aPiece, int nPiece) {
  while (nPiece > 1 && aPiece->iov_len == 0) {
    aPiece++;
    nPiece--;
  }
  return nPiece > 0 ? write_piece(fd, aPiece->iov_base, aPiece->iov_len) : 0;
}

/* Larger buffers for stdin and stdout, before anything is read or written. */
void shims_init(void) {
  static char aIn[BUFFER_BYTES], aOut[BUFFER_BYTES];
  setvbuf(stdin, aIn, _IOFBF, sizeof(aIn));
  setvbuf(stdout, aOut, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(aOut));
}

/* Longest path, with its NUL: Linux's own. */
#define PATH_BYTES 4096

enum { FOLLOW, KEEP };

/* Resolve a name into zOut; 0, with errno set, outside the granted directories. */
static int granted(const char *zPath, int keepLastLink, char *zOut) {
  if (zPath[0] == 0) {
    errno = ENOENT;
    return 0;
  }
  if (host_granted_path(zPath, keepLastLink, zOut, PATH_BYTES)) return 1;
  errno = EACCES;
  return 0;
}

/* The same for the C library's own functions: WASI has no names but text, and
** ends a program that gives it others. */
static int granted_text(const char *zPath, int keepLastLink, char *zOut) {
  if (!granted(zPath, keepLastLink, zOut)) return 0;
  if (host_is_text(zOut)) return 1;
  errno = EILSEQ;
  return 0;
}

/* A start-up file. The host opens it by name, whatever its directory, but not for SQL of
** an extension. */
static FILE *open_startup_file(const char *zPath) {
  size_t n = 0;
  if (engine_is_extension_sql_running()) return 0;
  unsigned char *a = host_startup_file(zPath, &n);
  if (a == 0) return 0;
  FILE *f = fmemopen(0, n + 1, "w+");
  if (f) {
    fwrite(a, 1, n, f);
    fseek(f, 0, SEEK_SET);
  }
  free(a);
  return f;
}

FILE *shell_fopen(const char *zPath, const char *zMode) {
  char z[PATH_BYTES];
  FILE *device = open_device(zPath, zMode);
  if (device) return device;
  int oneWay = zMode[0] != 'a' && strchr(zMode, '+') == 0;
  FILE *f = 0;
  if (oneWay) {
    if (granted(zPath, FOLLOW, z)) f = open_stream(z, zMode);
  } else if (granted_text(zPath, FOLLOW, z)) {
    f = fopen(z, zMode);
  }
  if (f || zMode[0] != 'r') return f;
  int savedErrno = errno;
  f = open_startup_file(zPath);
  errno = savedErrno;
  return f;
}

/* The shell only checks whether a file exists. */
int shell_access(const char *zPath, int mode) {
  char z[PATH_BYTES];
  HostAttributes found;
  (void)mode;
  if (granted(zPath, FOLLOW, z) && host_attributes(z, &found) == 0) return 0;
  FILE *f = open_startup_file(zPath);
  if (f == 0) return -1;
  fclose(f);
  return 0;
}

int shell_chdir(const char *zPath) {
  char z[PATH_BYTES];
  return granted(zPath, FOLLOW, z) && host_enter(z) ? 0 : -1;
}

int shell_chmod(const char *zPath, unsigned bits) {
  char z[PATH_BYTES];
  return granted(zPath, FOLLOW, z) && host_set_permissions(z, bits) ? 0 : -1;
}

int shell_mkdir(const char *zPath, mode_t bits) {
  char z[PATH_BYTES];
  return granted_text(zPath, KEEP, z) ? mkdir(z, bits) : -1;
}

DIR *shell_opendir(const char *zPath) {
  char z[PATH_BYTES];
  return granted_text(zPath, FOLLOW, z) ? opendir(z) : 0;
}

/* WASI does not read a link that leads out of its directory; its text is not secret. */
ssize_t shell_readlink(const char *zPath, char *aOut, size_t room) {
  char z[PATH_BYTES], zTarget[PATH_BYTES];
  if (!granted(zPath, KEEP, z) || !host_link_target(z, zTarget, sizeof(zTarget))) return -1;
  size_t n = strlen(zTarget);
  if (n > room) n = room;
  memcpy(aOut, zTarget, n);
  return (ssize_t)n;
}

int shell_symlink(const char *zTarget, const char *zPath) {
  char z[PATH_BYTES];
  return granted_text(zPath, KEEP, z) && host_is_text(zTarget) ? symlink(zTarget, z) : -1;
}

int shell_unlink(const char *zPath) {
  char z[PATH_BYTES];
  return granted(zPath, KEEP, z) && host_delete(z) ? 0 : -1;
}

int shell_utimes(const char *zPath, const struct timeval aTime[2]) {
  char z[PATH_BYTES];
  return granted_text(zPath, FOLLOW, z) ? utimes(z, aTime) : -1;
}

/* As stat(), of a path that is granted. */
static int attributes(const char *zPath, struct stat *p) {
  static const mode_t aKind[] = {S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFCHR};
  HostAttributes found;
  int rc = host_attributes(zPath, &found);
  if (rc < 0) {
    errno = -rc;
    return -1;
  }
  memset(p, 0, sizeof(*p));
  p->st_mode = aKind[found.kind] | found.permissions;
  p->st_nlink = 1;
  p->st_size = (off_t)found.size;
  p->st_mtim.tv_sec = (time_t)found.modified;
  return 0;
}

int shell_stat(const char *zPath, struct stat *p) {
  char z[PATH_BYTES];
  int fd;
  if (is_device(zPath, &fd)) {
    memset(p, 0, sizeof(*p));
    p->st_mode = S_IFCHR;
    return 0;
  }
  return granted(zPath, FOLLOW, z) ? attributes(z, p) : -1;
}

int shell_lstat(const char *zPath, struct stat *p) {
  char z[PATH_BYTES];
  return granted(zPath, KEEP, z) ? attributes(z, p) : -1;
}

static void in_order(FILE *f) {
  if (f == stderr) fflush(stdout);
}

int shell_fputs(const char *z, FILE *f) {
  in_order(f);
  return fputs(z, f);
}

int shell_fprintf(FILE *f, const char *zFormat, ...) {
  va_list ap;
  in_order(f);
  va_start(ap, zFormat);
  int n = vfprintf(f, zFormat, ap);
  va_end(ap);
  return n;
}

/* A Ctrl-C while the shell waits for input is noticed here, since no statement runs
** then; not for a line that was in the buffer already. */
char *shell_fgets(char *z, int n, FILE *f) {
  size_t buffered = __freadahead(f);
  char *zLine = fgets(z, n, f);
  if (zLine == 0 || strlen(zLine) > buffered) host_poll_interruption();
  return zLine;
}

/* A line without an editor, where standard input is not a terminal: `-interactive`
** in a pipe. The caller frees it; 0 at the end. */
char *shims_plain_line(const char *zPrompt) {
  char *z = 0;
  size_t room = 0;
  fputs(zPrompt, stdout);
  fflush(stdout);
  ssize_t n = getline(&z, &room, stdin);
  host_poll_interruption();
  if (n < 0) {
    free(z);
    return 0;
  }
  if (n > 0 && z[n - 1] == '\n') z[--n] = 0;
  if (n > 0 && z[n - 1] == '\r') z[--n] = 0;
  return z;
}

const char *shell_home(void) {
  static char z[PATH_BYTES];
  return host_home(z, sizeof(z)) ? z : 0;
}

/* The shell's Ctrl-C handler. */
static void (*xOnInterrupt)(int) = 0;

void (*signal(int sig, void (*handler)(int)))(int) {
  if (sig == SIGINT) xOnInterrupt = handler;
  return SIG_DFL;
}

void shims_interrupt(void) {
  if (xOnInterrupt) xOnInterrupt(SIGINT);
}

/* Only for a debugger's break point. */
int raise(int sig) {
  (void)sig;
  return 0;
}

/* Only shown, and part of the name of a file under /proc. */
int getpid(void) { return 1; }

int getrusage(int who, struct rusage *p) {
  unsigned long long user, system;
  (void)who;
  host_cpu_usage(&user, &system);
  memset(p, 0, sizeof(*p));
  p->ru_utime.tv_sec = user / 1000000;
  p->ru_utime.tv_usec = user % 1000000;
  p->ru_stime.tv_sec = system / 1000000;
  p->ru_stime.tv_usec = system % 1000000;
  return 0;
}

/* WASI's libc has no time zones. */
struct tm *localtime_r(const time_t *pTime, struct tm *pOut) {
  int offset, isDst;
  time_t local;
  if (!host_local_offset(*pTime, &offset, &isDst)) return 0;
  local = *pTime + offset;
  if (!gmtime_r(&local, pOut)) return 0;
  pOut->tm_isdst = isDst;
  return pOut;
}

long long real_to_int64(double r) { return r >= -0x1p63 && r < 0x1p63 ? (long long)r : LLONG_MIN; }
