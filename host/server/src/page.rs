//! The web page: one file, which loads nothing and can only call this server.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

const PAGE: &str = include_str!("page.html");

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

/// The page.
pub fn page() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY.as_str()),
    ];
    (headers, PAGE).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing() {
        for outside in ["http:", "https:", "src=", "href=", "@import", "url(", "innerHTML", "eval("]
        {
            assert!(!PAGE.contains(outside), "{outside}");
        }
        for element in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("<{element}>")).count(), 1);
            assert_ne!(hash(element), hash("none"));
        }
    }
}
