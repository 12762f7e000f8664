/* A file of its own: `start.c` looks whether it is linked. */
#include "inside.h"

unsigned int sqlite3_value_subtype(sqlite3_value *value) {
  return value ? inside_subtype((const inside_cell *)value) : 0;
}
