/* sqlite3_exec. */
#include "face.h"

#include "client/exec.c"
