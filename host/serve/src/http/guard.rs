//! Refuses requests that a web page makes without its user's knowledge: with a foreign `Origin`, or
//! with a `Host` that is not this server's (DNS rebinding). No other origin is ever allowed.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Listener, Refused};

/// The types of requests: those that a page can send to any server without a preflight request are
/// not among them.
const TYPES: &[&str] = &["application/json", "application/x-protobuf"];

/// The host names of a listener.
#[derive(Debug, Clone)]
pub enum Hosts {
    /// A Unix socket, which no page reaches.
    Unix,
    /// Any name: beyond loopback the server does not know its name, and its users have tokens.
    Any,
    /// These.
    Named(Vec<String>),
}

impl Hosts {
    /// Those of an address, and other names.
    pub fn of(address: SocketAddr, names: &[String]) -> Self {
        if !address.ip().is_loopback() && names.is_empty() {
            return Self::Any;
        }
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let mut all = vec![own];
        if address.ip().is_loopback() {
            all.push("localhost".to_owned());
        }
        all.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        Self::Named(all)
    }

    fn allow(&self, host: Option<&str>) -> bool {
        match self {
            Self::Unix => true,
            Self::Any => host.is_some(),
            Self::Named(names) => {
                let authority = host.and_then(|host| host.parse::<Authority>().ok());
                authority.is_some_and(|host| names.contains(&host.host().to_ascii_lowercase()))
            }
        }
    }
}

/// Refuse requests of pages, and forbid pages to use the replies.
pub async fn check(State(listener): State<Listener>, request: Request, next: Next) -> Response {
    if let Err(refused) = checked(&listener.hosts, &request) {
        return refused.into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn checked(hosts: &Hosts, request: &Request) -> Result<(), Refused> {
    let headers = request.headers();
    let host = single(headers, header::HOST);
    if !hosts.allow(host) {
        return Err(Refused::forbidden("the header Host does not name this server"));
    }
    if headers.contains_key(header::ORIGIN) && !is_own(single(headers, header::ORIGIN), host) {
        return Err(Refused::forbidden("requests of other web pages are refused"));
    }
    if request.method() == Method::POST && !has_type(headers) {
        return Err(Refused::unsupported(
            "the content type must be application/json or application/x-protobuf",
        ));
    }
    Ok(())
}

/// The value of a header that occurs once.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn is_own(origin: Option<&str>, host: Option<&str>) -> bool {
    let Some((scheme, rest)) = origin.and_then(|origin| origin.split_once("://")) else {
        return false;
    };
    matches!(scheme, "http" | "https") && Some(rest) == host
}

/// Whether the content type is one of [`TYPES`]. Rust's client of libSQL sends none; a page that
/// omits it still sends its `Origin`.
fn has_type(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::CONTENT_TYPE) {
        return true;
    }
    let value = single(headers, header::CONTENT_TYPE).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_few_names() {
        let hosts = Hosts::of("127.0.0.1:80".parse().unwrap(), &["DB.example".to_owned()]);
        for host in ["127.0.0.1", "127.0.0.1:80", "LOCALHOST:8080", "db.example:1"] {
            assert!(hosts.allow(Some(host)), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil:80", "[::1]"] {
            assert!(!hosts.allow(Some(host)), "{host}");
        }
        assert!(!hosts.allow(None));
        assert!(Hosts::of("[::1]:80".parse().unwrap(), &[]).allow(Some("[::1]:80")));
        let open = Hosts::of("0.0.0.0:80".parse().unwrap(), &[]);
        assert!(open.allow(Some("any.example")) && !open.allow(None));
    }

    #[test]
    fn only_known_types_are_accepted() {
        let has = |types: &[&'static str]| {
            let one =
                |value: &&'static str| (header::CONTENT_TYPE, HeaderValue::from_static(value));
            has_type(&types.iter().map(one).collect())
        };
        for known in ["application/json", "Application/JSON; charset=utf-8", TYPES[1]] {
            assert!(has(&[known]), "{known}");
        }
        for other in ["", "text/plain", "application/xml", "application/jsonx", "text/json"] {
            assert!(!has(&[other]), "{other}");
        }
        assert!(has(&[]) && !has(&["application/json", "text/plain"]));
    }

    #[test]
    fn only_the_own_origin_is_accepted() {
        assert!(is_own(Some("http://localhost:8080"), Some("localhost:8080")));
        for origin in [None, Some("null"), Some("http://localhost"), Some("file://localhost:8080")]
        {
            assert!(!is_own(origin, Some("localhost:8080")), "{origin:?}");
        }
    }
}
