//! A writer that dies leaves a hot journal; whoever comes next, native or ours,
//! brings back what was committed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::hot_journal::{COMMITTED, QUERY, changing, committed, journal_size, leave};
use crate::support::session::Session;
use crate::support::{self, Directory, End, Input};

/// Leaves a hot journal with one program and queries with the other.
fn dies_and_recovers(name: &str, dying: &Path, recovering: &Path) {
    let directory = Directory::fresh(name);
    let directory = directory.path();
    let database = directory.join("test.db");
    leave(dying, &directory, "test.db", &database);
    support::run(recovering, &["test.db", QUERY], &directory, &Input::Nothing)
        .exits_with(0)
        .prints(COMMITTED)
        .keeps_quiet();
    assert_eq!(journal_size(&database), 0, "the journal was not taken away");
    support::natively(&directory, &["test.db", QUERY]).prints(COMMITTED);
}

#[test]
fn we_recover_what_the_native_shell_left() {
    dies_and_recovers("native-ours", &support::native(), &support::our_binary());
}

#[test]
fn the_native_shell_recovers_what_we_left() {
    dies_and_recovers("ours-native", &support::our_binary(), &support::native());
}

#[test]
fn we_recover_what_we_left() {
    dies_and_recovers("ours-ours", &support::our_binary(), &support::our_binary());
}

#[test]
fn a_writer_recovers_before_it_writes() {
    let directory = Directory::fresh("writer");
    let directory = directory.path();
    leave(&support::native(), &directory, "test.db", &directory.join("test.db"));
    let change =
        "INSERT INTO t VALUES (0, 'new'); SELECT count(*), total(b LIKE '%changed') FROM t;";
    support::ours(&directory, &["test.db", change]).exits_with(0).prints("3001|0.0\n");
    support::natively(&directory, &["test.db", "PRAGMA integrity_check"]).prints("ok\n");
}

/// Every way to leave a journal that is not removed at the end.
#[test]
fn every_kind_of_journal_is_recovered() {
    let programs = [support::our_binary(), support::native()];
    for mode in ["truncate", "persist"] {
        for (dying, recovering) in [(0, 1), (1, 0)] {
            let directory = Directory::fresh(mode);
            let directory = directory.path();
            committed(&directory, "test.db");
            let mut session = Session::start(&programs[dying], &["test.db"], &directory);
            session.answers(&format!("PRAGMA journal_mode={mode};"), &format!("{mode}\n"));
            // One that is committed, so that the journal is an old one.
            session.answers("UPDATE t SET b = b;", "");
            session.answers("PRAGMA cache_size=5; BEGIN; UPDATE t SET b = b || '-changed';", "");
            session.crash();
            support::run(&programs[recovering], &["test.db", QUERY], &directory, &Input::Nothing)
                .exits_with(0)
                .prints(COMMITTED);
        }
    }
}

/// A journal is hot only when nobody holds its database.
#[test]
fn the_journal_of_a_living_writer_is_left_alone() {
    let programs = [support::our_binary(), support::native()];
    for (writing, reading) in [(0, 1), (1, 0), (0, 0)] {
        let directory = Directory::fresh("living");
        let directory = directory.path();
        committed(&directory, "test.db");
        let mut session = changing(&programs[writing], &directory, "test.db");
        let size = journal_size(&directory.join("test.db"));
        assert!(size > 0, "there is no journal to leave alone");
        let run =
            support::run(&programs[reading], &["test.db", QUERY], &directory, &Input::Nothing);
        run.exits_with(5).prints("").complains("database is locked (5)");
        assert_eq!(journal_size(&directory.join("test.db")), size);
        session.answers("COMMIT; SELECT total(b LIKE '%changed') FROM t;", "3000.0\n");
    }
}

/// Where a database is called by a link and by its own name.
struct Linked {
    directory: Directory,
}

impl Linked {
    fn fresh(name: &str) -> Self {
        let directory = Directory::fresh(name);
        fs::create_dir(directory.path().join("real")).expect("the directory is ours");
        symlink("real/test.db", directory.path().join("link.db")).expect("the directory is ours");
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The names of files in the directory of the link that begin as it does.
    fn is_clean(&self) -> bool {
        !self.path("link.db-journal").exists()
    }
}

#[test]
fn a_linked_database_has_its_journal_next_to_the_real_file() {
    let linked = Linked::fresh("link-journal");
    committed(&linked.path("real"), "test.db");
    let session = changing(&support::our_binary(), &linked.path("."), "link.db");
    assert!(journal_size(&linked.path("real/test.db")) > 0, "no journal beside the real file");
    assert!(linked.is_clean(), "there is a journal beside the link");
    assert_eq!(session.finish().0, End::Exited(0));
}

#[test]
fn a_hot_journal_is_found_through_a_link() {
    let linked = Linked::fresh("link-found");
    let database = linked.path("real/test.db");
    leave(&support::native(), &linked.path("real"), "test.db", &database);
    support::ours(&linked.path("."), &["link.db", QUERY]).exits_with(0).prints(COMMITTED);
    assert_eq!(journal_size(&database), 0, "the journal was not taken away");
}

#[test]
fn what_was_written_through_a_link_is_recovered_by_the_real_name() {
    let linked = Linked::fresh("link-left");
    let database = linked.path("real/test.db");
    leave(&support::our_binary(), &linked.path("."), "link.db", &database);
    support::natively(&linked.path("real"), &["test.db", QUERY]).exits_with(0).prints(COMMITTED);
}

/// A commit in two files has a super-journal; until it is gone, both are
/// rolled back.
#[test]
fn two_files_are_recovered_together() {
    let programs = [support::our_binary(), support::native()];
    for (dying, recovering) in [(0, 1), (1, 0)] {
        let directory = Directory::fresh("two-files");
        let directory = directory.path();
        committed(&directory, "one.db");
        committed(&directory, "two.db");
        let mut session = changing(&programs[dying], &directory, "one.db");
        session.answers("ROLLBACK; ATTACH 'two.db' AS x; PRAGMA x.cache_size=5;", "");
        session.answers(
            "BEGIN; UPDATE main.t SET b = b || '-changed'; UPDATE x.t SET b = b || '-changed';",
            "",
        );
        session.crash();
        for database in ["one.db", "two.db"] {
            let words = [database, QUERY];
            support::run(&programs[recovering], &words, &directory, &Input::Nothing)
                .exits_with(0)
                .prints(COMMITTED);
        }
    }
}

/// A statement that fails half-way is undone from its own journal, which is a
/// temporary file without a name.
#[test]
fn temporary_files_have_no_name() {
    let directory = Directory::fresh("temporary");
    let directory = directory.path();
    committed(&directory, "test.db");
    let mut session = Session::start(&support::our_binary(), &["test.db"], &directory);
    session.answers("PRAGMA temp_store=file; PRAGMA cache_size=5;", "");
    session.answers("CREATE TEMP TABLE u AS SELECT * FROM t; CREATE INDEX temp.i ON u(b);", "");
    let mut names: Vec<_> = fs::read_dir(&directory)
        .expect("the directory is ours")
        .map(|entry| entry.expect("the directory is ours").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["test.db"], "temporary files can be seen");
    session.answers("SELECT count(*) FROM temp.u;", "3000\n");
}
