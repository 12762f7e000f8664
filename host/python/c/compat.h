/* What CPython 3.13's source of the module uses, for Python 3.10 to 3.12. */
#ifndef COMPAT_H
#define COMPAT_H

#if PY_VERSION_HEX < 0x030C0000
#include "structmember.h"
#define Py_T_INT T_INT
#define Py_T_LONG T_LONG
#define Py_T_PYSSIZET T_PYSSIZET
#define _Py_T_OBJECT T_OBJECT
#define Py_READONLY READONLY

static inline PyObject *PyErr_GetRaisedException(void) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return NULL;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Py_DECREF(type);
  Py_XDECREF(traceback);
  return value;
}

static inline void PyErr_SetRaisedException(PyObject *raised) {
  if (!raised) return PyErr_Clear();
  PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(raised)), raised, PyException_GetTraceback(raised));
}

/* The raised exception becomes the context of the current one, if there is one. */
static inline void _PyErr_ChainExceptions1(PyObject *raised) {
  if (!raised) return;
  PyObject *current = PyErr_GetRaisedException();
  if (current) {
    PyException_SetContext(current, raised);
    raised = current;
  }
  PyErr_SetRaisedException(raised);
}

/* Some versions of 3.10 and 3.11 have it, and others do not. */
#define _PyImport_GetModuleAttrString sandbox_module_attribute

#define _Py_IsInterpreterFinalizing(interpreter) _Py_IsFinalizing()
#endif

#if PY_VERSION_HEX < 0x030D0000
#include "pycore_long.h"

#define _PyLong_AsByteArray(value, bytes, count, is_little, is_signed, ...) \
  (_PyLong_AsByteArray)(value, bytes, count, is_little, is_signed)

static inline int PyLong_AsInt(PyObject *object) { return _PyLong_AsInt(object); }

/* -1 for an error, 0 if it is missing, 1 if it was found. */
static inline int optional(PyObject *found, PyObject **result, PyObject *missing) {
  *result = found;
  if (found) return 1;
  if (!PyErr_ExceptionMatches(missing)) return -1;
  PyErr_Clear();
  return 0;
}

static inline int PyObject_GetOptionalAttr(PyObject *object, PyObject *name, PyObject **result) {
  return optional(PyObject_GetAttr(object, name), result, PyExc_AttributeError);
}

static inline int PyMapping_GetOptionalItemString(PyObject *object, const char *key,
                                                  PyObject **result) {
  return optional(PyMapping_GetItemString(object, key), result, PyExc_KeyError);
}

static inline int PyDict_GetItemRef(PyObject *dict, PyObject *key, PyObject **result) {
  *result = Py_XNewRef(PyDict_GetItemWithError(dict, key));
  return *result ? 1 : PyErr_Occurred() ? -1 : 0;
}

static inline int PyWeakref_GetRef(PyObject *reference, PyObject **result) {
  PyObject *object = PyWeakref_GetObject(reference);
  *result = object && object != Py_None ? Py_NewRef(object) : NULL;
  return !object ? -1 : *result != NULL;
}

static inline int _PyWeakref_IsDead(PyObject *reference) {
  return PyWeakref_GetObject(reference) == Py_None;
}

static inline const char *_PyUnicode_AsUTF8NoNUL(PyObject *text) {
  Py_ssize_t length;
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
  if (utf8 && strlen(utf8) != (size_t)length) {
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return NULL;
  }
  return utf8;
}

/* limits.c leaves out the slots that a Python does not know. */
#define SANDBOX_UNKNOWN_SLOT 0x7fff
#define Py_mod_gil SANDBOX_UNKNOWN_SLOT
#define Py_MOD_GIL_NOT_USED NULL
#if PY_VERSION_HEX < 0x030C0000
#define Py_mod_multiple_interpreters SANDBOX_UNKNOWN_SLOT
#define Py_MOD_PER_INTERPRETER_GIL_SUPPORTED NULL
#endif
#endif

#if PY_VERSION_HEX < 0x030B0000
#define _PyCFunction_CAST(function) ((PyCFunction)(void (*)(void))(function))

/* The types of the module are heap types, and their bases outside the module are not of the module. */
static inline PyObject *PyType_GetModuleByDef(PyTypeObject *type, PyModuleDef *definition) {
  PyObject *bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); i++) {
    PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
    if (!PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE)) continue;
    PyObject *module = ((PyHeapTypeObject *)base)->ht_module;
    if (module && PyModule_GetDef(module) == definition) return module;
  }
  PyErr_Format(PyExc_TypeError, "type `%s` does not belong to the module", type->tp_name);
  return NULL;
}
#endif

#endif
