//! The contract of `wit/extension` as Rust.
#![allow(missing_docs)]

wit_bindgen::generate!({
    inline: "package sqlite-wasm:malicious;
        world malicious {
            export sqlite-wasm:extension/extension@0.1.0;
            export sqlite-wasm:extension/scalar@0.1.0;
            export sqlite-wasm:extension/aggregate@0.1.0;
            export sqlite-wasm:extension/collation@0.1.0;
            export sqlite-wasm:extension/table@0.1.0;
        }",
    path: "../../../wit/extension",
    generate_all,
    pub_export_macro: true,
    export_macro_name: "export_malicious",
});
