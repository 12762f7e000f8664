/* Databases and columns of tables. */
#include "face.h"

#include "client/databases.c"
