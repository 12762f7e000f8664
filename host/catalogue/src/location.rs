//! Where a source is: a directory, a server with an index, or a registry of OCI.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

/// Longest URL.
const MAX_URL_BYTES: usize = 1000;

/// Where a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A directory, by its absolute path.
    Directory(PathBuf),
    /// The directory of an index on a server.
    Server(Origin, String),
    /// A path in a registry of OCI.
    Registry(Origin, String),
}

/// The part of a URL that says who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Whether it is `https`; `http` is for loopback alone.
    pub is_secure: bool,
    /// Small letters, digits, `.` and `-`, or an IPv6 address in brackets.
    pub host: String,
    /// The port, written or implied.
    pub port: u16,
}

impl Location {
    /// Parse `https://HOST[:PORT]/PATH`, `oci://HOST[:PORT]/PATH`, `http://127.0.0.1:PORT/PATH`, or
    /// the path of a directory, which becomes absolute.
    ///
    /// # Errors
    ///
    /// When it is not one of these, or is `http` to another machine.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Ok(Self::Directory(std::path::absolute(text)?));
        };
        ensure!(text.len() <= MAX_URL_BYTES, "a URL has up to {MAX_URL_BYTES} bytes");
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.trim_end_matches('/');
        ensure!(
            is_path(path),
            "the path of a URL has letters, digits, `-`, `_`, `.` and `/`, and no `..`"
        );
        match scheme {
            "https" | "http" => {
                let origin = Origin::parse(authority, scheme == "https")?;
                Ok(Self::Server(origin, path.to_owned()))
            }
            "oci" => {
                // As other programs do: registries on this machine have no certificate.
                let mut origin = Origin::parse(authority, true)?;
                if is_loopback(&origin.host) {
                    origin = Origin::parse(authority, false)?;
                }
                ensure!(!path.is_empty(), "a registry needs a path, as in `oci://HOST/NAME`");
                Ok(Self::Registry(origin, path.to_owned()))
            }
            _ => bail!("a source is a directory, or begins with `https://` or `oci://`"),
        }
    }

    /// Who answers; `None` for a directory.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Directory(_) => None,
            Self::Server(origin, _) | Self::Registry(origin, _) => Some(origin),
        }
    }
}

impl Origin {
    /// Parse `HOST[:PORT]`.
    ///
    /// # Errors
    ///
    /// When it is something else, or is not secure and another machine.
    pub fn parse(text: &str, is_secure: bool) -> Result<Self> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (
                host,
                port.parse().ok().filter(|port| *port != 0).context("a port is from 1 to 65535")?,
            ),
            _ => (text, if is_secure { 443 } else { 80 }),
        };
        let host = host.to_ascii_lowercase();
        let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match address {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => (1..=253).contains(&host.len()) && host.bytes().all(is_in),
        };
        ensure!(is_host, "a URL begins with `https://HOST/` or `https://HOST:PORT/`");
        ensure!(is_secure || is_loopback(&host), "`http` is for this machine alone; use `https`");
        Ok(Self { is_secure, host, port })
    }

    /// The rest of a URL of this origin, as a path that begins with `/`.
    pub fn path_of<'a>(&self, url: &'a str) -> Option<&'a str> {
        if url.starts_with('/') && !url.starts_with("//") {
            return Some(url);
        }
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find('/')?;
        let is_secure = scheme.eq_ignore_ascii_case("https");
        (is_secure || scheme.eq_ignore_ascii_case("http"))
            .then(|| Self::parse(&rest[..end], is_secure).ok())
            .flatten()
            .filter(|origin| origin == self)
            .map(|_| &rest[end..])
    }
}

/// As the beginning of a URL.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_path(path: &str) -> bool {
    let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./~".contains(&byte);
    path.bytes().all(is_in) && !path.split('/').any(|part| part == ".." || part == ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_parsed() {
        let origin = |is_secure, host: &str, port| Origin { is_secure, host: host.into(), port };
        let server = |origin, path: &str| Location::Server(origin, path.into());
        for (text, location) in [
            ("https://example.org/a/b/", server(origin(true, "example.org", 443), "a/b")),
            ("https://Example.org:8443", server(origin(true, "example.org", 8443), "")),
            ("http://127.0.0.1:8080/x", server(origin(false, "127.0.0.1", 8080), "x")),
            ("http://[::1]:8080/x", server(origin(false, "[::1]", 8080), "x")),
            ("https://[2001:db8::1]/x", server(origin(true, "[2001:db8::1]", 443), "x")),
            ("oci://ghcr.io/a/b", Location::Registry(origin(true, "ghcr.io", 443), "a/b".into())),
            (
                "oci://localhost:5000/a",
                Location::Registry(origin(false, "localhost", 5000), "a".into()),
            ),
            ("/srv/x", Location::Directory("/srv/x".into())),
        ] {
            assert_eq!(Location::parse(text).unwrap(), location, "{text}");
        }
    }

    #[test]
    fn other_locations_are_refused() {
        for text in [
            "http://example.org/",
            "http://127.0.0.1.example.org/",
            "ftp://example.org/",
            "file:///etc",
            "https://",
            "https://user@example.org/",
            "https://user:word@example.org/",
            "https://example.org:0/",
            "https://example.org:65536/",
            "https://exa mple.org/",
            "https://example.org/../x",
            "https://example.org/a?b",
            "https://example.org/a#b",
            "https://example.org/a%2fb",
            "https://[::1/x",
            "oci://ghcr.io/",
        ] {
            assert!(Location::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn redirects_stay_at_their_origin() {
        let origin = Origin::parse("example.org", true).unwrap();
        for (url, path) in
            [("/a", "/a"), ("https://example.org/a?b", "/a?b"), ("HTTPS://EXAMPLE.org:443/a", "/a")]
        {
            assert_eq!(origin.path_of(url), Some(path), "{url}");
        }
        for url in [
            "http://example.org/a",
            "https://example.org:444/a",
            "https://example.org.evil/a",
            "https://example.org@evil/a",
            "https://evil/https://example.org/a",
            "//evil/a",
            "file:///a",
            "a",
            "",
        ] {
            assert_eq!(origin.path_of(url), None, "{url}");
        }
    }
}
