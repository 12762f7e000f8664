/* Limits of statements, and the exception that says which limit was reached.
**
** The library limits the memory of a connection and the time of each of its calls. A statement can
** make many calls, so the module counts its rows and its time between the first step and the reset. */

#define SANDBOX_LIMITS

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "sandbox.h"

#include "connection.h"
#include "module_functions.h"

#define NAME "sqlite_sandbox"

typedef enum { NOTHING, MEMORY, STATEMENT_TIME, ROWS } Reached;

static const char *const names[] = {NULL, "memory", "statement_time", "rows"};

/* A statement that has been stepped and not reset. */
typedef struct Running {
  struct Running *next;
  sqlite3_stmt *statement;
  long long rows;
  double seconds;
} Running;

typedef struct {
  /* The interpreter's lock is not held while a statement runs. No call of SQLite is made with this
  ** mutex, since a function of the program, which holds SQLite's, may step other statements. */
  pthread_mutex_t mutex;
  /* 0 for no limit. */
  long long rows;
  double seconds;
  Running *running;
  /* The limit that the last call has reached, and the statement that reached it. */
  Reached reached;
  sqlite3_stmt *ended;
} Limits;

/* Whether any connection has limits: steps of a process without limits look for none. */
static atomic_bool has_limits;

int module_seterror(pysqlite_state *state, sqlite3 *db);

static Limits *limits_of(sqlite3 *db) {
  return atomic_load_explicit(&has_limits, memory_order_relaxed) ? sqlite3_get_clientdata(db, NAME)
                                                                 : NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void free_limits(void *data) {
  Limits *limits = data;
  while (limits->running) {
    Running *next = limits->running->next;
    free(limits->running);
    limits->running = next;
  }
  pthread_mutex_destroy(&limits->mutex);
  free(limits);
}

static Running *find(Limits *limits, sqlite3_stmt *statement) {
  Running *running = limits->running;
  while (running && running->statement != statement) running = running->next;
  return running;
}

static void forget(Limits *limits, sqlite3_stmt *statement) {
  Running **link = &limits->running;
  while (*link && (*link)->statement != statement) link = &(*link)->next;
  if (!*link) return;
  Running *ended = *link;
  *link = ended->next;
  free(ended);
}

/* Set the error of a limit. The message of the exception is made in Python. */
static int fail(sqlite3 *db, Reached reached) {
  sqlite3_set_errmsg(db, SQLITE_INTERRUPT, names[reached]);
  return SQLITE_INTERRUPT;
}

/* Whether the library has ended the instance, since one operation inside SQLite took too long. */
static bool is_lost(sqlite3 *db, int code) {
  return (code & 0xff) == SQLITE_ERROR && strstr(sqlite3_errmsg(db), "after its time was over");
}

/* The result of a step that was interrupted by its time: that of the next call, if the instance has ended. */
static int confirmed(sqlite3 *db, int code) {
  if ((code & 0xff) != SQLITE_INTERRUPT) return code;
  int next = sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL);
  return is_lost(db, next) ? next : code;
}

/* What a step with this result has reached. */
static Reached reached_by(const Limits *limits, const Running *running, int code, bool is_lost) {
  if (limits->rows && running->rows > limits->rows) return ROWS;
  bool is_late = limits->seconds > 0 && running->seconds >= limits->seconds;
  bool is_ended = code == SQLITE_ROW || (code & 0xff) == SQLITE_INTERRUPT || is_lost;
  return is_late && is_ended ? STATEMENT_TIME : NOTHING;
}

static int step(Limits *limits, sqlite3_stmt *statement) {
  pthread_mutex_lock(&limits->mutex);
  limits->reached = NOTHING;
  Running *running = find(limits, statement);
  if (!running && (running = calloc(1, sizeof(*running)))) {
    *running = (Running){.next = limits->running, .statement = statement};
    limits->running = running;
  }
  Running before = running ? *running : (Running){0};
  pthread_mutex_unlock(&limits->mutex);
  if (!running) return SQLITE_NOMEM;

  /* A function of the program may step other statements of this connection meanwhile. */
  double start = now();
  sqlite3 *db = sqlite3_db_handle(statement);
  int code = sqlite3_step(statement);
  double seconds = before.seconds + now() - start;
  if (limits->seconds > 0 && seconds >= limits->seconds) code = confirmed(db, code);
  bool lost = is_lost(db, code);
  Running after = {.rows = before.rows + (code == SQLITE_ROW), .seconds = seconds};

  pthread_mutex_lock(&limits->mutex);
  Reached reached = reached_by(limits, &after, code, lost);
  running = find(limits, statement);
  if (running) {
    running->rows = after.rows;
    running->seconds = after.seconds;
  }
  limits->reached = reached;
  limits->ended = reached ? statement : NULL;
  if (reached || code != SQLITE_ROW) forget(limits, statement);
  pthread_mutex_unlock(&limits->mutex);
  if (!reached || lost) return code;
  sqlite3_reset(statement);
  return fail(db, reached);
}

int sandbox_step(sqlite3_stmt *statement) {
  if (!atomic_load_explicit(&has_limits, memory_order_relaxed) || !statement)
    return sqlite3_step(statement);
  Limits *limits = limits_of(sqlite3_db_handle(statement));
  return limits ? step(limits, statement) : sqlite3_step(statement);
}

static void leave(sqlite3_stmt *statement) {
  Limits *limits = statement ? limits_of(sqlite3_db_handle(statement)) : NULL;
  if (!limits) return;
  pthread_mutex_lock(&limits->mutex);
  forget(limits, statement);
  pthread_mutex_unlock(&limits->mutex);
}

int sandbox_reset(sqlite3_stmt *statement) {
  leave(statement);
  return sqlite3_reset(statement);
}

/* A caller that has ignored the result of a step gets the error here, as from SQLite. */
int sandbox_finalize(sqlite3_stmt *statement) {
  sqlite3 *db = statement ? sqlite3_db_handle(statement) : NULL;
  Limits *limits = db ? limits_of(db) : NULL;
  if (!limits) return sqlite3_finalize(statement);
  pthread_mutex_lock(&limits->mutex);
  Reached reached = limits->ended == statement ? limits->reached : NOTHING;
  if (reached) limits->ended = NULL;
  forget(limits, statement);
  pthread_mutex_unlock(&limits->mutex);
  int code = sqlite3_finalize(statement);
  return reached && !code ? fail(db, reached) : code;
}

int sandbox_prepare_v2(sqlite3 *db, const char *sql, int count, sqlite3_stmt **statement,
                       const char **tail) {
  Limits *limits = limits_of(db);
  double start = limits ? now() : 0;
  int code = sqlite3_prepare_v2(db, sql, count, statement, tail);
  if (limits) {
    bool is_late = limits->seconds > 0 && now() - start >= limits->seconds;
    pthread_mutex_lock(&limits->mutex);
    limits->reached = is_late && (code & 0xff) == SQLITE_INTERRUPT ? STATEMENT_TIME : NOTHING;
    pthread_mutex_unlock(&limits->mutex);
  }
  return code;
}

/* The limit that the last failure has reached. SQLite in the sandbox has no other memory to run out
** of than that of the limit. */
static Reached last_reached(sqlite3 *db) {
  Limits *limits = limits_of(db);
  Reached reached = NOTHING;
  if (limits) {
    pthread_mutex_lock(&limits->mutex);
    reached = limits->reached;
    limits->reached = NOTHING;
    pthread_mutex_unlock(&limits->mutex);
  }
  return reached ? reached : sqlite3_errcode(db) == SQLITE_NOMEM ? MEMORY : NOTHING;
}

/* Replace the raised exception by the one for this limit. */
static void raise_reached(Reached reached) {
  PyObject *raised = PyErr_GetRaisedException();
  PyObject *make = sandbox_module_attribute("sqlite_sandbox.limits", "_reached");
  PyObject *error = make ? PyObject_CallFunction(make, "sO", names[reached], raised) : NULL;
  Py_XDECREF(make);
  if (error) {
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    Py_DECREF(raised);
  } else {
    PyErr_Clear();
    PyErr_SetRaisedException(raised);
  }
}

int sandbox_seterror(pysqlite_state *state, sqlite3 *db) {
  Reached reached = last_reached(db);
  int code = module_seterror(state, db);
  if (reached && PyErr_Occurred()) raise_reached(reached);
  return code;
}

/* _limit(connection, rows, seconds): 0 for no limit. */
static PyObject *limit(PyObject *module, PyObject *arguments) {
  PyObject *object;
  long long rows;
  double seconds;
  if (!PyArg_ParseTuple(arguments, "O!Ld:_limit", pysqlite_get_state(module)->ConnectionType,
                        &object, &rows, &seconds)) {
    return NULL;
  }
  sqlite3 *db = ((pysqlite_Connection *)object)->db;
  Limits *limits = db ? calloc(1, sizeof(*limits)) : NULL;
  if (!db) {
    PyErr_SetString(PyExc_ValueError, "the connection is closed");
    return NULL;
  }
  if (!limits) return PyErr_NoMemory();
  pthread_mutex_init(&limits->mutex, NULL);
  limits->rows = rows;
  limits->seconds = seconds;
  /* It frees the limits, also when it fails. */
  if (sqlite3_set_clientdata(db, NAME, limits, free_limits)) return PyErr_NoMemory();
  atomic_store(&has_limits, true);
  Py_RETURN_NONE;
}

PyMethodDef sandbox_functions[] = {
    {"_limit", limit, METH_VARARGS, NULL},
    {"_grant", grants_grant, METH_VARARGS, NULL},
    {"_enable_shared_cache", older_enable_shared_cache, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
