/* Calls of scalar functions in Python. Without this componentize-py makes and reads each value by
** objects of Python, in six times as many instructions.
**
** What is rare stays in Python: `serve` gets functions that raise an error for a value, and that
** describe an exception. */
#include "calls.h"
#include "python.h"

#include <stdlib.h>
#include <string.h>

typedef sqlite_wasm_extension_types_value_t Value;
typedef exports_sqlite_wasm_extension_scalar_list_value_t Arguments;

enum {
  INTEGER = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER,
  REAL = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL,
  TEXT = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT,
  BLOB = SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB,
  /* SQLite's, SQLITE_MAX_FUNCTION_ARG. */
  MAX_ARGUMENTS = 1000,
};

typedef struct {
  PyObject *implementation;
  /* Raises an error for arguments of other types than the annotations'. */
  PyObject *checked;
  /* For each parameter the classes of values that it allows, a bit each. */
  const char *allowed;
  Py_ssize_t parameters;
} Function;

static Function *functions;
static PyObject *describe_error, *refuse_value;

/* A failure of the kit itself, not of the extension's code. */
static _Noreturn void give_up(void) {
  PyErr_Print();
  abort();
}

static PyObject *from_sql(const Value *value) {
  const calls_list_u8_t *bytes = &value->val.text;
  switch (value->tag) {
    case INTEGER: return PyLong_FromLongLong(value->val.integer);
    case REAL: return PyFloat_FromDouble(value->val.real);
    case TEXT:
      return PyUnicode_DecodeUTF8((char *)bytes->ptr, (Py_ssize_t)bytes->len, "surrogateescape");
    case BLOB: return PyBytes_FromStringAndSize((char *)bytes->ptr, (Py_ssize_t)bytes->len);
    default: break;
  }
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

/* A copy that the bindings free if it has any bytes. Fails with an exception. */
static bool copy(const char *content, Py_ssize_t length, calls_list_u8_t *list) {
  *list = (calls_list_u8_t){NULL, (size_t)length};
  if (length == 0) return true;
  list->ptr = malloc(list->len);
  if (!list->ptr) {
    PyErr_NoMemory();
    return false;
  }
  memcpy(list->ptr, content, list->len);
  return true;
}

static bool copy_bytes(PyObject *bytes, calls_list_u8_t *list) {
  char *content;
  Py_ssize_t length;
  if (PyBytes_AsStringAndSize(bytes, &content, &length)) give_up();
  return copy(content, length, list);
}

static bool encode(PyObject *text, Value *value) {
  Py_ssize_t length;
  const char *content = PyUnicode_AsUTF8AndSize(text, &length);
  value->tag = TEXT;
  if (content) return copy(content, length, &value->val.text);
  /* It has bytes that are not UTF-8, as lone surrogates. */
  PyErr_Clear();
  PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
  if (!bytes) return false;
  bool is_copied = copy_bytes(bytes, &value->val.text);
  Py_DecRef(bytes);
  return is_copied;
}

/* Fails with an exception. */
static bool to_sql(PyObject *object, Value *value) {
  PyObject *type = Py_TYPE(object);
  if (object == &_Py_NoneStruct) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL;
    return true;
  }
  if (type == &PyLong_Type) {
    int overflow;
    value->tag = INTEGER;
    value->val.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return true;
  }
  if (type == &PyFloat_Type) {
    value->tag = REAL;
    value->val.real = PyFloat_AsDouble(object);
    return true;
  }
  if (type == &PyUnicode_Type) return encode(object, value);
  if (type == &PyBytes_Type) {
    value->tag = BLOB;
    return copy_bytes(object, &value->val.blob);
  }
  if (object == &_Py_TrueStruct || object == &_Py_FalseStruct) {
    value->tag = INTEGER;
    value->val.integer = object == &_Py_TrueStruct;
    return true;
  }
  if (PyObject_CallFunctionObjArgs(refuse_value, object, NULL)) abort();
  return false;
}

static void describe(uint32_t index, sqlite_wasm_extension_types_sql_error_t *error) {
  /* Such as SystemExit. */
  if (!PyErr_ExceptionMatches(PyExc_Exception)) give_up();
  PyObject *exception = PyErr_GetRaisedException(), *number = PyLong_FromLongLong(index);
  PyObject *described = PyObject_CallFunctionObjArgs(describe_error, number, exception, NULL);
  PyObject *code, *message;
  if (!described || !PyArg_ParseTuple(described, "OO", &code, &message)) give_up();
  calls_list_u8_t bytes;
  /* If memory for the message runs out, it stays empty. */
  if (!copy_bytes(message, &bytes)) {
    PyErr_Clear();
    bytes = (calls_list_u8_t){NULL, 0};
  }
  error->code = (int32_t)PyLong_AsLong(code);
  error->message = (calls_string_t){bytes.ptr, bytes.len};
  Py_DecRef(described);
  Py_DecRef(number);
  Py_DecRef(exception);
}

static PyObject *call(const Function *function, const Arguments *arguments) {
  PyObject *given[MAX_ARGUMENTS], *result = NULL;
  bool is_allowed = true;
  size_t made = 0;
  if (arguments->len > MAX_ARGUMENTS) abort();
  for (; made < arguments->len; made++) {
    const Value *value = &arguments->ptr[made];
    given[made] = from_sql(value);
    if (!given[made]) break;
    if (made < (size_t)function->parameters && !(function->allowed[made] >> value->tag & 1)) {
      is_allowed = false;
    }
  }
  if (made == arguments->len) {
    PyObject *called = is_allowed ? function->implementation : function->checked;
    result = PyObject_Vectorcall(called, given, made, NULL);
  }
  while (made > 0) Py_DecRef(given[--made]);
  return result;
}

static void free_arguments(Arguments *arguments, calls_list_u8_t *subtypes) {
  for (size_t index = 0; index < arguments->len; index++) {
    const Value *value = &arguments->ptr[index];
    if (value->tag >= TEXT && value->val.text.len > 0) free(value->val.text.ptr);
  }
  if (arguments->len > 0) free(arguments->ptr);
  if (subtypes->len > 0) free(subtypes->ptr);
}

bool exports_sqlite_wasm_extension_scalar_call(uint32_t function, Arguments *arguments,
                                               calls_list_u8_t *subtypes,
                                               sqlite_wasm_extension_types_output_t *output,
                                               sqlite_wasm_extension_types_sql_error_t *error) {
  /* For good, as no other thread wants Python's lock. */
  static bool is_locked;
  if (!is_locked) PyGILState_Ensure();
  is_locked = true;
  PyObject *result = call(&functions[function], arguments);
  free_arguments(arguments, subtypes);
  bool is_value = result && to_sql(result, &output->value);
  if (is_value) output->subtype = 0;
  else describe(function, error);
  if (result) Py_DecRef(result);
  return is_value;
}

/* serve(FUNCTIONS, DESCRIBE, REFUSE): call these from now on. Each is a tuple of an implementation,
** the same with a check of its arguments, and the allowed classes of each parameter, as bytes. */
static PyObject *serve(PyObject *module, PyObject *arguments) {
  PyObject *list;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OOO", &list, &describe_error, &refuse_value)) return NULL;
  /* They live as long as the component. */
  Py_IncRef(arguments);
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  functions = calloc((size_t)count + 1, sizeof(Function));
  if (!functions) abort();
  for (Py_ssize_t index = 0; index < count; index++) {
    Function *each = &functions[index];
    PyObject *entry = PyList_GetItem(list, index);
    if (!PyArg_ParseTuple(entry, "OOy#", &each->implementation, &each->checked, &each->allowed,
                          &each->parameters)) {
      return NULL;
    }
  }
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

static PyMethodDef methods[] = {{"serve", serve, METH_VARARGS, "Call these functions."}, {0}};

static PyModuleDef module = {
    .base = {.references = 1}, .name = "sqlite_extension_calls", .size = -1, .methods = methods};

__attribute__((export_name("PyInit_sqlite_extension_calls"))) PyObject *python_module(void) {
  return PyModule_Create2(&module, PYTHON_API_VERSION);
}
