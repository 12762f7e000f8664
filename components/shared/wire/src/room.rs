//! The host's request to check that SQLite's side has memory for what it is about to send. Memory that the
//! host allocates there cannot be refused: without it the component traps.

use alloc::vec::Vec;

use crate::opcode::{Opcode, Sender};
use crate::{Operations, Reader};

/// What the host sends without asking, in bytes: as much is always left.
pub const MAX_UNASKED: usize = 16 << 10;

/// The request. It has no reply, and fails with SQLITE_NOMEM.
pub fn ask(bytes: usize) -> Vec<u8> {
    Operations::default().ask_memory(u32::try_from(bytes).unwrap_or(u32::MAX)).into_bytes()
}

/// How many bytes an `AskMemory` request is about; `None` for other requests.
pub fn asked(request: &[u8]) -> Option<u32> {
    let mut from = Reader(request);
    match Opcode::from_sender(from.u8().ok()?, Sender::Host) {
        Ok(Opcode::AskMemory) => from.u32().ok().filter(|_| from.is_empty()),
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
        assert_eq!(asked(&[]), None);
    }
}
