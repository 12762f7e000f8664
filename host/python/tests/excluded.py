"""CPython's tests that are not run, with the reason, by the version of Python.

The module is CPython 3.13's, with what older Pythons do otherwise (host/python/c/older.h) but for this."""

FETCHED = "execute does not convert the first row since 3.11, fetchone does"

EXCLUDED = {
    "3.10": {
        "RecursiveUseOfCursors.test_recursive_cursor_close": FETCHED,
        "RecursiveUseOfCursors.test_recursive_cursor_init": FETCHED,
        "AggregateTests.test_aggr_no_step": "a missing method is an error of SQLite since 3.11, where 3.10 calls it for each row",
    },
}
