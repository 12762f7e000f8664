//! What a stranger's SQL, database and component can do: nothing beyond their own connection.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{builder, built, database, memory};
use sqlite_sandbox::functions::FunctionFlags;
use sqlite_sandbox::types::Value;
use sqlite_sandbox::{Access, Connection, Database, Error, ErrorCode, OpenFlags, Result};

/// How long random input goes on: what `ARBTEST_BUDGET_MS` says, or a few seconds.
pub fn budget() -> Duration {
    let said = std::env::var("ARBTEST_BUDGET_MS").ok();
    Duration::from_millis(said.map_or(4000, |text| text.parse().expect("it is a number")))
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A database with something of every kind, of small pages.
const KINDS: &str = "
    PRAGMA page_size = 512;
    CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT UNIQUE, big BLOB);
    WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 200)
        INSERT INTO a SELECT i, 'name ' || i, zeroblob(i * 20) FROM c;
    CREATE INDEX by_size ON a(length(big), name);
    CREATE TABLE b(x PRIMARY KEY, y) WITHOUT ROWID;
    INSERT INTO b SELECT name, id FROM a;
    CREATE VIRTUAL TABLE words USING fts5(word);
    INSERT INTO words SELECT name FROM a;
    CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
    INSERT INTO boxes SELECT id, id, id + 1 FROM a;
    CREATE VIEW v AS SELECT a.id, b.y FROM a JOIN b ON a.name = b.x;
    CREATE TRIGGER t AFTER DELETE ON a BEGIN DELETE FROM b WHERE x = old.name; END;
    DELETE FROM a WHERE id % 7 = 0;";

const QUERIES: &[&str] = &[
    "SELECT * FROM sqlite_schema",
    "SELECT id, name, length(big), sum(length(hex(big))) FROM a GROUP BY id % 5",
    "SELECT * FROM v ORDER BY y DESC",
    "SELECT * FROM words WHERE words MATCH 'name AND 1*'",
    "SELECT * FROM boxes WHERE x0 > 3 AND x1 < 90",
    "SELECT * FROM b WHERE x > 'name 5'",
    "PRAGMA integrity_check",
    "UPDATE a SET big = zeroblob(3000) WHERE id % 3 = 0",
    "DELETE FROM a WHERE id % 2 = 0",
    "INSERT INTO words(words) VALUES ('optimize')",
    "VACUUM",
];

fn use_all(db: &Connection) -> Result<()> {
    for sql in QUERIES {
        let run = || -> Result<()> {
            let mut statement = db.prepare(sql)?;
            let mut rows = statement.query(())?;
            while let Some(row) = rows.next()? {
                let _: Value = row.get(0)?;
            }
            Ok(())
        };
        if let Err(error @ (Error::Trapped(_) | Error::MalformedReply)) = run() {
            return Err(error);
        }
    }
    Ok(())
}

#[test]
fn crafted_databases_give_errors() {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("x.db");
    database().open(&path).expect("it is new").execute_batch(KINDS).expect("it is SQL");
    let sound = fs::read(&path).expect("it was written");
    let limited =
        builder().memory(64 << 20).statement_time(Duration::from_millis(500)).rows(10_000);
    let limited = limited.build().expect("it is built");
    let mut random = Random(0x5eed);
    let end = Instant::now() + budget();
    let mut cases = 0;
    while Instant::now() < end {
        let mut crafted = sound.clone();
        for _ in 0..=random.below(8) {
            // Headers of pages and of the file more often than what is inside.
            let page = random.below(crafted.len() / 512) * 512;
            let bytes = if random.below(2) == 0 { 110 } else { 512 };
            crafted[page + random.below(bytes)] = random.next() as u8;
        }
        if random.below(10) == 0 {
            crafted.truncate(random.below(crafted.len()));
        }
        fs::write(&path, &crafted).expect("there is room");
        let used = limited.open(&path).and_then(|db| use_all(&db));
        match used {
            Err(error @ (Error::Trapped(_) | Error::MalformedReply)) => {
                panic!("case {cases}: {error}")
            }
            _ => cases += 1,
        }
    }
    assert!(cases > 5, "{cases}");
}

fn cannot_open(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
        && error.to_string().contains("outside the granted directories")
}

#[test]
fn only_the_database_and_what_is_granted_is_reached() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let place = |name: &str| directory.path().join(name);
    for name in ["mine", "granted", "read"] {
        fs::create_dir(place(name)).expect("it is new");
    }
    let database = builder()
        .directory(place("granted"), Access::ReadWrite)
        .directory(place("read"), Access::ReadOnly)
        .build()?;
    let attach = |db: &Connection, path: &Path| {
        let attached = db.execute("ATTACH ?1 AS other", [path.to_str()]);
        attached.and_then(|_| db.execute_batch("CREATE TABLE other.t(a); DETACH other"))
    };
    crate::support::database().open(place("mine/secret.db"))?.execute_batch("CREATE TABLE s(a)")?;
    crate::support::database().open(place("read/r.db"))?.execute_batch("CREATE TABLE s(a)")?;
    symlink(place("mine/secret.db"), place("granted/link.db")).expect("it is new");
    let db = database.open(place("mine/own.db"))?;
    db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")?;
    for name in ["mine/secret.db", "granted/../mine/secret.db", "granted/link.db", "mine/new.db"] {
        let error = attach(&db, &place(name)).unwrap_err();
        assert!(cannot_open(&error), "{name}: {error}");
    }
    assert!(attach(&db, Path::new("/proc/self/mem")).is_err());
    attach(&db, &place("granted/x.db"))?;
    let error = attach(&db, &place("read/r.db")).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly));
    let vacuum = db.execute("VACUUM INTO ?1", [place("mine/copy.db").to_str()]).unwrap_err();
    assert!(cannot_open(&vacuum), "{vacuum}");
    assert!(db.backup("main", place("mine/copy.db"), None::<fn(_)>).is_err());
    db.backup("main", place("granted/copy.db"), None::<fn(_)>)?;
    assert!(!place("mine/copy.db").exists());
    for function in ["readfile('/etc/passwd')", "writefile('/tmp/x', 'y')", "edit('x')"] {
        assert!(db.execute_batch(&format!("SELECT {function}")).is_err());
    }
    Ok(())
}

fn hostile() -> Database {
    let guest = built().join("guests/hostile_database.wasm");
    assert!(guest.is_file(), "`make guests` makes it");
    let limited = builder().component(guest).memory(64 << 20);
    limited.statement_time(Duration::from_millis(100)).build().expect("it loads")
}

/// With a time limit only the `.wasm` that the `.cwasm` was compiled from runs, and not another one in its directory.
#[test]
fn another_component_beside_the_code_is_not_run() {
    let (one, second) = (tempfile::tempdir().unwrap(), Duration::from_secs(1));
    let (code, beside) = (one.path().join("database.cwasm"), one.path().join("database.wasm"));
    fs::copy(built().join("guests/hostile_database.wasm"), beside).unwrap();
    let mut content = fs::read(built().join("database.cwasm")).unwrap();
    fs::write(&code, &content).unwrap();
    let timed = || builder().statement_time(second);
    timed().build().expect("this puts its code into the cache");
    let database = timed().component(&code).build().expect("its own source is in the cache");
    let db = database.open_in_memory().expect("it is SQLite");
    assert_eq!(db.query_row("SELECT 1", [], |row| row.get::<_, i64>(0)).unwrap(), 1);

    // The hash of the source, in the seal.
    let source = content.len() - 144 + 16;
    content[source] ^= 1;
    fs::write(&code, content).unwrap();
    let error = timed().component(&code).build().expect_err("its source is missing");
    assert!(error.to_string().contains("is not beside it"), "{error}");
}

fn attacked(database: &Database, attack: &str) -> Result<Connection> {
    database.open_with_flags(attack, OpenFlags::SQLITE_OPEN_MEMORY)
}

#[test]
fn replies_of_a_hostile_component_are_errors() {
    let database = hostile();
    let end = Instant::now() + budget();
    let mut cases = 0_u64;
    while Instant::now() < end || cases < 50 {
        cases += 1;
        let Ok(db) = attacked(&database, &cases.to_string()) else { continue };
        let _ = db.execute_batch("x");
        if let Ok(mut statement) = db.prepare("SELECT 1") {
            let _ = statement.raw_bind_parameter(1, &7);
            let _ = (statement.column_names().len(), statement.parameter_name(1));
            let _ = statement.expanded_sql();
            let mut rows = statement.raw_query();
            // Each block has a row, so this ends with what the component sends.
            for _ in 0..1000 {
                let Ok(Some(row)) = rows.next() else { break };
                let _ = row.get::<_, Value>(0);
                let _ = format!("{row:?}");
            }
            drop(rows);
            let _ = statement.raw_execute();
        }
        let _ = (db.last_insert_rowid(), db.changes(), db.is_autocommit());
        if let Ok(mut blob) = db.blob_open("main", "t", "a", 1, false) {
            let _ = blob.reopen(2);
            let length = blob.len().min(1000);
            let _ = blob.read_at_exact(&mut vec![0; length], 0);
        }
        let _ = db.close();
    }
}

#[test]
fn a_trap_ends_its_own_connection_only() -> Result<()> {
    let database = hostile();
    for attack in ["trap", "memory", "late", "resume", "outcome", "arguments", "print"] {
        let start = Instant::now();
        let db = attacked(&database, attack)?;
        let error = db.execute_batch("x").err();
        if attack != "print" {
            let is_named = match error {
                Some(Error::Trapped(_)) => attack != "late",
                Some(Error::LimitReached(_)) => attack == "late",
                _ => false,
            };
            assert!(is_named, "{attack}: {error:?}");
            assert!(db.is_gone() && matches!(db.prepare("x"), Err(Error::Trapped(_))));
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{attack}");
    }
    let db = attacked(&database, "trap")?;
    let message = db.execute_batch("x").unwrap_err().to_string();
    assert!(message.contains("as a test"), "{message}");
    // A long reply is within the memory limit, and its counts and offsets lead nowhere.
    assert!(attacked(&database, "long")?.prepare("x").is_err());
    memory().execute_batch("SELECT 1")
}

#[test]
fn callbacks_of_a_hostile_component_are_errors() -> Result<()> {
    let database = hostile();
    for _ in 0..20 {
        let db = attacked(&database, "callbacks")?;
        let flags = FunctionFlags::default();
        db.create_scalar_function("f", 1, flags, |context| context.get::<Value>(0))?;
        db.create_collation("c", |a, b| a.cmp(b))?;
        db.commit_hook(Some(|| false))?;
        db.update_hook(Some(|_, _: &str, _: &str, _| ()))?;
        db.busy_handler(Some(|_| true))?;
        let error = db.execute_batch("x").err();
        assert!(!matches!(error, Some(Error::Trapped(_))), "{error:?}");
    }
    Ok(())
}

/// A component that was taken over would run its own code in the next connection, with the
/// grants of an extension.
#[test]
fn what_is_loaded_as_code_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    fs::create_dir(place("extensions")).unwrap();
    let granted = builder().directory(directory.path(), Access::ReadWrite);
    let database = granted.extension_directory(place("extensions")).build().unwrap();
    let db = database.open_in_memory().unwrap();
    let write = |name: &str| {
        let path = place(name);
        let path = path.to_str().unwrap();
        db.execute_batch(&format!("ATTACH '{path}' AS a; CREATE TABLE a.t(x); DETACH a"))
    };
    write("other.db").unwrap();
    write("extensions/vec0.wasm").unwrap_err();
    assert!(!place("extensions/vec0.wasm").exists());
}

/// A file of grants next to an extension, in a directory that the program names, is a stranger's.
#[test]
fn a_directory_of_extensions_grants_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("define.wasm");
    let mut content = fs::read(built().join("extensions/define.wasm")).unwrap();
    // Other bytes than those that were shipped: with an empty section of its own.
    content.extend([0, 2, 1, b'x']);
    fs::write(&file, content).unwrap();
    let digest = std::process::Command::new("sha256sum").arg(&file).output().unwrap().stdout;
    let sha256 = std::str::from_utf8(&digest[..64]).unwrap();
    let grants =
        format!("[[extension]]\nname = \"define\"\nsha256 = \"{sha256}\"\ngrants = [\"sql\"]\n");
    fs::write(directory.path().join("grants.toml"), grants).unwrap();
    let with = |grants: &[&str]| {
        let builder = Database::builder()
            .component(built().join("database.cwasm"))
            .compiler(built().join("sqlite-wasm-compile"))
            .extension_directory(directory.path())
            .extension("define");
        let builder = grants.iter().fold(builder, |builder, grant| builder.extension_grant(*grant));
        builder.build().and_then(|database| database.open_in_memory())
    };
    let error = with(&[]).unwrap_err().to_string();
    assert!(error.contains("define"), "{error}");
    with(&["define=sql"]).unwrap();
}
