/* Destructors that extensions pass to SQLite. */
#ifndef DESTRUCTORS_H
#define DESTRUCTORS_H

#include <stdbool.h>

typedef void destructor(void *);

/* A function of the right type that does what a destructor does. */
destructor *destructor_of(destructor *given);
/* Whether a destructor from `destructor_of` closes a file, and so writes its buffer. */
bool destructor_closes_file(destructor *given);

#endif
