//! The host's question whether SQLite's side has memory for what it is about to send. Memory that the
//! host allocates there cannot be refused: without it the component traps.

use alloc::vec::Vec;

use crate::Reader;

/// The byte with which the request begins. No operation has it.
const CODE: u8 = 254;

/// What the host sends without asking, in bytes: as much is always left.
pub const MAX_UNASKED: usize = 16 << 10;

/// The request. It has no reply, and fails with SQLITE_NOMEM.
pub fn ask(bytes: usize) -> Vec<u8> {
    let mut request = Vec::from([CODE]);
    request.extend_from_slice(&u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes());
    request
}

/// How many bytes a request asks for, if it is this one.
pub fn asked(request: &[u8]) -> Option<u32> {
    let mut from = Reader(request);
    match from.u8() {
        Ok(CODE) => from.u32().ok().filter(|_| from.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_request_asks() {
        let request = ask(usize::MAX);
        assert_eq!(asked(&request), Some(u32::MAX));
        assert_eq!(asked(&ask(7)), Some(7));
        assert_eq!(asked(&request[..3]), None);
        assert_eq!(asked(&[0, 7, 0, 0, 0]), None);
        assert!(crate::Opcode::of(CODE).is_none());
    }
}
