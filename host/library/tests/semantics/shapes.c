/* Shapes for R-Trees. */

static int on_geometry(sqlite3_rtree_geometry *shape, int count, double *coordinates, int *within) {
  printf("geometry %s %d:", (char *)shape->pContext, shape->nParam);
  for (int i = 0; i < count; i++) printf(" %g", coordinates[i]);
  printf(" %s\n", shape->pUser ? (char *)shape->pUser : "new");
  if (!shape->pUser) {
    shape->pUser = sqlite3_mprintf("kept");
    shape->xDelUser = sqlite3_free;
  }
  *within = coordinates[0] <= shape->aParam[0];
  return shape->aParam[0] < 0 ? SQLITE_ERROR : SQLITE_OK;
}

static int on_shape_query(sqlite3_rtree_query_info *info) {
  printf("query %s %d: %d of %d, %d waiting, parent %d, row %lld", (char *)info->pContext,
         info->nParam, info->iLevel, info->mxLevel, info->anQueue[info->iLevel],
         info->eParentWithin, info->iLevel ? 0 : info->iRowid);
  print_value(info->apSqlParam[0]);
  printf("\n");
  info->rScore = -info->aCoord[0];
  info->eWithin = info->aCoord[0] <= info->aParam[0] ? PARTLY_WITHIN : NOT_WITHIN;
  return SQLITE_OK;
}

static void shapes(void) {
  static char context[] = "shape";
  printf("%d\n", sqlite3_rtree_geometry_callback(db, "left_of", on_geometry, context));
  printf("%d\n",
         sqlite3_rtree_query_callback(db, "best_left_of", on_shape_query, context, on_destroy));
  run("CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)");
  run("INSERT INTO boxes VALUES(1, 1, 2), (2, 3, 4), (3, 5, 6)");
  query("SELECT id FROM boxes WHERE id MATCH left_of(3)");
  query("SELECT id FROM boxes WHERE id MATCH left_of(-1)");
  query("SELECT id FROM boxes WHERE id MATCH best_left_of(4, 'x')");
  printf("%d\n",
         sqlite3_rtree_query_callback(db, "best_left_of", on_shape_query, context, on_destroy));
}
