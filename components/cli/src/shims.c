/* What the shell needs and WASI's libc lacks or does otherwise. The
** functions `host_*` are in src/c_interface.rs. */
#define _GNU_SOURCE /* fopencookie */
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
extern FILE *open_descriptor(unsigned descriptor, const char *zMode);

/* Bytes of a stdio buffer: the libc's own 1 KiB costs 64 times the calls. */
#define BUFFER_BYTES 65536

_Noreturn void shell_exit(int code){
  host_set_exit_code(code);
  exit(code);
}

/* One piece, as `write` has it: stdout and stderr bypass WASI's streams. */
static ssize_t write_piece(int fd, const void *pData, size_t n){
  if( fd!=STDOUT_FILENO && fd!=STDERR_FILENO ) return write(fd, pData, n);
  if( n==0 || host_write(fd==STDERR_FILENO, pData, n) ) return (ssize_t)n;
  errno = EIO;
  return -1;
}

/* Replaces the libc's, which its streams use; like that one it writes
** the first piece that is not empty. */
ssize_t writev(int fd, const struct iovec *aPiece, int nPiece){
  while( nPiece>1 && aPiece->iov_len==0 ){
    aPiece++;
    nPiece--;
  }
  return nPiece>0 ? write_piece(fd, aPiece->iov_base, aPiece->iov_len) : 0;
}

/* Larger buffers for stdin and stdout, before anything is read or written. */
void shims_init(void){
  static char aIn[BUFFER_BYTES], aOut[BUFFER_BYTES];
  setvbuf(stdin, aIn, _IOFBF, sizeof(aIn));
  setvbuf(stdout, aOut, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(aOut));
}

/* Longest path, with its NUL: Linux's own. */
#define PATH_BYTES 4096

enum { FOLLOW, KEEP };

/* Resolve a name into zOut; 0, with errno set, outside the granted directories. */
static int granted(const char *zPath, int keepLastLink, char *zOut){
  if( zPath[0]==0 ){
    errno = ENOENT;
    return 0;
  }
  if( host_granted_path(zPath, keepLastLink, zOut, PATH_BYTES) ) return 1;
  errno = EACCES;
  return 0;
}

/* The same for the C library's own functions: WASI has no names but text, and
** ends a program that gives it others. */
static int granted_text(const char *zPath, int keepLastLink, char *zOut){
  if( !granted(zPath, keepLastLink, zOut) ) return 0;
  if( host_is_text(zOut) ) return 1;
  errno = EILSEQ;
  return 0;
}

/* A start-up file. The host opens it by name, whatever its directory, but not for SQL of
** an extension. */
static FILE *open_startup_file(const char *zPath){
  size_t n = 0;
  if( engine_is_extension_sql_running() ) return 0;
  unsigned char *a = host_startup_file(zPath, &n);
  if( a==0 ) return 0;
  FILE *f = fmemopen(0, n+1, "w+");
  if( f ){
    fwrite(a, 1, n, f);
    rewind(f);
  }
  free(a);
  return f;
}

/* The devices that scripts name: the standard streams, and nothing. SQL of an
** extension has none of them. The descriptor -1 has no content and takes everything.
** `readfile()` looks for the end of a file before it reads it: the rest of the
** standard input is then held here. */
typedef struct {
  int fd;
  char *aHeld;
  size_t nHeld, at;
} Device;

static ssize_t device_read(void *p, char *a, size_t n){
  Device *pDevice = p;
  if( pDevice->aHeld==0 ) return pDevice->fd<0 ? 0 : read(pDevice->fd, a, n);
  size_t nLeft = pDevice->nHeld-pDevice->at;
  if( n>nLeft ) n = nLeft;
  memcpy(a, pDevice->aHeld+pDevice->at, n);
  pDevice->at += n;
  return (ssize_t)n;
}

static ssize_t device_write(void *p, const char *a, size_t n){
  int fd = ((Device*)p)->fd;
  if( fd<0 ) return (ssize_t)n;
  fflush(stdout);
  return write_piece(fd, a, n);
}

/* Hold what follows in a stream: whether there was memory for it. */
static int hold(Device *pDevice){
  size_t nRoom = 0;
  for(;;){
    if( pDevice->nHeld==nRoom ){
      nRoom = nRoom ? 2*nRoom : 64*1024;
      char *aMore = nRoom>pDevice->nHeld ? realloc(pDevice->aHeld, nRoom) : 0;
      if( aMore==0 ){
        errno = ENOMEM;
        return 0;
      }
      pDevice->aHeld = aMore;
    }
    ssize_t n = read(pDevice->fd, pDevice->aHeld+pDevice->nHeld, nRoom-pDevice->nHeld);
    if( n<0 ) return 0;
    if( n==0 ) return 1;
    pDevice->nHeld += (size_t)n;
  }
}

/* /dev/null begins and ends at 0; only the standard input can seek otherwise. */
static int device_seek(void *p, off_t *pAt, int whence){
  Device *pDevice = p;
  if( pDevice->fd<0 ){
    *pAt = 0;
    return 0;
  }
  if( pDevice->fd!=STDIN_FILENO || (pDevice->aHeld==0 && whence!=SEEK_END) ){
    errno = ESPIPE;
    return -1;
  }
  if( pDevice->aHeld==0 && !hold(pDevice) ) return -1;
  off_t from = whence==SEEK_SET ? 0 : (off_t)(whence==SEEK_CUR ? pDevice->at : pDevice->nHeld);
  if( *pAt<-from || *pAt>(off_t)pDevice->nHeld-from ){
    errno = EINVAL;
    return -1;
  }
  *pAt += from;
  pDevice->at = (size_t)*pAt;
  return 0;
}

static int device_close(void *p){
  free(((Device*)p)->aHeld);
  free(p);
  return 0;
}

/* The number behind one of the directories of descriptors. */
static int descriptor(const char *zPath, int *pFd){
  static const char *const azDir[] = { "/dev/fd/", "/proc/self/fd/" };
  for(size_t i=0; i<sizeof(azDir)/sizeof(azDir[0]); i++){
    size_t n = strlen(azDir[i]);
    if( strncmp(zPath, azDir[i], n)!=0 ) continue;
    char *zEnd;
    unsigned long fd = strtoul(zPath+n, &zEnd, 10);
    *pFd = (int)fd;
    return zPath[n]>='0' && zPath[n]<='9' && *zEnd==0 && fd<=INT_MAX;
  }
  return 0;
}

static int device(const char *zPath, int *pFd){
  static const struct { const char *zName; int fd; } aDevice[] = {
    {"/dev/stdin", 0}, {"/dev/stdout", 1}, {"/dev/stderr", 2}, {"/dev/null", -1},
  };
  for(size_t i=0; i<sizeof(aDevice)/sizeof(aDevice[0]); i++){
    *pFd = aDevice[i].fd;
    if( strcmp(zPath, aDevice[i].zName)==0 ) return 1;
  }
  return descriptor(zPath, pFd);
}

static FILE *open_device(const char *zPath, const char *zMode){
  cookie_io_functions_t calls = { device_read, device_write, device_seek, device_close };
  int fd;
  if( engine_is_extension_sql_running() || !device(zPath, &fd) ) return 0;
  if( fd>STDERR_FILENO ) return open_descriptor((unsigned)fd, zMode);
  Device *pDevice = calloc(1, sizeof(*pDevice));
  if( pDevice==0 ) return 0;
  pDevice->fd = fd;
  FILE *stream = fopencookie(pDevice, zMode, calls);
  if( stream==0 ) free(pDevice);
  return stream;
}

FILE *shell_fopen(const char *zPath, const char *zMode){
  char z[PATH_BYTES];
  FILE *device = open_device(zPath, zMode);
  if( device ) return device;
  int oneWay = zMode[0]!='a' && strchr(zMode, '+')==0;
  FILE *f = 0;
  if( oneWay ){
    if( granted(zPath, FOLLOW, z) ) f = open_stream(z, zMode);
  }else if( granted_text(zPath, FOLLOW, z) ){
    f = fopen(z, zMode);
  }
  if( f || zMode[0]!='r' ) return f;
  int savedErrno = errno;
  f = open_startup_file(zPath);
  errno = savedErrno;
  return f;
}

/* The shell only checks whether a file exists. */
int shell_access(const char *zPath, int mode){
  char z[PATH_BYTES];
  HostAttributes found;
  (void)mode;
  if( granted(zPath, FOLLOW, z) && host_attributes(z, &found)==0 ) return 0;
  FILE *f = open_startup_file(zPath);
  if( f==0 ) return -1;
  fclose(f);
  return 0;
}

int shell_chdir(const char *zPath){
  char z[PATH_BYTES];
  return granted(zPath, FOLLOW, z) && host_enter(z) ? 0 : -1;
}

int shell_chmod(const char *zPath, unsigned bits){
  char z[PATH_BYTES];
  return granted(zPath, FOLLOW, z) && host_set_permissions(z, bits) ? 0 : -1;
}

int shell_mkdir(const char *zPath, mode_t bits){
  char z[PATH_BYTES];
  return granted_text(zPath, KEEP, z) ? mkdir(z, bits) : -1;
}

DIR *shell_opendir(const char *zPath){
  char z[PATH_BYTES];
  return granted_text(zPath, FOLLOW, z) ? opendir(z) : 0;
}

/* WASI does not read a link that leads out of its directory; its text is not secret. */
ssize_t shell_readlink(const char *zPath, char *aOut, size_t room){
  char z[PATH_BYTES], zTarget[PATH_BYTES];
  if( !granted(zPath, KEEP, z) || !host_link_target(z, zTarget, sizeof(zTarget)) ) return -1;
  size_t n = strlen(zTarget);
  if( n>room ) n = room;
  memcpy(aOut, zTarget, n);
  return (ssize_t)n;
}

int shell_symlink(const char *zTarget, const char *zPath){
  char z[PATH_BYTES];
  return granted_text(zPath, KEEP, z) && host_is_text(zTarget) ? symlink(zTarget, z) : -1;
}

int shell_unlink(const char *zPath){
  char z[PATH_BYTES];
  return granted(zPath, KEEP, z) && host_delete(z) ? 0 : -1;
}

int shell_utimes(const char *zPath, const struct timeval aTime[2]){
  char z[PATH_BYTES];
  return granted_text(zPath, FOLLOW, z) ? utimes(z, aTime) : -1;
}

/* As stat(), of a path that is granted. */
static int attributes(const char *zPath, struct stat *p){
  static const mode_t aKind[] = { S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFCHR };
  HostAttributes found;
  int rc = host_attributes(zPath, &found);
  if( rc<0 ){
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

int shell_stat(const char *zPath, struct stat *p){
  char z[PATH_BYTES];
  int fd;
  if( device(zPath, &fd) ){
    memset(p, 0, sizeof(*p));
    p->st_mode = S_IFCHR;
    return 0;
  }
  return granted(zPath, FOLLOW, z) ? attributes(z, p) : -1;
}

int shell_lstat(const char *zPath, struct stat *p){
  char z[PATH_BYTES];
  return granted(zPath, KEEP, z) ? attributes(z, p) : -1;
}

static void in_order(FILE *f){
  if( f==stderr ) fflush(stdout);
}

int shell_fputs(const char *z, FILE *f){
  in_order(f);
  return fputs(z, f);
}

int shell_fprintf(FILE *f, const char *zFormat, ...){
  va_list ap;
  in_order(f);
  va_start(ap, zFormat);
  int n = vfprintf(f, zFormat, ap);
  va_end(ap);
  return n;
}

/* A Ctrl-C while the shell waits for input is noticed here, since no statement runs
** then; not for a line that was in the buffer already. */
char *shell_fgets(char *z, int n, FILE *f){
  size_t buffered = __freadahead(f);
  char *zLine = fgets(z, n, f);
  if( zLine==0 || strlen(zLine)>buffered ) host_poll_interruption();
  return zLine;
}

/* A line without an editor, where standard input is not a terminal: `-interactive`
** in a pipe. The caller frees it; 0 at the end. */
char *shims_plain_line(const char *zPrompt){
  char *z = 0;
  size_t room = 0;
  fputs(zPrompt, stdout);
  fflush(stdout);
  ssize_t n = getline(&z, &room, stdin);
  host_poll_interruption();
  if( n<0 ){
    free(z);
    return 0;
  }
  if( n>0 && z[n-1]=='\n' ) z[--n] = 0;
  if( n>0 && z[n-1]=='\r' ) z[--n] = 0;
  return z;
}

const char *shell_home(void){
  static char z[PATH_BYTES];
  return host_home(z, sizeof(z)) ? z : 0;
}

/* The shell's Ctrl-C handler. */
static void (*xOnInterrupt)(int) = 0;

void (*signal(int sig, void (*handler)(int)))(int){
  if( sig==SIGINT ) xOnInterrupt = handler;
  return SIG_DFL;
}

void shims_interrupt(void){
  if( xOnInterrupt ) xOnInterrupt(SIGINT);
}

/* Only for a debugger's break point. */
int raise(int sig){
  (void)sig;
  return 0;
}

/* Only shown, and part of the name of a file under /proc. */
int getpid(void){
  return 1;
}

int getrusage(int who, struct rusage *p){
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
struct tm *localtime_r(const time_t *pTime, struct tm *pOut){
  int offset, isDst;
  time_t local;
  if( !host_local_offset(*pTime, &offset, &isDst) ) return 0;
  local = *pTime + offset;
  if( !gmtime_r(&local, pOut) ) return 0;
  pOut->tm_isdst = isDst;
  return pOut;
}

long long real_to_int64(double r){
  return r>=-0x1p63 && r<0x1p63 ? (long long)r : LLONG_MIN;
}
