//! rot13: letters shifted by 13 positions.
//!
//! - `rot13(X)`: X with each ASCII letter shifted; applied twice, it gives X
//!
//! The code is in `extension.c`.

// 2. The extension, and its entry point in C.
sqlite_wasm_c_api::extension! {
    name: "rot13",
    version: "0.1.0",
    description: "letters moved by 13 places",
    entry_point: sqlite3_rot13_init,
}
