//! rot13: letters moved by 13 places.
//!
//! - `rot13(X)`: X with each of the 26 letters moved; moved twice it is X again
//!
//! The code is in `extension.c`.

// 2. What the extension is, and its entry point in C.
sqlite_wasm_c_api::extension! {
    name: "rot13",
    version: "0.1.0",
    description: "letters moved by 13 places",
    entry_point: sqlite3_rot13_init,
}
