/* Shapes of the program, which R-Trees search. */

/* Limits of SQLite. */
enum { MAX_COORDINATES = 10, MAX_LEVELS = 41 };

typedef int Geometry(sqlite3_rtree_geometry *, int, sqlite3_rtree_dbl *, int *);
typedef int Query(sqlite3_rtree_query_info *);

static int create_shape(sqlite3 *db, const char *name, Geometry *geometry, Query *query, void *data,
                        void (*destructor)(void *)) {
  Reply reply;
  if (!is_open(db) || !name) {
    if (destructor) destructor(data);
    return SQLITE_MISUSE_BKPT;
  }
  Connection *connection = connection_of(db);
  enter(connection);
  Entry *entry = entry_new(connection->sandbox, SHAPE);
  if (!entry) {
    if (destructor) destructor(data);
    return leave_with(connection, fail_no_memory(connection));
  }
  entry->data = data;
  entry->destroy = destructor;
  entry->shape.geometry = geometry;
  entry->shape.query = query;
  connection->has_callbacks = true;
  uint32_t number = entry->number;
  Out *work = call(connection, CALL_CREATE_SHAPE);
  out_text(work, name);
  out_u8(work, query != NULL);
  out_u32(work, number);
  bool is_sent = send(connection, &reply) == SQLITE_OK;
  entry = entry_find(connection->sandbox, SHAPE, number);
  if (entry && !is_sent) entry_free(connection->sandbox, entry);
  return leave_with(connection, reply.code & connection->db.errMask);
}

EXPORT int sqlite3_rtree_geometry_callback(sqlite3 *db, const char *name,
                                           int (*geometry)(sqlite3_rtree_geometry *, int,
                                                           sqlite3_rtree_dbl *, int *),
                                           void *data) {
  return create_shape(db, name, geometry, NULL, data, NULL);
}

EXPORT int sqlite3_rtree_query_callback(sqlite3 *db, const char *name,
                                        int (*query)(sqlite3_rtree_query_info *), void *data,
                                        void (*destructor)(void *)) {
  return create_shape(db, name, NULL, query, data, destructor);
}

/* Read at most `most` reals; null if the reply is malformed. There is room for a whole box. */
static sqlite3_rtree_dbl *read_reals(In *in, int *count, uint32_t most) {
  uint32_t given = in_u32(in);
  if (given > most || given > in_left(in) / 8) return NULL;
  uint32_t room = given < MAX_COORDINATES ? MAX_COORDINATES : given;
  sqlite3_rtree_dbl *reals = sqlite3MallocZero(room * sizeof(*reals));
  for (uint32_t i = 0; reals && i < given; i++) reals[i] = in_real(in);
  *count = (int)given;
  return reals;
}

/* Whether the data were attached by this shape, with the same counts of coordinates and
** parameters. */
static bool is_data_of(const Entry *data, const Entry *shape,
                       const sqlite3_rtree_query_info *info) {
  return data->owner == shape && !data->running && data->shape_data.coordinates == info->nCoord &&
         data->shape_data.parameters == info->nParam;
}

static bool is_dimensions(int coordinates) { return coordinates >= 2 && coordinates % 2 == 0; }

/* Call the function of a query, which has more fields than a geometry. */
static int call_query(Connection *connection, Query *query, sqlite3_rtree_query_info *info,
                      In *in) {
  unsigned waiting[MAX_LEVELS];
  Arguments arguments;
  info->iLevel = (int)in_u32(in);
  info->mxLevel = (int)in_u32(in);
  if (info->mxLevel < 0 || info->mxLevel >= MAX_LEVELS || info->iLevel < 0 ||
      info->iLevel > info->mxLevel) {
    return SQLITE_INTERNAL;
  }
  memset(waiting, 0, sizeof(waiting));
  for (int i = 0; i <= info->mxLevel; i++) waiting[i] = in_u32(in);
  info->anQueue = waiting;
  info->iRowid = (sqlite3_int64)in_u64(in);
  info->rScore = info->rParentScore = in_real(in);
  info->eWithin = info->eParentWithin = (int)in_u32(in);
  int code = arguments_read_all(&arguments, connection, in, (uint32_t)info->nParam);
  if (code) return code;
  info->apSqlParam = arguments.values;
  code = query(info);
  arguments_free(&arguments);
  return code;
}

/* Store the data that the program has attached in an entry that ends when SQLite releases it. */
static uint32_t keep_data(Sandbox *sandbox, Entry *shape, Entry *entry,
                          const sqlite3_rtree_query_info *info) {
  if (!entry && (info->pUser || info->xDelUser)) entry = entry_new(sandbox, SHAPE_DATA);
  if (!entry) return 0;
  entry->owner = shape;
  entry->data = info->pUser;
  entry->destroy = info->xDelUser;
  entry->shape_data.coordinates = info->nCoord;
  entry->shape_data.parameters = info->nParam;
  return entry->number;
}

static int call_shape(Connection *connection, Entry *shape, sqlite3_rtree_query_info *info,
                      int *within, In *in) {
  if (shape->shape.query) return call_query(connection, shape->shape.query, info, in);
  return shape->shape.geometry((sqlite3_rtree_geometry *)info, info->nCoord, info->aCoord, within);
}

static void on_shape(Connection *connection, In *in, Out *reply) {
  Sandbox *sandbox = connection->sandbox;
  sqlite3_rtree_query_info info = {0};
  int code = SQLITE_INTERNAL, within = 0;
  uint32_t own = 0;
  Entry *shape = entry_find(sandbox, SHAPE, in_u32(in));
  Entry *data = entry_find(sandbox, SHAPE_DATA, in_u32(in));
  info.aParam = read_reals(in, &info.nParam, SQLITE_MAX_FUNCTION_ARG);
  info.aCoord = read_reals(in, &info.nCoord, MAX_COORDINATES);
  bool is_callable = shape && info.aParam && info.aCoord && is_dimensions(info.nCoord) &&
                     (!data || is_data_of(data, shape, &info));
  if (is_callable) {
    entry_enter(shape);
    if (data) entry_enter(data);
    info.pContext = shape->data;
    info.pUser = data ? data->data : NULL;
    info.xDelUser = data ? data->destroy : NULL;
    code = call_shape(connection, shape, &info, &within, in);
    own = keep_data(sandbox, shape, data, &info);
    if (data) entry_leave(sandbox, data);
    entry_leave(sandbox, shape);
  }
  reply->count = 0;
  put_code(reply, code);
  out_u32(reply, own);
  out_u32(reply, (uint32_t)(shape && shape->shape.query ? info.eWithin : within));
  out_raw(reply, &info.rScore, 8);
  sqlite3_free(info.aParam);
  sqlite3_free(info.aCoord);
}
