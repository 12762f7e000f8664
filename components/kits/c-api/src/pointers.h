/* Pointers of `sqlite3_result_pointer`, which cross to the host as handles. */
#ifndef POINTERS_H
#define POINTERS_H

#include "internals.h"
#include "wire.h"

/* Store the pointer in a function's result, with its handle as the value; false
** where the result has none. */
bool pointer_store(Cell *result, wit_value *value);
/* Set a cell to the pointer of a handle; to NULL where the handle is stale. */
void pointer_load(Cell *cell, const wit_value *value);
/* The connection closes: run the destructors of all pointers. */
void pointers_close(void);

#endif
