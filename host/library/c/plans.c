/* xBestIndex, and the functions that it may call. */

/* SQLite's structure for xBestIndex comes first; the program receives its address. */
typedef struct {
  sqlite3_index_info info;
  Connection *connection;
  /* The address in the sandbox. */
  uint32_t address;
  /* The right sides of constraints that the program requested. */
  sqlite3_value **right;
} Planning;

/* The sizes of these items in a request. */
enum { CONSTRAINT_BYTES = 6, ORDER_BYTES = 5 };

static double in_real(In *in) {
  uint64_t bits = in_u64(in);
  double real;
  memcpy(&real, &bits, 8);
  return real;
}

static bool is_column(const Entry *table, int column) {
  return column >= -1 && column < (int)table->table.columns;
}

static bool read_constraints(Planning *planning, const Entry *table, In *in) {
  uint32_t count = in_u32(in);
  if (count > in_left(in) / CONSTRAINT_BYTES) return false;
  struct sqlite3_index_constraint *terms = sqlite3MallocZero((count + 1) * sizeof(*terms));
  planning->info.aConstraint = terms;
  planning->info.aConstraintUsage =
      sqlite3MallocZero((count + 1) * sizeof(struct sqlite3_index_constraint_usage));
  planning->right = sqlite3MallocZero((count + 1) * sizeof(sqlite3_value *));
  if (!terms || !planning->info.aConstraintUsage || !planning->right) return false;
  planning->info.nConstraint = (int)count;
  for (uint32_t i = 0; i < count; i++) {
    terms[i].iColumn = (int)in_u32(in);
    terms[i].op = in_u8(in);
    terms[i].usable = in_u8(in);
    terms[i].iTermOffset = (int)i;
    if (!is_column(table, terms[i].iColumn)) return false;
  }
  return true;
}

static bool read_order(Planning *planning, const Entry *table, In *in) {
  uint32_t count = in_u32(in);
  if (count > in_left(in) / ORDER_BYTES) return false;
  struct sqlite3_index_orderby *terms = sqlite3MallocZero((count + 1) * sizeof(*terms));
  planning->info.aOrderBy = terms;
  if (!terms) return false;
  planning->info.nOrderBy = (int)count;
  for (uint32_t i = 0; i < count; i++) {
    terms[i].iColumn = (int)in_u32(in);
    terms[i].desc = in_u8(in);
    if (!is_column(table, terms[i].iColumn)) return false;
  }
  return true;
}

static bool planning_read(Planning *planning, Connection *connection, const Entry *table, In *in) {
  memset(planning, 0, sizeof(*planning));
  planning->connection = connection;
  planning->address = in_u32(in);
  planning->info.colUsed = in_u64(in);
  planning->info.estimatedCost = in_real(in);
  planning->info.estimatedRows = (sqlite3_int64)in_u64(in);
  return read_constraints(planning, table, in) && read_order(planning, table, in) && !in->is_bad;
}

static void planning_free(Planning *planning) {
  for (int i = 0; i < planning->info.nConstraint; i++) sqlite3_value_free(planning->right[i]);
  sqlite3_free(planning->right);
  sqlite3_free((void *)planning->info.aConstraint);
  sqlite3_free(planning->info.aConstraintUsage);
  sqlite3_free((void *)planning->info.aOrderBy);
  if (planning->info.needToFreeIdxStr) sqlite3_free(planning->info.idxStr);
}

/* The seal of a plan: the program relies on what its xBestIndex returned, so xFilter only runs with
** such a plan. */
static bool seal_of(Sandbox *sandbox, const Entry *table, int number, const char *text,
                    uint32_t arguments, uint64_t *seal) {
  Out out = {0};
  out_u64(&out, table->table.serial);
  out_u32(&out, (uint32_t)number);
  out_u32(&out, arguments);
  out_text(&out, text);
  /* Without memory the plan remains unsealed: any constant could be guessed. */
  bool is_sealed = !out.is_short;
  if (is_sealed) *seal = engine_seal(sandbox->engine, out.bytes, out.count);
  sqlite3_free(out.bytes);
  return is_sealed;
}

static void put_plan(Planning *planning, Sandbox *sandbox, const Entry *table, Out *reply) {
  sqlite3_index_info *info = &planning->info;
  int arguments = 0;
  uint64_t seal = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    int index = info->aConstraintUsage[i].argvIndex;
    out_u32(reply, (uint32_t)index);
    out_u8(reply, info->aConstraintUsage[i].omit);
    if (index > arguments) arguments = index;
  }
  out_u32(reply, (uint32_t)info->idxNum);
  out_u8(reply, info->orderByConsumed != 0);
  out_raw(reply, &info->estimatedCost, 8);
  out_u64(reply, (uint64_t)info->estimatedRows);
  out_u32(reply, (uint32_t)info->idxFlags);
  out_text(reply, info->idxStr);
  if (!seal_of(sandbox, table, info->idxNum, info->idxStr, (uint32_t)arguments, &seal)) {
    reply->is_short = true;
  }
  out_u64(reply, seal);
}

/* Send a request to the engine; the connection is entered. */
static int plan_ask(sqlite3_index_info *info, uint8_t question, int index, int number,
                    Reply *reply) {
  Planning *planning = (Planning *)info;
  enter(planning->connection);
  Out *work = call_on(planning->connection, CALL_PLAN, planning->address);
  out_u8(work, question);
  out_u32(work, (uint32_t)index);
  out_u32(work, (uint32_t)number);
  return send(planning->connection, reply) == SQLITE_OK ? reply->code : SQLITE_ERROR;
}

static bool has_constraint(const sqlite3_index_info *info, int index) {
  return index >= 0 && index < info->nConstraint;
}

EXPORT int sqlite3_vtab_distinct(sqlite3_index_info *info) {
  Reply reply;
  int distinct = plan_ask(info, PLAN_DISTINCT, 0, 0, &reply);
  return leave_with(((Planning *)info)->connection, distinct);
}

EXPORT int sqlite3_vtab_in(sqlite3_index_info *info, int index, int handle) {
  Reply reply;
  if (!has_constraint(info, index)) return 0;
  int is_list = plan_ask(info, PLAN_IN, index, handle, &reply) == 1;
  return leave_with(((Planning *)info)->connection, is_list);
}

EXPORT const char *sqlite3_vtab_collation(sqlite3_index_info *info, int index) {
  Reply reply;
  if (!has_constraint(info, index)) return NULL;
  Connection *connection = ((Planning *)info)->connection;
  plan_ask(info, PLAN_COLLATION, index, 0, &reply);
  const char *name = keep_text(&connection->client, in_text(&reply.in), false);
  leave(connection);
  return name;
}

EXPORT int sqlite3_vtab_rhs_value(sqlite3_index_info *info, int index, sqlite3_value **value) {
  Reply reply;
  *value = NULL;
  if (!has_constraint(info, index)) return SQLITE_MISUSE_BKPT;
  Planning *planning = (Planning *)info;
  int code = plan_ask(info, PLAN_RIGHT, index, 0, &reply);
  if (code == SQLITE_OK && !planning->right[index]) {
    Mem borrowed;
    mem_init(&borrowed, &planning->connection->db);
    get_value(planning->connection->sandbox, &borrowed, &reply.in);
    planning->right[index] = sqlite3_value_dup(&borrowed);
    if (!planning->right[index]) code = SQLITE_NOMEM;
  }
  if (code == SQLITE_OK) *value = planning->right[index];
  return leave_with(planning->connection, code);
}
