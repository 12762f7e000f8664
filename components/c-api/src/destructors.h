/* Destructors, as extensions give them. */
#ifndef DESTRUCTORS_H
#define DESTRUCTORS_H

#include <stdbool.h>

typedef void destructor(void *);

/* What to call in the place of a destructor. */
destructor *destructor_of(destructor *given);
/* Of one that came from there: what was written arrives only then. */
bool destructor_closes_file(destructor *given);

#endif
