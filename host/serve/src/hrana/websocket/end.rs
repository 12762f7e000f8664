//! Why a WebSocket ends, in the codes of RFC 6455, section 7.4.1.

pub const NORMAL: u16 = 1000;
pub const AWAY: u16 = 1001;
pub const PROTOCOL_ERROR: u16 = 1002;
pub const UNSUPPORTED: u16 = 1003;
pub const TOO_LONG: u16 = 1009;
pub const OVERLOADED: u16 = 1013;

/// Why a connection ends: the code, and the reason for the client.
pub struct End(pub u16, pub &'static str);

/// Whether a message is longer than the limit.
pub fn is_too_long(error: &axum::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if error.to_string().contains("too long") {
            return true;
        }
        source = error.source();
    }
    false
}
