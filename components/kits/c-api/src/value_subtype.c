/* In a separate file, since `start.c` checks whether the extension links it. */
#include "internals.h"

unsigned int sqlite3_value_subtype(sqlite3_value *value) {
  return value ? cell_subtype((const Cell *)value) : 0;
}
