//! The clock in SQL. A table's definition keeps it, and other programs of SQLite's evaluate it.

/// The moment of the statement in the form that is stored, to the millisecond, as far as SQLite knows it.
pub const NOW: &str = "rtrim(rtrim(strftime('%Y-%m-%d %H:%M:%f', 'now'), '0'), '.')";

/// The same to the second.
pub const NOW_IN_SECONDS: &str = "datetime('now')";

/// A default as PostgreSQL would show it, where it is one of the clock.
pub fn shown(default: &str) -> Option<&'static str> {
    match default {
        NOW => Some("CURRENT_TIMESTAMP"),
        NOW_IN_SECONDS => Some("CURRENT_TIMESTAMP(0)"),
        _ => None,
    }
}
