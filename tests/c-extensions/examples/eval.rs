//! SQLite's `ext/misc/eval.c`.
c_extensions::sqlite_extension!("eval", "results of SQL in a text", sqlite3_eval_init);
