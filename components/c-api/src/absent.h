/* Routines that extensions are not offered. The build makes a file for each, so
** that the linker takes only those which the extension refers to. */
#ifndef ABSENT_H
#define ABSENT_H

#include <stdbool.h>

typedef struct {
  const char *name;
  bool is_linked;
} Absent;

/* The last has no name. */
const Absent *absent_routines(void);

#endif
