//! What the tests share.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sqlite_sandbox::{Builder, Connection, Database};

/// The directory that the programs and components are built into.
pub fn built() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release");
    assert!(directory.join("database.cwasm").is_file(), "`make build` makes database.cwasm");
    directory
}

/// A builder with what `make build` built.
pub fn builder() -> Builder {
    Database::builder()
        .component(built().join("database.cwasm"))
        .compiler(built().join("sqlite-wasm-compile"))
        .extension_directory(built().join("extensions"))
}

/// One without limits, which the tests of a program share.
pub fn database() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| builder().build().expect("it is built"))
}

/// A connection in memory.
pub fn memory() -> Connection {
    database().open_in_memory().expect("there is room for it")
}

/// A table of `rows` rows.
pub fn fill(db: &Connection, rows: i64) {
    db.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, price REAL, data BLOB)")
        .expect("the table is new");
    let sql = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < ?1)
               INSERT INTO t SELECT i, 'name ' || i, i / 4.0, zeroblob(i % 50) FROM c";
    assert_eq!(db.execute(sql, [rows]).expect("it is a table"), rows as usize);
}

/// A statement that only computes, for ever.
pub const ENDLESS: &str =
    "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c";
