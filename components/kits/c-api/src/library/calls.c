/* Calls of functions, and their auxiliary data. */

/* Data that a function attached to an argument (`sqlite3_set_auxdata`). SQLite
** keeps it for the statement's run, while the argument is constant. The
** extension cannot know which arguments are constant, so the data stays as long
** as the argument has the same value. */
typedef struct Auxiliary Auxiliary;
struct Auxiliary {
  Auxiliary *next;
  FuncDef *function;
  int index;
  sqlite3_value *argument; /* null where the index is not an argument's */
  void *data;
  void (*destroy)(void *);
};

static Auxiliary *all_auxiliary;

/* The call in progress. */
static struct {
  FuncDef *function;
  int count;
  sqlite3_value **arguments;
} current;

static void auxiliary_free(Auxiliary **link) {
  Auxiliary *auxiliary = *link;
  *link = auxiliary->next;
  if (auxiliary->destroy) auxiliary->destroy(auxiliary->data);
  sqlite3ValueFree(auxiliary->argument);
  sqlite3_free(auxiliary);
}

static void auxiliary_free_all(void) {
  while (all_auxiliary) auxiliary_free(&all_auxiliary);
}

static Auxiliary **find_auxiliary(FuncDef *function, int index) {
  Auxiliary **link = &all_auxiliary;
  while (*link && ((*link)->function != function || (*link)->index != index)) {
    link = &(*link)->next;
  }
  return link;
}

static bool is_argument(int index) { return index >= 0 && index < current.count; }

static bool same_value(sqlite3_value *a, sqlite3_value *b) {
  int type = sqlite3_value_type(a);
  if (type != sqlite3_value_type(b) || a->enc != b->enc) return false;
  switch (type) {
    case SQLITE_INTEGER: return a->u.i == b->u.i;
    case SQLITE_FLOAT: return a->u.r == b->u.r;
    /* The memory behind a pointer may have changed, and a copy of it is NULL. */
    case SQLITE_NULL: return cell_subtype((Cell *)b) != POINTER_SUBTYPE;
  }
  return a->n == b->n && (a->n == 0 || memcmp(a->z, b->z, a->n) == 0);
}

void *sqlite3_get_auxdata(sqlite3_context *context, int index) {
  Auxiliary **link = find_auxiliary(context->pFunc, index);
  if (!*link) return 0;
  if ((*link)->argument &&
      !(is_argument(index) && same_value((*link)->argument, current.arguments[index]))) {
    auxiliary_free(link);
    return 0;
  }
  return (*link)->data;
}

void sqlite3_set_auxdata(sqlite3_context *context, int index, void *data, void (*given)(void *)) {
  destructor *destroy = destructor_of(given);
  Auxiliary **old = find_auxiliary(context->pFunc, index);
  if (*old) auxiliary_free(old);
  Auxiliary *auxiliary = sqlite3MallocZero(sizeof(Auxiliary));
  /* An open file must be closed at the end of the call, to write its buffer. */
  bool outlives_call = is_argument(index) && !destructor_closes_file(destroy);
  sqlite3_value *argument = outlives_call ? sqlite3_value_dup(current.arguments[index]) : 0;
  if (!auxiliary || (outlives_call && !argument)) {
    if (destroy) destroy(data);
    sqlite3_free(auxiliary);
    return;
  }
  *auxiliary = (Auxiliary){all_auxiliary, context->pFunc, index, argument, data, destroy};
  all_auxiliary = auxiliary;
}

/* Data without an argument ends with the call. */
static void end_call(void) {
  for (Auxiliary **link = &all_auxiliary; *link;) {
    if ((*link)->argument) {
      link = &(*link)->next;
    } else {
      auxiliary_free(link);
    }
  }
}

/* A context with room for arguments, which only SQLite's own code reads. */
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
  if (all_auxiliary) end_call();
  current = outer;
  return context->isError;
}

int aggregate_step(FuncDef *function, Cell *aggregate, bool inverse, int count,
                   sqlite3_value **arguments, Cell *result) {
  Context room;
  sqlite3_context *context = begin(&room, function, result);
  context->pMem = MEM_OF(aggregate);
  /* For `sqlite3_aggregate_count`; SQLite also counts rows that leave a window. */
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
