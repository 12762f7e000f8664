//! LISTEN, UNLISTEN and NOTIFY.

use super::super::Action;
use super::{error, one};

#[test]
fn channels_are_the_servers() {
    let notify = |channel: &str, payload: &str| Action::Notify {
        channel: channel.into(),
        payload: payload.into(),
    };
    for (sql, action) in [
        ("LISTEN Some", Action::Listen("some".into())),
        ("LISTEN \"Some\"", Action::Listen("Some".into())),
        ("UNLISTEN *", Action::Unlisten(None)),
        ("UNLISTEN a", Action::Unlisten(Some("a".into()))),
        ("NOTIFY a", notify("a", "")),
        ("NOTIFY \"A b\", E'x\\n''y'", notify("A b", "x\n'y")),
    ] {
        assert_eq!(one(sql).action, action, "{sql}");
        assert_eq!(one(sql).command, sql.split(' ').next().unwrap());
    }
    assert_eq!(one("SELECT pg_notify('a', $1)").sql, "SELECT pg_session('pg_notify', 'a', ?1)");
}

#[test]
fn what_else_follows_is_an_error() {
    for sql in [
        "LISTEN",
        "LISTEN *",
        "LISTEN a b",
        "LISTEN 'a'",
        "UNLISTEN",
        "UNLISTEN 'a'",
        "NOTIFY",
        "NOTIFY a b",
        "NOTIFY a,",
        "NOTIFY a, b",
        "NOTIFY a, 'b' c",
    ] {
        assert_eq!(error(sql).code, "42601", "{sql}");
    }
}
