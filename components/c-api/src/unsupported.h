/* Routines that extensions are not offered. The build makes a file for each, so
** that the linker takes only those which the extension refers to. */
#ifndef UNSUPPORTED_H
#define UNSUPPORTED_H

#include <stdbool.h>

typedef struct {
  const char *name;
  bool is_linked;
} Unsupported;

/* The last has no name. */
const Unsupported *unsupported_routines(void);

#endif
