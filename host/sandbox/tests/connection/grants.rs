//! What a path grants that the program opens.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use sqlite_sandbox::{Access, Connection, Result};

use crate::support::{builder, database};

fn attach(db: &Connection, path: &Path) -> Result<()> {
    db.execute("ATTACH ?1 AS other", [path.to_str()])?;
    db.execute_batch("CREATE TABLE IF NOT EXISTS other.t(a); DETACH other")
}

/// As SQLite does natively.
#[test]
fn a_link_to_a_missing_file_creates_the_file() -> Result<()> {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    fs::create_dir(place("elsewhere")).unwrap();
    symlink("elsewhere/real.db", place("link.db")).unwrap();
    let db = database().open(place("link.db"))?;
    db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t(a)")?;
    assert!(place("elsewhere/real.db-wal").exists());
    for closed in ["link.db-wal", "other.db", "elsewhere/other.db"] {
        assert!(attach(&db, &place(closed)).is_err(), "{closed}");
    }
    Ok(())
}

#[test]
fn a_directory_that_the_program_grants_stays_open_around_a_database() -> Result<()> {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    fs::create_dir(place("sub")).unwrap();
    let granting = |access| builder().directory(directory.path(), access).build();
    let db = granting(Access::ReadWrite)?.open(place("sub/x.db"))?;
    attach(&db, &place("sub/other.db"))?;
    db.execute_batch("CREATE TABLE t(a)")?;
    let db = granting(Access::ReadOnly)?.open(place("sub/x.db"))?;
    assert!(db.execute_batch("CREATE TABLE u(a)").is_err());
    Ok(())
}

#[test]
fn a_directory_is_not_a_database() -> Result<()> {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("x.db-journal")).unwrap();
    assert!(database().open(directory.path()).is_err());
    let db = database().open(directory.path().join("x.db"))?;
    assert!(attach(&db, &directory.path().join("x.db-journal/y.db")).is_err());
    Ok(())
}
