/* Pointers that SQL has, by the numbers that stand for them. */
#ifndef POINTERS_H
#define POINTERS_H

#include "internals.h"

/* The subtype of pointers, here as in SQLite. */
#define POINTER_SUBTYPE 'p'

/* The number of a pointer that a function gave; false where it gave none. */
bool pointer_give(Cell *result, wit_value *value);
/* The pointer of a number; NULL where it is not there any more. */
void pointer_set(Cell *cell, const wit_value *value);
/* No value is left: all destructors run. */
void pointers_close(void);

#endif
