"""CPython's tests that are not run, with the reason, by the version of Python.

The module is CPython 3.13's, for each Python: its interface, and its texts of errors."""

DUMP = "the tables of this test refer to a column that is not unique, which iterdump checks since 3.12.2"

REMOVED = "removed in 3.12, after a deprecation"

ERRORS = "another class or text of error since 3.11"

FETCHED = "execute does not convert the first row since 3.11, fetchone does"

EXCLUDED = {
    "3.10": {
        "DumpTests.test_table_dump": DUMP,
        "ModuleTests.test_shared_cache_deprecated": REMOVED,
        "TextFactoryTests.test_optimized_unicode": REMOVED,
        "ModuleTests.test_thread_safety": "the attribute has the value of SQLite since 3.11",
        "CollationTests.test_create_collation_not_ascii": "any name is allowed since 3.11",
        "RecursiveUseOfCursors.test_recursive_cursor_close": FETCHED,
        "RecursiveUseOfCursors.test_recursive_cursor_init": FETCHED,
        "RegressionTests.test_cursor_registration": "a rollback does not reset cursors since 3.11",
        "TransactionTests.test_rollback_cursor_consistency": "a rollback does not reset cursors since 3.11",
        "AggregateTests.test_aggr_no_finalize": ERRORS,
        "AggregateTests.test_aggr_no_step": ERRORS,
        "CursorTests.test_execute_non_iterable": ERRORS,
        "CursorTests.test_execute_too_much_sql": ERRORS,
        "ExtensionTests.test_cursor_executescript_as_bytes": ERRORS,
        "RegressionTests.test_collation": ERRORS,
        "RegressionTests.test_null_character": ERRORS,
        "DeclTypesTests.test_error_in_conform": ERRORS,
        "DeclTypesTests.test_unsupported_dict": ERRORS,
        "DeclTypesTests.test_unsupported_seq": ERRORS,
        "FunctionTests.test_func_return_too_large_int": ERRORS,
        "FunctionTests.test_non_contiguous_blob": ERRORS,
    },
    "3.11": {
        "DumpTests.test_table_dump": DUMP,
        "ModuleTests.test_shared_cache_deprecated": REMOVED,
        "TextFactoryTests.test_optimized_unicode": REMOVED,
    },
    "3.12": {"DumpTests.test_table_dump": DUMP},
}
