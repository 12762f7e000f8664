//! Users, their tokens and their roles.

pub mod scram;
mod users;

use std::collections::HashMap;
use std::sync::Arc;

use access::policy::Role;
use access::token::{TokenHash, hash};
use scram::Secret;
pub use users::Users;

/// The user that makes a request.
#[derive(Debug, PartialEq, Eq)]
pub struct User {
    pub name: String,
    /// By the name of a database; `*` is any other.
    pub roles: HashMap<String, Role>,
}

impl User {
    /// The user of a server that has only one.
    fn local() -> Arc<Self> {
        let roles = HashMap::from([("*".to_owned(), Role::Owner)]);
        Arc::new(Self { name: "local".to_owned(), roles })
    }

    /// The role for a database, if any.
    pub fn role(&self, database: &str) -> Option<Role> {
        self.roles.get(database).or_else(|| self.roles.get("*")).copied()
    }
}

/// The ways in which users authenticate.
#[derive(Debug)]
pub struct Auth {
    tokens: HashMap<TokenHash, Arc<User>>,
    /// By the user's name.
    passwords: HashMap<String, (Secret, Arc<User>)>,
    /// The user without a token on a Unix socket; the permissions of its directory decide who may
    /// connect.
    local: Option<Arc<User>>,
    max_role: Role,
}

impl Auth {
    /// The users of a file.
    pub fn of_users(users: Users, max_role: Role) -> Self {
        let passwords = users.passwords();
        Self { tokens: users.by_token(), passwords, local: None, max_role }
    }

    /// One user, the owner, with this token.
    pub fn of_token(token: &str, max_role: Role) -> Self {
        let user = User::local();
        let tokens = HashMap::from([(hash(token), user.clone())]);
        Self { tokens, passwords: HashMap::new(), local: Some(user), max_role }
    }

    /// The user with this token.
    pub fn user(&self, token: Option<&str>, is_unix: bool) -> Option<Arc<User>> {
        match (token, &self.local) {
            (None, Some(local)) if is_unix => Some(local.clone()),
            (Some(token), _) => self.tokens.get(&hash(token)).cloned(),
            _ => None,
        }
    }

    /// The user of a server that has only one.
    pub fn local(&self) -> Option<&Arc<User>> {
        self.local.as_ref()
    }

    /// A user with a password, and the stored keys of that password.
    pub fn password(&self, name: &str) -> Option<&(Secret, Arc<User>)> {
        self.passwords.get(name)
    }

    /// The user's role for a database, which `--read-only` limits.
    pub fn role(&self, user: &User, database: &str) -> Option<Role> {
        user.role(database).map(|role| role.min(self.max_role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_unix_socket_needs_no_token() {
        let auth = Auth::of_token("secret", Role::Owner);
        assert!(auth.user(None, false).is_none());
        assert!(auth.user(Some(""), false).is_none());
        assert!(auth.user(Some("secre"), false).is_none());
        assert!(auth.user(Some("wrong"), true).is_none());
        assert_eq!(auth.user(Some("secret"), false).unwrap().name, "local");
        assert_eq!(auth.user(None, true).unwrap().name, "local");
    }

    #[test]
    fn roles_are_limited() {
        let auth = Auth::of_token("secret", Role::Read);
        let user = auth.user(Some("secret"), false).unwrap();
        assert_eq!(auth.role(&user, "any"), Some(Role::Read));
    }
}
