/* Registrations: their ids and descriptions. */

static struct {
  uint32_t functions, collations, modules;
  FuncDef **function;
  CollSeq **collation;
  /* Names, since a module is freed when another one replaces it. */
  char **module;
} registry;

static void *grown(void *list, uint32_t count) {
  list = sqlite3_realloc64(list, (count + 1) * (sqlite3_uint64)sizeof(void *));
  if (!list) abort();
  return list;
}

static uint32_t add_function(FuncDef *function) {
  registry.function = grown(registry.function, registry.functions);
  registry.function[registry.functions] = function;
  return registry.functions++;
}

uint32_t function_overload(void (*call)(sqlite3_context *, int, sqlite3_value **), void *user_data,
                           int arguments) {
  for (uint32_t i = 0; i < registry.functions; i++) {
    FuncDef *other = registry.function[i];
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

/* SQLITE_ANY registers a function in all three encodings; one of them is enough. */
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
  for (uint32_t i = 0; i < registry.functions; i++) {
    if (registry.function[i] == function) return;
  }
  if (function->xSFunc && !is_repeated(first, function)) add_function(function);
}

static void collect_collation(CollSeq *collation) {
  for (uint32_t i = 0; i < registry.collations; i++) {
    if (registry.collation[i] == collation) return;
  }
  if (!collation->xCmp) return;
  registry.collation = grown(registry.collation, registry.collations);
  registry.collation[registry.collations++] = collation;
}

static void collect_module(const Module *module) {
  for (uint32_t i = 0; i < registry.modules; i++) {
    if (sqlite3StrICmp(registry.module[i], module->zName) == 0) return;
  }
  char *name = sqlite3_mprintf("%s", module->zName);
  if (!name) abort();
  registry.module = grown(registry.module, registry.modules);
  registry.module[registry.modules++] = name;
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

FuncDef *function_at(uint32_t id) { return id < registry.functions ? registry.function[id] : 0; }

CollSeq *collation_at(uint32_t id) { return id < registry.collations ? registry.collation[id] : 0; }

const char *module_name(uint32_t id) { return id < registry.modules ? registry.module[id] : 0; }

Module *module_hold(uint32_t id) {
  Module *module = sqlite3HashFind(&connection->aModule, registry.module[id]);
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
  /* SQLite stores the opposite of SQLITE_INNOCUOUS. */
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

void function_describe(const FuncDef *function, sqlite_wasm_extension_types_function_t *described) {
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
