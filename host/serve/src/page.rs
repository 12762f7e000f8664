//! The web page: one file, which loads nothing and can only call this server.

use std::sync::LazyLock;

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

/// What `tooling/browser page` makes of `javascript/page`.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// The same by gzip; empty where the page was not made.
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html.gz"));

/// The page's content security policy. It names the hashes of the script and the style, so a text
/// from a database that became markup could not run.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash("script"),
        hash("style"),
    )
});

/// The hash of the text of the only element of this name.
fn hash(element: &str) -> String {
    let text = PAGE
        .split_once(&format!("<{element}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{element}>")).map(|(text, _)| text));
    let hash = digest(&SHA256, text.unwrap_or_default().as_bytes());
    format!("sha256-{}", STANDARD.encode(hash))
}

/// The page, compressed for clients that accept that.
pub fn page(headers: &HeaderMap) -> Response {
    let policy = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY.as_str()),
        (header::VARY, "accept-encoding"),
    ];
    if accepts_gzip(headers) && !COMPRESSED.is_empty() {
        return (policy, [(header::CONTENT_ENCODING, "gzip")], COMPRESSED).into_response();
    }
    (policy, PAGE).into_response()
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|value| value.split(',').any(|coding| coding.trim() == "gzip"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing() {
        // The namespace of SVG is not an address.
        let page = PAGE.replace("http://www.w3.org/", "");
        for outside in ["http:", "https:", "@import", "innerHTML=", "eval(", " src=\"", " href=\""]
        {
            assert!(!page.contains(outside), "{outside}");
        }
        for element in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("<{element}>")).count(), 1);
            assert_eq!(PAGE.matches(&format!("</{element}>")).count(), 1);
        }
    }

    #[test]
    fn only_gzip_without_a_weight_is_chosen() {
        let of = |value| HeaderMap::from_iter([(header::ACCEPT_ENCODING, value)]);
        assert!(accepts_gzip(&of(header::HeaderValue::from_static("br, gzip"))));
        assert!(!accepts_gzip(&of(header::HeaderValue::from_static("gzip;q=0"))));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
