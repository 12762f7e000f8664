/* Pointers that SQL has, by the numbers that stand for them. */
#ifndef POINTERS_H
#define POINTERS_H

#include "inside.h"
#include "wire.h"

/* The number of a pointer that a function gave; false where it gave none. */
bool pointer_give(inside_cell *result, wit_value *value);
/* The pointer of a number; NULL where it is not there any more. */
void pointer_set(inside_cell *cell, const wit_value *value);
/* No value is left: all destructors run. */
void pointers_close(void);

#endif
