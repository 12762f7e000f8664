//! The script of a complete component. `extension build --standalone` puts it behind the memory that
//! the component begins with, and its position into [`SLOT`], which it finds by the mark.

use std::ptr;

/// Where the script is.
#[repr(C)]
struct Slot {
    mark: [u8; 16],
    start: u32,
    bytes: u32,
}

/// The position in a component without a script; nothing can be there.
const NOWHERE: u32 = u32::MAX;

/// `host/runtime/src/contract/script/standalone.rs` looks for the mark.
#[used]
static SLOT: Slot = Slot { mark: *b"sqlite-script-1\n", start: NOWHERE, bytes: NOWHERE };

/// The script in this component's memory.
pub fn script() -> Option<&'static [u8]> {
    // SAFETY: a reference to a static. Volatile, since the file has other values than the source.
    let slot = unsafe { ptr::read_volatile(&raw const SLOT) };
    if slot.start == NOWHERE {
        return None;
    }
    // SAFETY: the script is a separate data segment behind all others and the heap's first pages,
    // and nothing writes there.
    Some(unsafe {
        std::slice::from_raw_parts(slot.start as usize as *const u8, slot.bytes as usize)
    })
}
