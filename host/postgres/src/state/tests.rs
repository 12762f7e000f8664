//! Transactions, tags and settings.

use super::*;
use crate::translate::{Context, translate};

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
fn settings_keep_what_the_wire_can_do() {
    let mut settings = Settings::default();
    assert_eq!(settings.show("TimeZone").unwrap(), "UTC");
    settings.set("timezone", Some("Etc/UTC"), false).unwrap();
    assert_eq!(settings.set("TimeZone", Some("Europe/Berlin"), false).unwrap_err().code, "22023");
    assert_eq!(settings.set("nope", Some("1"), false).unwrap_err().code, "42704");
    assert_eq!(settings.set("server_version", Some("1"), false).unwrap_err().code, "55P02");
    settings.set("application_name", Some("a"), false).unwrap();
    settings.set("application_name", Some("b"), true).unwrap();
    settings.set("application_name", Some("c"), true).unwrap();
    settings.end_transaction();
    assert_eq!(settings.show("application_name").unwrap(), "a");
    for index in 0..100 {
        let _ = settings.set(&format!("my.{index}"), Some("x"), false);
    }
    assert!(settings.set.len() <= MAX_OWN);
    settings.reset();
    assert_eq!(settings.show("application_name").unwrap(), "");
}

#[test]
fn a_wrong_value_is_named() {
    let error = Settings::default().set("timezone", Some("Europe/Berlin"), false).unwrap_err();
    assert_eq!(error.message, "invalid value for parameter \"TimeZone\": \"Europe/Berlin\"");
}
