/* Routines of SQLite that extensions cannot use. The build makes a file for each
** routine, so that the linker takes only those that the extension calls. */
#ifndef UNSUPPORTED_H
#define UNSUPPORTED_H

#include <stdbool.h>

typedef struct {
  const char *name;
  bool is_linked;
} Unsupported;

/* The name of the last entry is null. */
const Unsupported *unsupported_routines(void);

#endif
