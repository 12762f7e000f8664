//! What a session says in SQL.

/// What a session says in SQL: `current_user`, `current_database()`.
#[derive(Clone, Debug)]
pub struct Context {
    /// The name of the user.
    pub user: String,
    /// The name of the database.
    pub database: String,
    /// What `pg_backend_pid()` is.
    pub process: i32,
}

impl Default for Context {
    fn default() -> Self {
        Self { user: "postgres".into(), database: "main".into(), process: 0 }
    }
}
