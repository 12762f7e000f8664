//! vec0: vectors and nearest neighbours; sqlite-vec itself.

sqlite_wasm_c_api::extension! {
    name: "vec0",
    version: "0.1.9",
    description: "vector search: sqlite-vec",
    entry_point: sqlite3_vec_init,
}
