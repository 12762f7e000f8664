//! Bodies in both directions.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::large::{Large, Room};
use crate::session::error::{Error, Failure};

/// Largest body of a request, in bytes: SQL with its arguments. Each client may send one.
pub const MAX_BODY_BYTES: usize = 8 << 20;

/// Time in which a body must arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A request that is refused as a whole.
#[derive(Debug)]
pub struct Refused {
    status: StatusCode,
    failure: Failure,
}

impl Refused {
    fn new(status: StatusCode, message: &str, code: &'static str) -> Self {
        Self { status, failure: Failure { message: message.to_owned(), code } }
    }

    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong", "AUTH_FAILED")
    }

    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, message, "FORBIDDEN")
    }

    pub fn unsupported(message: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message, "UNSUPPORTED_TYPE")
    }

    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing of this name", "NOT_FOUND")
    }

    pub fn full() -> Self {
        Self::from(Error::Full)
    }

    pub fn bad(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message, "BAD_REQUEST")
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Full => StatusCode::SERVICE_UNAVAILABLE,
            Error::Database(sqlite_sandbox::Error::Sandbox(error)) => {
                // The reason may name files of the server.
                tracing::error!("a session could not start: {error:#}");
                return Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the session could not start",
                    "SERVER_ERROR",
                );
            }
            _ => StatusCode::BAD_REQUEST,
        };
        Self { status, failure: Failure::from(&error) }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, "application/json")];
        let Failure { message, code } = self.failure;
        let body = serde_json::json!({ "message": message, "code": code }).to_string();
        (self.status, headers, body).into_response()
    }
}

/// The whole body of a request, and the room that it takes until it is performed.
///
/// # Errors
///
/// Where it is too long, or takes too long.
pub async fn body(body: Body, large: &Large, user: &str) -> Result<(Bytes, Room), Refused> {
    let bytes = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
    let room = large.room(bytes, user).await?;
    match timeout(BODY_TIME, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok((bytes, room)),
        Ok(Err(_)) => Err(Refused::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is longer than 8 MiB, or broke off",
            "REQUEST_TOO_LARGE",
        )),
        Err(_) => Err(Refused::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
            "REQUEST_TIMEOUT",
        )),
    }
}
