//! A database whose writer died in the middle of a transaction, when half of it
//! was in the file already.

use std::fs;
use std::path::Path;

use super::session::Session;

/// A query of the table, whose only right result is [`COMMITTED`].
pub const QUERY: &str =
    "SELECT count(*), sum(length(b)), total(b LIKE '%changed') FROM t; PRAGMA integrity_check;";

/// What was committed before the crash.
pub const COMMITTED: &str = "3000|300000|0.0\nok\n";

/// What makes the table.
const TABLE: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 3000)
    INSERT INTO t SELECT i, printf('%.100d', i) FROM c;";

/// Changes every page. With a small cache most of them are written at once.
const CHANGE: &str = "PRAGMA cache_size=5; BEGIN; UPDATE t SET b = b || '-changed';";

/// Makes the database natively.
pub fn committed(directory: &Path, database: &str) {
    super::natively(directory, &[database, TABLE]).exits_with(0);
    super::natively(directory, &[database, QUERY]).prints(COMMITTED);
}

/// Starts to change the database with `program`.
pub fn changing(program: &Path, directory: &Path, database: &str) -> Session {
    let mut session = Session::start(program, &[database], directory);
    session.answers(CHANGE, "");
    session
}

/// Makes the database at `path`, and a hot journal next to it that `program`
/// has left; `name` is what `program` calls the database in `directory`.
pub fn leave(program: &Path, directory: &Path, name: &str, path: &Path) {
    let place = path.parent().expect("it lies in a directory");
    let database = path.file_name().and_then(|name| name.to_str());
    committed(place, database.expect("a name of ours"));
    let before = fs::read(path).expect("it was just made");
    changing(program, directory, name).crash();
    assert_ne!(
        fs::read(path).expect("it is there"),
        before,
        "nothing of the transaction is in the file, so nothing can be tested"
    );
    assert!(journal_size(path) > 0, "no journal was left");
}

/// The size of the database's journal; 0 without one.
pub fn journal_size(database: &Path) -> u64 {
    let journal = format!("{}-journal", database.display());
    fs::metadata(journal).map_or(0, |metadata| metadata.len())
}
