/* Shapes of the program, which R-Trees search. */
#include "interface.h"

/* SQLite's bounds. */
enum { MAX_COORDINATES = 10, MAX_LEVELS = 41 };

static void put_reals(Out *out, const sqlite3_rtree_dbl *reals, int count) {
  out_u32(out, (uint32_t)count);
  for (int i = 0; i < count; i++) out_raw(out, &reals[i], 8);
}

static double real_of(In *in) {
  uint64_t bits = in_u64(in);
  double real;
  memcpy(&real, &bits, 8);
  return real;
}

/* Both structures begin with the same fields: a geometry is the first part of a query. */
static Out begin(sqlite3_rtree_geometry *shape, const sqlite3_rtree_dbl *coordinates, int count) {
  Registered *registered = shape->pContext, *own = shape->pUser;
  Out out = event_begin(registered->db, EVENT_SHAPE);
  out_u32(&out, registered->number);
  out_u32(&out, own ? own->number : 0);
  put_reals(&out, shape->aParam, shape->nParam);
  put_reals(&out, coordinates, count < MAX_COORDINATES ? count : MAX_COORDINATES);
  return out;
}

static int send(Out *out, sqlite3_rtree_geometry *shape, EventReply *reply) {
  Registered *registered = shape->pContext;
  event_send(out, reply);
  uint32_t number = reply->code ? 0 : in_u32(&reply->in);
  if (number && !shape->pUser) {
    shape->pUser = registered_new(registered->db, number);
    shape->xDelUser = shape->pUser ? registered_free : NULL;
  }
  return reply->code;
}

static int on_geometry(sqlite3_rtree_geometry *shape, int count, sqlite3_rtree_dbl *coordinates,
                       int *is_within) {
  EventReply reply;
  Out out = begin(shape, coordinates, count);
  int code = send(&out, shape, &reply);
  if (!code) *is_within = (int)in_u32(&reply.in);
  reply_free(&reply);
  return code;
}

static int on_query(sqlite3_rtree_query_info *info) {
  EventReply reply;
  Out out = begin((sqlite3_rtree_geometry *)info, info->aCoord, info->nCoord);
  int levels = info->mxLevel < MAX_LEVELS ? info->mxLevel + 1 : MAX_LEVELS;
  out_u32(&out, (uint32_t)info->iLevel);
  out_u32(&out, (uint32_t)info->mxLevel);
  for (int i = 0; i < levels; i++) out_u32(&out, info->anQueue[i]);
  out_u64(&out, (uint64_t)info->iRowid);
  out_raw(&out, &info->rParentScore, 8);
  out_u32(&out, (uint32_t)info->eParentWithin);
  for (int i = 0; i < info->nParam; i++) put_value(&out, info->apSqlParam[i]);
  int code = send(&out, (sqlite3_rtree_geometry *)info, &reply);
  if (!code) {
    info->eWithin = (int)in_u32(&reply.in);
    info->rScore = real_of(&reply.in);
  }
  reply_free(&reply);
  return code;
}

/* Name, whether it is a query (u8), id. */
void call_create_shape(Call *call) {
  const char *name = in_text(&call->in);
  bool is_query = in_u8(&call->in);
  Registered *data = registered_new(call->db, in_u32(&call->in));
  if (!data) {
    call->code = SQLITE_NOMEM;
  } else if (is_query) {
    call->code = sqlite3_rtree_query_callback(call->db, name, on_query, data, registered_free);
  } else {
    call->code = sqlite3_rtree_geometry_callback(call->db, name, on_geometry, data);
  }
}
