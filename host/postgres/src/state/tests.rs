//! Transactions, tags and settings.

use std::time::Duration;

use super::*;
use crate::translate::{Context, Modes, translate};

fn one(sql: &str) -> Statement {
    translate(sql, &Context::default()).unwrap().pop().unwrap()
}

#[test]
fn a_failed_transaction_takes_only_its_end() {
    let mut state = Transaction::Idle.after(&one("BEGIN").action);
    assert_eq!((state, state.indicator()), (Transaction::Active, b'T'));
    state = state.after_error();
    assert_eq!(state.check(&one("SELECT 1").action).unwrap_err().code, "25P02");
    let commit = one("COMMIT");
    state.check(&commit.action).unwrap();
    assert_eq!(state.plan(&commit), Plan::Run("ROLLBACK"));
    assert_eq!(tag(&commit, 0, state), "ROLLBACK");
    assert_eq!(state.after(&commit.action), Transaction::Idle);
    assert_eq!(state.after(&one("ROLLBACK TO a").action), Transaction::Active);
    assert_eq!(Transaction::Idle.after_error(), Transaction::Idle);
}

#[test]
fn what_has_no_transaction_to_end_is_a_warning() {
    assert!(matches!(Transaction::Idle.plan(&one("ROLLBACK")), Plan::Warn("25P01", _)));
    assert!(matches!(Transaction::Active.plan(&one("BEGIN")), Plan::Warn("25001", _)));
    assert!(matches!(Transaction::Idle.plan(&one("SAVEPOINT a")), Plan::Refuse(_)));
    assert_eq!(Transaction::Idle.plan(&one("SELECT 1")), Plan::Run("SELECT 1"));
    assert_eq!(Transaction::Idle.plan(&one("SET TimeZone = 'UTC'")), Plan::Nothing);
}

#[test]
fn commands_have_their_tags() {
    for (sql, tag_text) in [
        ("INSERT INTO t VALUES (1)", "INSERT 0 3"),
        ("SELECT 1", "SELECT 3"),
        ("VALUES (1)", "SELECT 3"),
        ("UPDATE t SET a = 1", "UPDATE 3"),
        ("DELETE FROM t", "DELETE 3"),
        ("CREATE TABLE t(a int)", "CREATE TABLE"),
        ("START TRANSACTION READ ONLY", "START TRANSACTION"),
        ("DROP TABLE t", "DROP TABLE"),
        ("TRUNCATE t", "TRUNCATE TABLE"),
        ("SET a.b = 1", "SET"),
        ("COPY t FROM STDIN", "COPY 3"),
        ("PRAGMA user_version", "PRAGMA"),
    ] {
        assert_eq!(tag(&one(sql), 3, Transaction::Idle), tag_text);
    }
}

#[test]
fn settings_are_taken_shown_or_refused() {
    let mut settings = Settings::of("alice", Duration::from_secs(10), Duration::ZERO);
    for (name, value, shown) in [
        ("TimeZone", "etc/utc", "Etc/UTC"),
        ("intervalstyle", "ISO_8601", "iso_8601"),
        ("work_mem", "4096", "4MB"),
        ("statement_timeout", "1min", "10s"),
        ("statement_timeout", "0", "10s"),
        ("statement_timeout", "500", "500ms"),
        ("client_encoding", "utf-8", "UTF8"),
        ("datestyle", "iso", "ISO, MDY"),
        ("extra_float_digits", "3", "3"),
        ("search_path", "a, \"B\"", "a, \"B\""),
        ("row_security", "false", "off"),
        ("application_name", "é\n", "???"),
        ("role", "none", "none"),
        ("session_authorization", "alice", "alice"),
        ("my.own", "x", "x"),
    ] {
        settings.set(name, Some(value), false).unwrap();
        assert_eq!(settings.show(name).unwrap(), shown, "{name}");
    }
    for (name, value, code) in [
        ("TimeZone", "Europe/Berlin", "0A000"),
        ("TimeZone", "nonsense", "22023"),
        ("client_encoding", "LATIN1", "0A000"),
        ("client_encoding", "nonsense", "22023"),
        ("bytea_output", "escape", "0A000"),
        ("standard_conforming_strings", "off", "0A000"),
        ("datestyle", "German", "0A000"),
        ("datestyle", "nonsense", "22023"),
        ("extra_float_digits", "0", "0A000"),
        ("default_tablespace", "x", "22023"),
        ("jit", "maybe", "22023"),
        ("role", "admin", "22023"),
        ("nope", "1", "42704"),
        ("a-b.c", "1", "42602"),
        ("server_version", "1", "55P02"),
        ("log_statement", "all", "42501"),
    ] {
        assert_eq!(settings.set(name, Some(value), false).unwrap_err().code, code, "{name}");
    }
    let error = settings.set("timezone", Some("nonsense"), false).unwrap_err();
    assert_eq!(error.message, "invalid value for parameter \"TimeZone\": \"nonsense\"");
}

#[test]
fn settings_follow_the_transaction() {
    let mut settings = Settings::default();
    settings.start("application_name", "start").unwrap();
    let set = |settings: &mut Settings, value, is_local| {
        settings.set("application_name", Some(value), is_local).unwrap();
    };
    set(&mut settings, "a", false);
    settings.end(true);
    set(&mut settings, "b", true);
    settings.savepoint("s").unwrap();
    set(&mut settings, "c", false);
    let shown = |settings: &Settings| settings.show("application_name").unwrap();
    assert_eq!(shown(&settings), "c");
    assert_eq!(settings.mark("S").unwrap_err().code, "3B001");
    settings.roll_back_to(settings.mark("s").unwrap());
    assert_eq!(shown(&settings), "b");
    settings.release(0);
    settings.end(true);
    assert_eq!(shown(&settings), "a");
    set(&mut settings, "d", false);
    settings.end(false);
    assert_eq!(shown(&settings), "a");
    settings.reset().unwrap();
    assert_eq!(shown(&settings), "start");
    settings.end(false);
    assert_eq!(shown(&settings), "a");
}

#[test]
fn modes_hold_for_a_transaction() {
    let mut settings = Settings::default();
    settings.set("default_transaction_read_only", Some("on"), false).unwrap();
    settings.begin(&Modes { is_deferrable: Some(true), ..Modes::default() });
    settings.set("default_transaction_read_only", Some("off"), false).unwrap();
    assert!(settings.is_read_only() && settings.is_on("transaction_deferrable"));
    settings.set("transaction_read_only", Some("off"), false).unwrap();
    settings.set("transaction_isolation", Some("read committed"), false).unwrap();
    settings.has_begun();
    let level = Modes { isolation: Modes::level("repeatable read"), ..Modes::default() };
    assert_eq!(settings.change_modes(&level).unwrap_err().code, "25001");
    assert_eq!(settings.show("transaction_isolation").unwrap(), "read committed");
    settings.end(true);
    assert_eq!(settings.show("transaction_isolation").unwrap(), "serializable");
    assert!(!settings.is_read_only());
}

#[test]
fn what_a_session_sets_is_bounded() {
    let mut settings = Settings::default();
    for index in 0..1000 {
        let _ = settings.set(&format!("my.a{index}"), Some("x"), false);
    }
    assert_eq!(settings.set("my.more", Some("x"), false).unwrap_err().code, "54000");
    let long = "x".repeat(60 << 10);
    let done = (0..1000).try_for_each(|index| settings.set("my.a1", Some(&long[index..]), false));
    done.unwrap();
    let done = (0..1000).try_for_each(|index| {
        settings.savepoint("s")?;
        settings.set("my.a1", Some(&long[index..]), false)
    });
    assert_eq!(done.unwrap_err().code, "54000");
}
