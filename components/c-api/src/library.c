/* SQLite's own code, as far as extensions need it, and what has to know its
** structures.
**
** Values, results, printf formats, memory and registration are SQLite's, so
** they are exact. What would need a database is left out: `routines.h`, which
** the build makes from ROUTINES.md, renames it, and the linker drops what
** nothing refers to. */

#define SQLITE_CORE 1
#define SQLITE_OS_OTHER 1
#define SQLITE_THREADSAFE 0
#define SQLITE_DEFAULT_MEMSTATUS 0
#define SQLITE_OMIT_AUTOINIT 1
#define SQLITE_OMIT_LOAD_EXTENSION 1

#include "replaced.h"
#include "sqlite3.c"
#include "restored.h"

#include "destructors.h"
#include "internals.h"
#include "pointers.h"

_Static_assert(sizeof(Cell) == sizeof(Mem), "Cell has the room of Mem");

#define MEM_OF(cell) ((Mem *)(cell))

/* The shell's limits, which `sqlite3_limit` tells. */
static sqlite3 *connection;

sqlite3 *connection_handle(void) {
  if (connection) return connection;
  sqlite3MallocInit();
  connection = sqlite3MallocZero(sizeof(sqlite3));
  if (!connection) abort();
  connection->errMask = 0xff;
  connection->errByteOffset = -1;
  connection->eOpenState = SQLITE_STATE_OPEN;
  connection->aDb = connection->aDbStatic;
  connection->lookaside.bDisable = 1;
  connection->enc = SQLITE_UTF8;
  connection->nFpDigit = 17;
  connection->autoCommit = 1;
  memcpy(connection->aLimit, aHardLimit, sizeof(connection->aLimit));
  sqlite3HashInit(&connection->aFunc);
  sqlite3HashInit(&connection->aCollSeq);
  sqlite3HashInit(&connection->aModule);
  return connection;
}

void connection_begin_call(void) {
  connection->nVdbeActive = 1;
  if (connection->mallocFailed) sqlite3OomClear(connection);
}

void connection_set_idle(void) { connection->nVdbeActive = 0; }

/* Values. */

void cell_set_null(Cell *cell) {
  memset(cell, 0, sizeof(*cell));
  MEM_OF(cell)->flags = MEM_Null;
  MEM_OF(cell)->db = connection;
}

void cell_set(Cell *cell, const wit_value *value, int encoding) {
  Mem *mem = MEM_OF(cell);
  cell_set_null(cell);
  switch (value->tag) {
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER:
      mem->u.i = value->val.integer;
      mem->flags = MEM_Int;
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL:
      if (sqlite3IsNaN(value->val.real)) break;
      mem->u.r = value->val.real;
      mem->flags = MEM_Real;
      break;
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT:
    case SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB:
      /* Not static: a copy of it must own its bytes. `cabi_realloc` puts a NUL
      ** behind all bytes but none. */
      mem->n = value->val.blob.len;
      mem->z = mem->n ? (char *)value->val.blob.ptr : (char *)"\0\0\0";
      mem->flags = MEM_Ephem | MEM_Term;
      mem->flags |= value->tag == SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT ? MEM_Str : MEM_Blob;
      mem->enc = encoding;
      break;
  }
}

void cell_set_subtype(Cell *cell, uint8_t subtype) {
  if (!subtype) return;
  MEM_OF(cell)->eSubtype = subtype;
  MEM_OF(cell)->flags |= MEM_Subtype;
}

void cell_set_unchanged(Cell *cell) {
  cell_set_null(cell);
  MEM_OF(cell)->flags = MEM_Null | MEM_Zero;
}

/* A value that only this component knows travels inside as a pointer. */
void cell_set_pointer(Cell *cell, void *pointer, const char *type) {
  cell_set_null(cell);
  sqlite3VdbeMemSetPointer(MEM_OF(cell), pointer, type, 0);
}

bool cell_take_pointer(Cell *cell, Pointer *taken) {
  Mem *mem = MEM_OF(cell);
  const int pointer = MEM_Null | MEM_Term | MEM_Subtype;
  if ((mem->flags & (MEM_TypeMask | MEM_Term | MEM_Subtype)) != pointer || mem->eSubtype != 'p') {
    return false;
  }
  *taken = (Pointer){mem->z, mem->u.zPType, 0};
  if (mem->flags & MEM_Dyn && mem->xDel != sqlite3NoopDestructor) {
    taken->destroy = destructor_of(mem->xDel);
  }
  cell_set_null(cell);
  return true;
}

void cell_clear(Cell *cell) { sqlite3VdbeMemRelease(MEM_OF(cell)); }

void cell_get(Cell *cell, int encoding, wit_value *value) {
  Mem *mem = MEM_OF(cell);
  value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL;
  if (mem->flags & MEM_Str) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT;
    sqlite3VdbeChangeEncoding(mem, encoding);
  } else if (mem->flags & (MEM_Int | MEM_IntReal)) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER;
    value->val.integer = mem->u.i;
    if (mem->flags & MEM_Int) return;
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL;
    value->val.real = (double)mem->u.i;
    return;
  } else if (mem->flags & MEM_Real) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL;
    value->val.real = mem->u.r;
    return;
  } else if (mem->flags & MEM_Blob) {
    value->tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB;
    ExpandBlob(mem);
  }
  value->val.blob.ptr = (uint8_t *)mem->z;
  value->val.blob.len = mem->n;
}

uint8_t cell_subtype(const Cell *cell) {
  const Mem *mem = (const Mem *)cell;
  return mem->flags & MEM_Subtype ? mem->eSubtype : 0;
}

/* Calls. */

/* Data that functions keep with their arguments. SQLite keeps it while a
** statement runs and the argument is constant; which that is we cannot know,
** so it holds as long as the argument has the same value. */
typedef struct Kept Kept;
struct Kept {
  Kept *next;
  FuncDef *function;
  int place;
  sqlite3_value *argument; /* null for a place that is no argument */
  void *data;
  void (*forget)(void *);
};

static Kept *all_kept;

/* The call that runs. */
static struct {
  FuncDef *function;
  int count;
  sqlite3_value **arguments;
} current;

static void forget(Kept **place) {
  Kept *kept = *place;
  *place = kept->next;
  if (kept->forget) kept->forget(kept->data);
  sqlite3ValueFree(kept->argument);
  sqlite3_free(kept);
}

static Kept **find_kept(FuncDef *function, int place) {
  Kept **kept = &all_kept;
  while (*kept && ((*kept)->function != function || (*kept)->place != place)) {
    kept = &(*kept)->next;
  }
  return kept;
}

static bool is_argument(int place) { return place >= 0 && place < current.count; }

static bool same_value(sqlite3_value *a, sqlite3_value *b) {
  int class = sqlite3_value_type(a);
  if (class != sqlite3_value_type(b) || a->enc != b->enc) return false;
  switch (class) {
    case SQLITE_INTEGER: return a->u.i == b->u.i;
    case SQLITE_FLOAT: return a->u.r == b->u.r;
    /* What a pointer leads to may have changed, and a copy of it is NULL. */
    case SQLITE_NULL: return cell_subtype((Cell *)b) != POINTER_SUBTYPE;
  }
  return a->n == b->n && (a->n == 0 || memcmp(a->z, b->z, a->n) == 0);
}

void *sqlite3_get_auxdata(sqlite3_context *context, int place) {
  Kept **kept = find_kept(context->pFunc, place);
  if (!*kept) return 0;
  if ((*kept)->argument &&
      !(is_argument(place) && same_value((*kept)->argument, current.arguments[place]))) {
    forget(kept);
    return 0;
  }
  return (*kept)->data;
}

void sqlite3_set_auxdata(sqlite3_context *context, int place, void *data,
                         void (*given)(void *)) {
  destructor *forget_data = destructor_of(given);
  Kept **old = find_kept(context->pFunc, place);
  if (*old) forget(old);
  Kept *kept = sqlite3MallocZero(sizeof(Kept));
  /* A file does not wait to be closed until the argument changes. */
  bool stays = is_argument(place) && !destructor_closes_file(forget_data);
  sqlite3_value *argument = stays ? sqlite3_value_dup(current.arguments[place]) : 0;
  if (!kept || (stays && !argument)) {
    if (forget_data) forget_data(data);
    sqlite3_free(kept);
    return;
  }
  *kept = (Kept){all_kept, context->pFunc, place, argument, data, forget_data};
  all_kept = kept;
}

/* What is kept with no argument ends with the call. */
static void end_call(void) {
  for (Kept **kept = &all_kept; *kept;) {
    if ((*kept)->argument) {
      kept = &(*kept)->next;
    } else {
      forget(kept);
    }
  }
}

/* A context has room for arguments, which only SQLite's own code reads. */
typedef union {
  sqlite3_context context;
  char room[SZ_CONTEXT(1)];
} Context;

static sqlite3_context *begin(Context *room, FuncDef *function, Cell *result) {
  memset(room, 0, sizeof(*room));
  cell_set_null(result);
  room->context.pOut = MEM_OF(result);
  room->context.pFunc = function;
  room->context.enc = function->funcFlags & SQLITE_FUNC_ENCMASK;
  return &room->context;
}

int function_call(FuncDef *function, int count, sqlite3_value **arguments, Cell *result) {
  Context room;
  sqlite3_context *context = begin(&room, function, result);
  __typeof__(current) outer = current;
  current.function = function;
  current.count = count;
  current.arguments = arguments;
  function->xSFunc(context, count, arguments);
  if (all_kept) end_call();
  current = outer;
  return context->isError;
}

int aggregate_step(FuncDef *function, Cell *aggregate, bool inverse, int count,
                sqlite3_value **arguments, Cell *result) {
  Context room;
  sqlite3_context *context = begin(&room, function, result);
  context->pMem = MEM_OF(aggregate);
  /* What `sqlite3_aggregate_count` tells; SQLite counts what leaves a window, too. */
  context->pMem->n++;
  (inverse ? function->xInverse : function->xSFunc)(context, count, arguments);
  return context->isError;
}

int aggregate_value(FuncDef *function, Cell *aggregate, Cell *result) {
  cell_set_null(result);
  return sqlite3VdbeMemAggValue(MEM_OF(aggregate), MEM_OF(result), function);
}

int aggregate_finish(FuncDef *function, Cell *aggregate) {
  return sqlite3VdbeMemFinalize(MEM_OF(aggregate), function);
}

int cursor_column(sqlite3_vtab_cursor *cursor, int column, Cell *result) {
  static FuncDef no_function;
  Context room;
  no_function.funcFlags = SQLITE_RESULT_SUBTYPE | SQLITE_UTF8;
  sqlite3_context *context = begin(&room, &no_function, result);
  int code = cursor->pVtab->pModule->xColumn(cursor, context, column);
  return context->isError > 0 ? context->isError : code;
}

/* Registrations. */

static struct {
  uint32_t functions, collations, modules;
  FuncDef **function;
  CollSeq **collation;
  /* By their names: a module is freed when another one takes its place. */
  char **module;
} known;

static void *grown(void *list, uint32_t count) {
  list = sqlite3_realloc64(list, (count + 1) * (sqlite3_uint64)sizeof(void *));
  if (!list) abort();
  return list;
}

static uint32_t add_function(FuncDef *function) {
  known.function = grown(known.function, known.functions);
  known.function[known.functions] = function;
  return known.functions++;
}

uint32_t function_overload(void (*call)(sqlite3_context *, int, sqlite3_value **), void *user_data,
                         int arguments) {
  for (uint32_t i = 0; i < known.functions; i++) {
    FuncDef *other = known.function[i];
    if (other->xSFunc == call && other->pUserData == user_data && !*other->zName) return i;
  }
  FuncDef *function = sqlite3MallocZero(sizeof(FuncDef));
  if (!function) abort();
  function->nArg = arguments;
  function->funcFlags = SQLITE_UTF8;
  function->xSFunc = call;
  function->pUserData = user_data;
  function->zName = "";
  return add_function(function);
}

/* SQLITE_ANY registers a function in all three encodings; one is enough. */
static bool is_repeated(FuncDef *first, FuncDef *function) {
  for (FuncDef *other = first; other; other = other->pNext) {
    if (other != function && other->nArg == function->nArg && other->xSFunc == function->xSFunc &&
        other->pUserData == function->pUserData &&
        (other->funcFlags & SQLITE_FUNC_ENCMASK) < (function->funcFlags & SQLITE_FUNC_ENCMASK)) {
      return true;
    }
  }
  return false;
}

static void collect_function(FuncDef *first, FuncDef *function) {
  for (uint32_t i = 0; i < known.functions; i++) {
    if (known.function[i] == function) return;
  }
  if (function->xSFunc && !is_repeated(first, function)) add_function(function);
}

static void collect_collation(CollSeq *collation) {
  for (uint32_t i = 0; i < known.collations; i++) {
    if (known.collation[i] == collation) return;
  }
  if (!collation->xCmp) return;
  known.collation = grown(known.collation, known.collations);
  known.collation[known.collations++] = collation;
}

static void collect_module(const Module *module) {
  for (uint32_t i = 0; i < known.modules; i++) {
    if (sqlite3StrICmp(known.module[i], module->zName) == 0) return;
  }
  char *name = sqlite3_mprintf("%s", module->zName);
  if (!name) abort();
  known.module = grown(known.module, known.modules);
  known.module[known.modules++] = name;
}

void registry_update(void) {
  HashElem *element;
  for (element = sqliteHashFirst(&connection->aFunc); element; element = sqliteHashNext(element)) {
    FuncDef *first = sqliteHashData(element);
    for (FuncDef *function = first; function; function = function->pNext) {
      collect_function(first, function);
    }
  }
  for (element = sqliteHashFirst(&connection->aCollSeq); element;
       element = sqliteHashNext(element)) {
    CollSeq *collations = sqliteHashData(element);
    for (int i = 0; i < 3; i++) collect_collation(&collations[i]);
  }
  for (element = sqliteHashFirst(&connection->aModule); element;
       element = sqliteHashNext(element)) {
    collect_module(sqliteHashData(element));
  }
}

FuncDef *function_at(uint32_t number) {
  return number < known.functions ? known.function[number] : 0;
}

CollSeq *collation_at(uint32_t number) {
  return number < known.collations ? known.collation[number] : 0;
}

const char *module_name(uint32_t number) {
  return number < known.modules ? known.module[number] : 0;
}

Module *module_hold(uint32_t number) {
  Module *module = sqlite3HashFind(&connection->aModule, known.module[number]);
  if (module) module->nRefModule++;
  return module;
}

void module_release(Module *module) { sqlite3VtabModuleUnref(connection, module); }

int function_encoding(const FuncDef *function) { return function->funcFlags & SQLITE_FUNC_ENCMASK; }

bool function_is_overload(const FuncDef *function) { return !*function->zName; }

bool function_is_removed(const FuncDef *function) { return !function->xSFunc; }

/* SQLITE_UTF8, _UTF16LE and _UTF16BE count from 1, the contract from 0. */
static uint8_t encoding_of(int code) { return (code & SQLITE_FUNC_ENCMASK) - 1; }

static uint8_t risk_of(uint32_t flags) {
  if (flags & SQLITE_FUNC_DIRECT) return SQLITE_WASM_EXTENSION_TYPES_RISK_DIRECT_ONLY;
  /* SQLite keeps the opposite of SQLITE_INNOCUOUS. */
  if (flags & SQLITE_FUNC_UNSAFE) return SQLITE_WASM_EXTENSION_TYPES_RISK_ORDINARY;
  return SQLITE_WASM_EXTENSION_TYPES_RISK_INNOCUOUS;
}

static uint8_t flags_of(uint32_t flags) {
  uint8_t promised = 0;
  if (flags & SQLITE_DETERMINISTIC) {
    promised |= SQLITE_WASM_EXTENSION_TYPES_FUNCTION_FLAGS_DETERMINISTIC;
  }
  if (flags & SQLITE_SUBTYPE) {
    promised |= SQLITE_WASM_EXTENSION_TYPES_FUNCTION_FLAGS_ARGUMENT_SUBTYPES;
  }
  if (flags & SQLITE_RESULT_SUBTYPE) {
    promised |= SQLITE_WASM_EXTENSION_TYPES_FUNCTION_FLAGS_RESULT_SUBTYPE;
  }
  return promised;
}

void function_describe(const FuncDef *function,
                              sqlite_wasm_extension_types_function_t *described) {
  full_extension_string_set(&described->name, function->zName);
  described->arguments = function->nArg;
  described->kind = SQLITE_WASM_EXTENSION_TYPES_FUNCTION_KIND_SCALAR;
  if (function->xFinalize) described->kind = SQLITE_WASM_EXTENSION_TYPES_FUNCTION_KIND_AGGREGATE;
  if (function->xValue) described->kind = SQLITE_WASM_EXTENSION_TYPES_FUNCTION_KIND_WINDOW;
  described->encoding = encoding_of(function->funcFlags);
  described->flags = flags_of(function->funcFlags);
  described->risk = risk_of(function->funcFlags);
}

void collation_describe(const CollSeq *collation,
                               sqlite_wasm_extension_types_collation_t *described) {
  full_extension_string_set(&described->name, collation->zName);
  described->encoding = encoding_of(collation->enc);
}

int collation_compare(const CollSeq *collation, const wit_bytes *left, const wit_bytes *right) {
  return collation->xCmp(collation->pUser, left->len, left->ptr, right->len, right->ptr);
}

const sqlite3_module *module_methods(const Module *module) { return module->pModule; }

void *module_data(const Module *module) { return module->pAux; }

/* The end of the connection: what was registered is given back, in SQLite's order. */

static void forget_collations(void) {
  for (HashElem *element = sqliteHashFirst(&connection->aCollSeq); element;
       element = sqliteHashNext(element)) {
    CollSeq *collations = sqliteHashData(element);
    for (int i = 0; i < 3; i++) {
      if (collations[i].xDel) collations[i].xDel(collations[i].pUser);
      collations[i].xDel = 0;
    }
  }
}

static void forget_functions(void) {
  for (HashElem *element = sqliteHashFirst(&connection->aFunc); element;
       element = sqliteHashNext(element)) {
    FuncDef *function = sqliteHashData(element);
    for (; function; function = function->pNext) {
      functionDestroy(connection, function);
      function->u.pDestructor = 0;
    }
  }
}

void connection_close(void) {
  pointers_close();
  while (all_kept) forget(&all_kept);
  while (connection->pDbData) {
    replaced_sqlite3_set_clientdata(connection, connection->pDbData->zName, 0, 0);
  }
  forget_functions();
  forget_collations();
  replaced_sqlite3_drop_modules(connection, 0);
}

/* Errors. */

int connection_fail(int code, const char *message, size_t length) {
  if (length) {
    sqlite3ErrorWithMsg(connection, code, "%.*s", (int)length, message);
  } else {
    sqlite3Error(connection, code);
  }
  return code & connection->errMask;
}

int connection_succeed(void) {
  if (connection->errCode) sqlite3Error(connection, SQLITE_OK);
  return SQLITE_OK;
}
