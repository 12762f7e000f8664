/* What load.c adds to CPython's module. */
#ifndef MODULE_FUNCTIONS_H
#define MODULE_FUNCTIONS_H

extern PyMethodDef sandbox_functions[];

/* grants.c */
PyObject *grants_grant(PyObject *module, PyObject *arguments);

/* older.c */
PyObject *older_enable_shared_cache(PyObject *module, PyObject *enable);

#endif
