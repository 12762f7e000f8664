//! HTTP: authentication, and the bodies of requests.

pub mod guard;
mod reply;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, header};

use crate::auth::User;
use crate::connections::Place;
use crate::server::Server;
pub use reply::{MAX_BODY_BYTES, Refused, body};

/// Shared by the clients of a listener.
#[derive(Clone)]
pub struct Listener {
    pub server: Arc<Server>,
    hosts: guard::Hosts,
}

impl Listener {
    /// A listener at a TCP address; `None` for a Unix socket.
    pub fn new(server: Arc<Server>, address: Option<SocketAddr>, names: &[String]) -> Self {
        let hosts = match address {
            Some(address) => guard::Hosts::of(address, names),
            None => guard::Hosts::Unix,
        };
        Self { server, hosts }
    }

    /// Whether it listens at a Unix socket, which is the owner's.
    pub fn is_owners(&self) -> bool {
        matches!(self.hosts, guard::Hosts::Unix)
    }

    /// The user of a request, whose connection is his from now on.
    ///
    /// # Errors
    ///
    /// Where the token is missing or wrong, and where the user has too many connections.
    pub fn known(&self, place: &Place, headers: &HeaderMap) -> Result<Arc<User>, Refused> {
        let user = self.user(headers)?;
        if place.is_of(&user.name) { Ok(user) } else { Err(Refused::full()) }
    }

    /// The user of a request.
    ///
    /// # Errors
    ///
    /// Where the token is missing or wrong.
    pub fn user(&self, headers: &HeaderMap) -> Result<Arc<User>, Refused> {
        let header = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        self.token_user(token)
    }

    /// The same, with a token that came another way.
    ///
    /// # Errors
    ///
    /// As [`Self::user`].
    pub fn token_user(&self, token: Option<&str>) -> Result<Arc<User>, Refused> {
        self.server.auth.user(token, self.is_owners()).ok_or_else(|| {
            self.server.metrics.refused();
            Refused::unauthorized()
        })
    }
}
