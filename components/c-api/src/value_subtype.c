/* A file of its own: `start.c` looks whether it is linked. */
#include "internals.h"

unsigned int sqlite3_value_subtype(sqlite3_value *value) {
  return value ? cell_subtype((const Cell *)value) : 0;
}
