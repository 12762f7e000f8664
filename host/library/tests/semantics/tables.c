/* Virtual tables of the program, which print each call. */

#define MAX_ITEMS 16

/* Rows in memory, shared by all tables of the module. */
typedef struct {
  sqlite3_vtab base;
  sqlite3 *own;
} Items;

typedef struct {
  sqlite3_vtab_cursor base;
  int at, step;
  sqlite3_int64 least;
} ItemsCursor;

static struct {
  sqlite3_int64 id;
  char *text;
} items[MAX_ITEMS];
static int item_count;

static int items_connect(sqlite3 *own, void *data, int count, const char *const *arguments,
                         sqlite3_vtab **made, char **message) {
  printf("connect %s:", (char *)data);
  for (int i = 0; i < count; i++) printf(" %s", arguments[i]);
  printf("\n");
  if (count > 3 && strcmp(arguments[3], "fails") == 0) {
    *message = sqlite3_mprintf("it fails");
    return SQLITE_CONSTRAINT;
  }
  if (count > 3 && strcmp(arguments[3], "undeclared") == 0) {
    *made = sqlite3_malloc(sizeof(Items));
    return SQLITE_OK;
  }
  error("bad", sqlite3_declare_vtab(own, "nonsense"));
  int code =
      sqlite3_declare_vtab(own,
                           "CREATE TABLE x(id INTEGER PRIMARY KEY, text TEXT COLLATE nocase, "
                           "hidden HIDDEN, number DECIMAL(5, 2), CHECK(id > 0), UNIQUE(text, id))");
  printf("config %d %d\n", sqlite3_vtab_config(own, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1),
         sqlite3_vtab_config(own, 77));
  *made = sqlite3_malloc(sizeof(Items));
  ((Items *)*made)->own = own;
  return code;
}

static int items_create(sqlite3 *own, void *data, int count, const char *const *arguments,
                        sqlite3_vtab **made, char **message) {
  printf("create\n");
  return items_connect(own, data, count, arguments, made, message);
}

static int items_disconnect(sqlite3_vtab *table) {
  return printf("disconnect\n"), sqlite3_free(table), SQLITE_OK;
}

static int items_destroy(sqlite3_vtab *table) {
  static int tries;
  printf("destroy\n");
  if (tries++ == 0) {
    table->zErrMsg = sqlite3_mprintf("not the first time");
    return SQLITE_LOCKED;
  }
  sqlite3_free(table);
  return SQLITE_OK;
}

static int items_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  printf("plan: used %llx, distinct %d, cost %g, rows %lld\n", (unsigned long long)info->colUsed,
         sqlite3_vtab_distinct(info), info->estimatedCost, info->estimatedRows);
  int arguments = 0;
  info->idxNum = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    sqlite3_value *right = NULL;
    int code = sqlite3_vtab_rhs_value(info, i, &right);
    printf(" column %d, op %d, usable %d, %s, in %d, right %d", info->aConstraint[i].iColumn,
           info->aConstraint[i].op, info->aConstraint[i].usable, sqlite3_vtab_collation(info, i),
           sqlite3_vtab_in(info, i, -1), code);
    if (right) print_value(right);
    printf("\n");
    if (!info->aConstraint[i].usable) continue;
    if (info->aConstraint[i].iColumn == 0 &&
        info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
      if (sqlite3_vtab_in(info, i, 1)) info->idxNum |= 2;
      info->aConstraintUsage[i].argvIndex = ++arguments;
      info->idxNum |= 1;
      info->estimatedCost = 1;
      info->estimatedRows = 1;
    } else if (info->aConstraint[i].op >= SQLITE_INDEX_CONSTRAINT_FUNCTION) {
      info->aConstraintUsage[i].argvIndex = ++arguments;
      info->aConstraintUsage[i].omit = 1;
      info->idxNum |= 4;
    }
  }
  printf(" collation %p, in %d\n", (void *)sqlite3_vtab_collation(info, 99),
         sqlite3_vtab_in(info, 99, 1));
  for (int i = 0; i < info->nOrderBy; i++) {
    printf(" order %d %d\n", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc);
    if (info->aOrderBy[i].iColumn == 0 && info->aOrderBy[i].desc && info->nOrderBy == 1) {
      info->orderByConsumed = 1;
      info->idxStr = "backwards";
    }
  }
  if (!info->idxStr && info->idxNum) {
    info->idxStr = sqlite3_mprintf("plan %d", info->idxNum);
    info->needToFreeIdxStr = 1;
  }
  return SQLITE_OK;
}

static int items_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  printf("open\n");
  *cursor = sqlite3_malloc(sizeof(ItemsCursor));
  memset(*cursor, 0, sizeof(ItemsCursor));
  return SQLITE_OK;
}

static int items_close(sqlite3_vtab_cursor *cursor) {
  return printf("close\n"), sqlite3_free(cursor), SQLITE_OK;
}

static int is_wanted(ItemsCursor *cursor) { return items[cursor->at].id >= cursor->least; }

static int items_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                        sqlite3_value **values) {
  ItemsCursor *cursor = (ItemsCursor *)base;
  sqlite3_value *item;
  printf("filter %d %s:", number, text ? text : "none");
  for (int i = 0; i < count; i++) {
    print_value(values[i]);
    int code = sqlite3_vtab_in_first(values[i], &item);
    for (; code == SQLITE_OK; code = sqlite3_vtab_in_next(values[i], &item)) print_value(item);
    printf(" (%d)", code);
  }
  printf("\n");
  cursor->step = text && strcmp(text, "backwards") == 0 ? -1 : 1;
  cursor->at = cursor->step < 0 ? item_count - 1 : 0;
  cursor->least = number == 1 ? sqlite3_value_int64(values[0]) : 0;
  while (cursor->at < item_count && cursor->at >= 0 && !is_wanted(cursor)) cursor->at++;
  if (number == 1 && cursor->least == -7) {
    base->pVtab->zErrMsg = sqlite3_mprintf("no minus seven");
    return SQLITE_RANGE;
  }
  return SQLITE_OK;
}

static int items_next(sqlite3_vtab_cursor *base) {
  ItemsCursor *cursor = (ItemsCursor *)base;
  printf("next\n");
  cursor->at += cursor->step;
  return SQLITE_OK;
}

static int items_eof(sqlite3_vtab_cursor *base) {
  int at = ((ItemsCursor *)base)->at;
  return at < 0 || at >= item_count;
}

static int items_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  int at = ((ItemsCursor *)base)->at;
  printf("column %d, nochange %d\n", column, sqlite3_vtab_nochange(context));
  if (sqlite3_vtab_nochange(context) && column == 2) return SQLITE_OK;
  if (column == 0) sqlite3_result_int64(context, items[at].id);
  else if (column == 1) sqlite3_result_text(context, items[at].text, -1, SQLITE_TRANSIENT);
  else if (column == 2) sqlite3_result_pointer(context, items[at].text, "item", NULL);
  else if (strcmp(items[at].text, "bad") == 0) sqlite3_result_error(context, "a bad item", -1);
  else if (strcmp(items[at].text, "worse") == 0) return SQLITE_IOERR;
  else sqlite3_result_double(context, items[at].id / 4.0);
  return SQLITE_OK;
}

static int items_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id) {
  *id = items[((ItemsCursor *)base)->at].id;
  return printf("row id\n"), SQLITE_OK;
}

static int items_update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *id) {
  printf("update, on conflict %d:", sqlite3_vtab_on_conflict(((Items *)table)->own));
  for (int i = 0; i < count; i++) {
    if (sqlite3_value_nochange(values[i])) printf(" unchanged");
    else print_value(values[i]);
  }
  printf("\n");
  sqlite3_int64 old = sqlite3_value_int64(values[0]);
  int at = 0;
  while (at < item_count && (items[at].id != old || sqlite3_value_type(values[0]) == SQLITE_NULL))
    at++;
  if (count == 1) {
    free(items[at].text);
    items[at] = items[--item_count];
    return SQLITE_OK;
  }
  if (sqlite3_value_type(values[3]) == SQLITE_NULL || at == MAX_ITEMS) {
    table->zErrMsg = sqlite3_mprintf("an item needs a text");
    return SQLITE_CONSTRAINT;
  }
  if (at == item_count) {
    items[item_count++].text = NULL;
    *id = sqlite3_value_type(values[2]) == SQLITE_NULL ? 100 + at : sqlite3_value_int64(values[2]);
    items[at].id = *id;
  }
  free(items[at].text);
  items[at].text = strdup((const char *)sqlite3_value_text(values[3]));
  return SQLITE_OK;
}

#define STEP(name) \
  static int items_##name(sqlite3_vtab *table) { return printf(#name "\n"), SQLITE_OK; }
#define NUMBERED(name) \
  static int items_##name(sqlite3_vtab *table, int number) { \
    return printf(#name " %d\n", number), SQLITE_OK; \
  }
STEP(begin)
STEP(commit)
STEP(rollback)
NUMBERED(savepoint)
NUMBERED(release)
NUMBERED(rollback_to)

static int items_sync(sqlite3_vtab *table) {
  printf("sync\n");
  if (item_count < MAX_ITEMS / 2) return SQLITE_OK;
  table->zErrMsg = sqlite3_mprintf("too many items");
  return SQLITE_FULL;
}

static void is_like(sqlite3_context *context, int count, sqlite3_value **values) {
  printf("overloaded %s:", (char *)sqlite3_user_data(context));
  for (int i = 0; i < count; i++) print_value(values[i]);
  const char *pointer = sqlite3_value_pointer(values[0], "item");
  printf(" %s\n", pointer ? pointer : "none");
  sqlite3_result_int(context, count);
}

static int items_find(sqlite3_vtab *table, int count, const char *name,
                      void (**function)(sqlite3_context *, int, sqlite3_value **), void **data) {
  printf("find %s %d\n", name, count);
  *function = is_like;
  *data = "as it is";
  return strcmp(name, "match") == 0 ? SQLITE_INDEX_CONSTRAINT_FUNCTION
                                    : strcmp(name, "items_only") == 0;
}

static int items_rename(sqlite3_vtab *table, const char *name) {
  return printf("rename %s\n", name), SQLITE_OK;
}
static int items_shadow(const char *ending) { return strcmp(ending, "data") == 0; }
static int items_integrity(sqlite3_vtab *table, const char *schema, const char *name, int flags,
                           char **wrong) {
  *wrong = item_count ? sqlite3_mprintf("%s.%s has items (%d)", schema, name, flags) : NULL;
  return SQLITE_OK;
}

static sqlite3_module items_module = {4,
                                      items_create,
                                      items_connect,
                                      items_best_index,
                                      items_disconnect,
                                      items_destroy,
                                      items_open,
                                      items_close,
                                      items_filter,
                                      items_next,
                                      items_eof,
                                      items_column,
                                      items_row_id,
                                      items_update,
                                      items_begin,
                                      items_sync,
                                      items_commit,
                                      items_rollback,
                                      items_find,
                                      items_rename,
                                      items_savepoint,
                                      items_release,
                                      items_rollback_to,
                                      items_shadow,
                                      items_integrity};
