/* What calls.c uses of Python's stable interface (PEP 384): componentize-py has Python's library,
** but not its headers. */
#pragma once

#include <stddef.h>

typedef struct _object PyObject;
typedef ptrdiff_t Py_ssize_t;

typedef struct {
  const char *name;
  PyObject *(*function)(PyObject *module, PyObject *argument);
  int flags;
  const char *text;
} PyMethodDef;

typedef struct {
  struct {
    Py_ssize_t references;
    PyObject *type;
    PyObject *(*init)(void);
    Py_ssize_t index;
    PyObject *copy;
  } base;
  const char *name;
  const char *text;
  Py_ssize_t size;
  PyMethodDef *methods;
  void *slots, *traverse, *clear, *free;
} PyModuleDef;

enum { METH_VARARGS = 1, PYTHON_API_VERSION = 1013 };

extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct;
extern PyObject PyBytes_Type, PyFloat_Type, PyLong_Type, PyUnicode_Type;
extern PyObject *PyExc_Exception;

int PyArg_ParseTuple(PyObject *arguments, const char *format, ...);
int PyBytes_AsStringAndSize(PyObject *bytes, char **content, Py_ssize_t *length);
PyObject *PyBytes_FromStringAndSize(const char *content, Py_ssize_t length);
void PyErr_Clear(void);
int PyErr_ExceptionMatches(PyObject *type);
PyObject *PyErr_GetRaisedException(void);
PyObject *PyErr_NoMemory(void);
void PyErr_Print(void);
double PyFloat_AsDouble(PyObject *number);
PyObject *PyFloat_FromDouble(double number);
int PyGILState_Ensure(void);
PyObject *PyList_GetItem(PyObject *list, Py_ssize_t index);
Py_ssize_t PyList_Size(PyObject *list);
long PyLong_AsLong(PyObject *number);
long long PyLong_AsLongLongAndOverflow(PyObject *number, int *overflow);
PyObject *PyLong_FromLongLong(long long number);
PyObject *PyModule_Create2(PyModuleDef *definition, int version);
PyObject *PyObject_CallFunctionObjArgs(PyObject *function, ...);
PyObject *PyObject_Vectorcall(PyObject *function, PyObject *const *arguments, size_t count,
                              PyObject *names);
PyObject *PyUnicode_AsEncodedString(PyObject *text, const char *encoding, const char *errors);
const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *length);
PyObject *PyUnicode_DecodeUTF8(const char *content, Py_ssize_t length, const char *errors);
void Py_DecRef(PyObject *object);
void Py_IncRef(PyObject *object);
PyObject *Py_TYPE(PyObject *object);
