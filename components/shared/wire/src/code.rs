//! SQLite's result codes, with their names in `sqlite3.h` without `SQLITE_`.

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:expr;)*) => {
        $(
            #[doc = concat!("`SQLITE_", stringify!($name), "`.")]
            $(#[doc = $doc])*
            pub const $name: i32 = $code;
        )*

        /// All codes with their whole names.
        pub const ALL: &[(&str, i32)] = &[$((concat!("SQLITE_", stringify!($name)), $name)),*];
    };
}

codes! {
    /// No failure.
    OK = 0;
    /// Any other failure.
    ERROR = 1;
    /// A mistake inside SQLite.
    INTERNAL = 2;
    /// Not allowed.
    PERM = 3;
    /// A callback has ended it, or a row was changed meanwhile.
    ABORT = 4;
    /// Another connection has locked the database.
    BUSY = 5;
    /// A table is locked by a statement of the same connection.
    LOCKED = 6;
    /// Out of memory.
    NOMEM = 7;
    /// The database or table cannot be written.
    READONLY = 8;
    /// The statement was interrupted.
    INTERRUPT = 9;
    /// A file could not be read or written.
    IOERR = 10;
    /// Stored content is malformed.
    CORRUPT = 11;
    /// An operation of a file or database is not known.
    NOTFOUND = 12;
    /// There is no space left, or a size limit was reached.
    FULL = 13;
    /// A file cannot be opened.
    CANTOPEN = 14;
    /// Locks of the write-ahead log cannot be taken.
    PROTOCOL = 15;
    /// Not used.
    EMPTY = 16;
    /// The schema has changed.
    SCHEMA = 17;
    /// A text or blob is too long.
    TOOBIG = 18;
    /// A constraint refuses the change.
    CONSTRAINT = 19;
    /// A value is of the wrong class.
    MISMATCH = 20;
    /// A function was called in a way that it does not support.
    MISUSE = 21;
    /// The system has no large files.
    NOLFS = 22;
    /// An authorizer refuses it, or a capability was not granted, such as writing with `sql:ro`.
    AUTH = 23;
    /// Not used.
    FORMAT = 24;
    /// An index is out of range.
    RANGE = 25;
    /// The file is not a database.
    NOTADB = 26;
    /// A notice for the log.
    NOTICE = 27;
    /// A warning for the log.
    WARNING = 28;
    /// A step has returned a row; not a failure.
    ROW = 100;
    /// A step has ended the statement; not a failure.
    DONE = 101;
    ERROR_MISSING_COLLSEQ = ERROR | 1 << 8;
    ERROR_RETRY = ERROR | 2 << 8;
    ERROR_SNAPSHOT = ERROR | 3 << 8;
    ERROR_RESERVESIZE = ERROR | 4 << 8;
    ERROR_KEY = ERROR | 5 << 8;
    ERROR_UNABLE = ERROR | 6 << 8;
    IOERR_READ = IOERR | 1 << 8;
    IOERR_SHORT_READ = IOERR | 2 << 8;
    IOERR_WRITE = IOERR | 3 << 8;
    IOERR_FSYNC = IOERR | 4 << 8;
    IOERR_DIR_FSYNC = IOERR | 5 << 8;
    IOERR_TRUNCATE = IOERR | 6 << 8;
    IOERR_FSTAT = IOERR | 7 << 8;
    IOERR_UNLOCK = IOERR | 8 << 8;
    IOERR_RDLOCK = IOERR | 9 << 8;
    IOERR_DELETE = IOERR | 10 << 8;
    IOERR_BLOCKED = IOERR | 11 << 8;
    IOERR_NOMEM = IOERR | 12 << 8;
    IOERR_ACCESS = IOERR | 13 << 8;
    IOERR_CHECKRESERVEDLOCK = IOERR | 14 << 8;
    IOERR_LOCK = IOERR | 15 << 8;
    IOERR_CLOSE = IOERR | 16 << 8;
    IOERR_DIR_CLOSE = IOERR | 17 << 8;
    IOERR_SHMOPEN = IOERR | 18 << 8;
    IOERR_SHMSIZE = IOERR | 19 << 8;
    IOERR_SHMLOCK = IOERR | 20 << 8;
    IOERR_SHMMAP = IOERR | 21 << 8;
    IOERR_SEEK = IOERR | 22 << 8;
    IOERR_DELETE_NOENT = IOERR | 23 << 8;
    IOERR_MMAP = IOERR | 24 << 8;
    IOERR_GETTEMPPATH = IOERR | 25 << 8;
    IOERR_CONVPATH = IOERR | 26 << 8;
    IOERR_VNODE = IOERR | 27 << 8;
    IOERR_AUTH = IOERR | 28 << 8;
    IOERR_BEGIN_ATOMIC = IOERR | 29 << 8;
    IOERR_COMMIT_ATOMIC = IOERR | 30 << 8;
    IOERR_ROLLBACK_ATOMIC = IOERR | 31 << 8;
    IOERR_DATA = IOERR | 32 << 8;
    IOERR_CORRUPTFS = IOERR | 33 << 8;
    IOERR_IN_PAGE = IOERR | 34 << 8;
    IOERR_BADKEY = IOERR | 35 << 8;
    IOERR_CODEC = IOERR | 36 << 8;
    LOCKED_SHAREDCACHE = LOCKED | 1 << 8;
    LOCKED_VTAB = LOCKED | 2 << 8;
    BUSY_RECOVERY = BUSY | 1 << 8;
    BUSY_SNAPSHOT = BUSY | 2 << 8;
    BUSY_TIMEOUT = BUSY | 3 << 8;
    CANTOPEN_NOTEMPDIR = CANTOPEN | 1 << 8;
    CANTOPEN_ISDIR = CANTOPEN | 2 << 8;
    CANTOPEN_FULLPATH = CANTOPEN | 3 << 8;
    CANTOPEN_CONVPATH = CANTOPEN | 4 << 8;
    CANTOPEN_DIRTYWAL = CANTOPEN | 5 << 8;
    CANTOPEN_SYMLINK = CANTOPEN | 6 << 8;
    CORRUPT_VTAB = CORRUPT | 1 << 8;
    CORRUPT_SEQUENCE = CORRUPT | 2 << 8;
    CORRUPT_INDEX = CORRUPT | 3 << 8;
    READONLY_RECOVERY = READONLY | 1 << 8;
    READONLY_CANTLOCK = READONLY | 2 << 8;
    READONLY_ROLLBACK = READONLY | 3 << 8;
    READONLY_DBMOVED = READONLY | 4 << 8;
    READONLY_CANTINIT = READONLY | 5 << 8;
    READONLY_DIRECTORY = READONLY | 6 << 8;
    ABORT_ROLLBACK = ABORT | 2 << 8;
    CONSTRAINT_CHECK = CONSTRAINT | 1 << 8;
    CONSTRAINT_COMMITHOOK = CONSTRAINT | 2 << 8;
    CONSTRAINT_FOREIGNKEY = CONSTRAINT | 3 << 8;
    CONSTRAINT_FUNCTION = CONSTRAINT | 4 << 8;
    CONSTRAINT_NOTNULL = CONSTRAINT | 5 << 8;
    CONSTRAINT_PRIMARYKEY = CONSTRAINT | 6 << 8;
    CONSTRAINT_TRIGGER = CONSTRAINT | 7 << 8;
    CONSTRAINT_UNIQUE = CONSTRAINT | 8 << 8;
    CONSTRAINT_VTAB = CONSTRAINT | 9 << 8;
    CONSTRAINT_ROWID = CONSTRAINT | 10 << 8;
    CONSTRAINT_PINNED = CONSTRAINT | 11 << 8;
    CONSTRAINT_DATATYPE = CONSTRAINT | 12 << 8;
    NOTICE_RECOVER_WAL = NOTICE | 1 << 8;
    NOTICE_RECOVER_ROLLBACK = NOTICE | 2 << 8;
    NOTICE_RBU = NOTICE | 3 << 8;
    WARNING_AUTOINDEX = WARNING | 1 << 8;
    AUTH_USER = AUTH | 1 << 8;
    OK_LOAD_PERMANENTLY = OK | 1 << 8;
    OK_SYMLINK = OK | 2 << 8;
}

/// The plain code of an extended one.
pub const fn primary(code: i32) -> i32 {
    code & 0xff
}

/// The whole name of a code; `None` for a code that SQLite does not define.
pub fn name(code: i32) -> Option<&'static str> {
    ALL.iter().find(|(_, other)| *other == code).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::collections::BTreeMap;
    use alloc::string::String;

    use super::*;

    extern crate std;

    /// The value of a definition: `5`, or `(SQLITE_BUSY | (1<<8))`.
    fn number(text: &str, known: &BTreeMap<String, i32>) -> Option<i32> {
        let text = text.split("/*").next()?.trim();
        let Some((plain, shifted)) = text.trim_matches(['(', ')']).split_once('|') else {
            return text.parse().ok();
        };
        let count: i32 =
            shifted.trim().trim_start_matches('(').strip_suffix("<<8")?.parse().ok()?;
        known.get(plain.trim()).map(|plain| plain | count << 8)
    }

    #[test]
    fn codes_are_those_of_sqlites_header() {
        let sqlite = crate_source::directory("libsqlite3-sys", "../../../Cargo.toml");
        let header = std::fs::read_to_string(sqlite.join("sqlite3/sqlite3.h")).unwrap();
        // One section of the header has all of them.
        let (_, header) = header.split_once("CAPI3REF: Result Codes").unwrap();
        let (header, _) = header.split_once("CAPI3REF: Flags For File Open").unwrap();
        let mut found = BTreeMap::new();
        for line in header.lines().filter_map(|line| line.strip_prefix("#define ")) {
            let (name, rest) = line.split_once(' ').unwrap();
            let number = number(rest, &found).unwrap_or_else(|| panic!("{line}"));
            found.insert(name.to_owned(), number);
        }
        let all = ALL.iter().map(|(name, code)| ((*name).to_owned(), *code)).collect();
        assert_eq!(found, all);
    }

    #[test]
    fn a_code_has_its_plain_one_and_a_name() {
        assert_eq!(primary(CONSTRAINT_UNIQUE), CONSTRAINT);
        assert_eq!((name(2067), name(-1)), (Some("SQLITE_CONSTRAINT_UNIQUE"), None));
    }
}
