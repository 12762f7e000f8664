//! The contract of `wit/extension` as Rust. What the component exports of it
//! is in `raw.rs`.

wit_bindgen::generate!({
    inline: "package sqlite-wasm:malformed;
        world malformed {
            export sqlite-wasm:extension/extension@0.1.0;
            export sqlite-wasm:extension/scalar@0.1.0;
            export sqlite-wasm:extension/inline@0.1.0;
            export sqlite-wasm:extension/aggregate@0.1.0;
            export sqlite-wasm:extension/table@0.1.0;
        }",
    path: "../../../wit/extension",
    generate_all,
});
