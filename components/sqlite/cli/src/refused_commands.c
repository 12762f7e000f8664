/* Dot-commands that start other programs, which a sandbox cannot. */
#include <stdio.h>
#include <string.h>

static int starts(const char *zWord, size_t n, const char *zFull, size_t nLeast) {
  return n >= nLeast && n <= strlen(zFull) && strncmp(zWord, zFull, n) == 0;
}

/* Options of `.once` and `.output` that start another program. */
static int opens_program(const char *z) {
  for (z = strchr(z, ' '); z; z = strchr(z, ' ')) {
    while (*z == ' ') z++;
    if (z[0] != '-') return 0;
    if (z[1] == '-') z++;
    if (strchr("exw", z[1]) && z[1] && (z[2] == 0 || z[2] == ' ' || z[2] == '\n')) return 1;
  }
  return 0;
}

const char *sandbox_refuses(const char *zLine) {
  if (zLine[0] != '.') return 0;
  const char *zWord = zLine + 1;
  size_t n = strcspn(zWord, " \t\r\n");
  int is_output = starts(zWord, n, "once", 2) || starts(zWord, n, "output", 1);
  return starts(zWord, n, "shell", 2)        ? "shell"
         : starts(zWord, n, "system", 2)     ? "system"
         : starts(zWord, n, "excel", 5)      ? "excel"
         : starts(zWord, n, "www", 3)        ? "www"
         : is_output && opens_program(zWord) ? "once and .output with -e, -w or -x"
                                             : 0;
}

int sandbox_refuse(const char *zName) {
  fflush(stdout);
  fprintf(stderr, "Error: .%s is not available: the sandbox cannot start programs\n", zName);
  return 1;
}
