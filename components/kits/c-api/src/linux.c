/* See include/linux.h. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NUMBER(type, name, parameters, arguments) \
  type sqlite_wasm_##name parameters { \
    char *stop; \
    int before = errno; \
    type number = name arguments; \
    if (stop == text) errno = before; \
    if (end) *end = stop; \
    return number; \
  }

NUMBER(double, strtod, (const char *text, char **end), (text, &stop))
NUMBER(long, strtol, (const char *text, char **end, int base), (text, &stop, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), (text, &stop, base))

/* The host chooses a file's permissions when it creates the file. */
int sqlite_wasm_chmod(const char *path, mode_t mode) {
  struct stat found;
  if (stat(path, &found)) return -1;
  if ((mode & 07777) == (S_ISDIR(found.st_mode) ? 0777 : 0666)) return 0;
  errno = ENOSYS;
  return -1;
}
