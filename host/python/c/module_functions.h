/* What load.c adds to CPython's module. */
#ifndef MODULE_FUNCTIONS_H
#define MODULE_FUNCTIONS_H

extern PyMethodDef sandbox_functions[];

#endif
