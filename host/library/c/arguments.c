/* Arguments for functions of the program, as the sandbox sends them. */

/* Up to this many arguments are on the stack, which may be small: the sandbox chooses how many. */
#define FEW_ARGUMENTS 16

/* The arguments of a call. */
typedef struct {
  Sandbox *sandbox;
  uint32_t count;
  Mem *cells;
  sqlite3_value **values;
  Mem few_cells[FEW_ARGUMENTS];
  sqlite3_value *few_values[FEW_ARGUMENTS + 1];
} Arguments;

/* Read `count` values. Returns the result code of the call that has them as arguments. */
static int arguments_read_all(Arguments *arguments, Connection *connection, In *in,
                              uint32_t count) {
  arguments->sandbox = connection->sandbox;
  arguments->cells = arguments->few_cells;
  arguments->values = arguments->few_values;
  if (count > FEW_ARGUMENTS) {
    arguments->cells = sqlite3_malloc64(count * (sizeof(Mem) + sizeof(void *)) + sizeof(void *));
    if (!arguments->cells) return SQLITE_NOMEM;
    arguments->values = (sqlite3_value **)(arguments->cells + count);
  }
  for (uint32_t i = 0; i < count; i++) {
    mem_init(&arguments->cells[i], &connection->db);
    get_held_value(connection->sandbox, &arguments->cells[i], in);
    arguments->values[i] = &arguments->cells[i];
  }
  arguments->values[count] = NULL;
  arguments->count = count;
  return SQLITE_OK;
}

/* The same for a function, where the count comes before the values. */
static int arguments_read(Arguments *arguments, Connection *connection, In *in) {
  uint32_t count = in_u32(in);
  if (count > SQLITE_MAX_FUNCTION_ARG) return SQLITE_INTERNAL;
  return arguments_read_all(arguments, connection, in, count);
}

static void arguments_free(Arguments *arguments) {
  for (uint32_t i = 0; i < arguments->count; i++) {
    held_value_free(arguments->sandbox, &arguments->cells[i]);
  }
  if (arguments->cells != arguments->few_cells) sqlite3_free(arguments->cells);
}
