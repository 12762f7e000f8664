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

