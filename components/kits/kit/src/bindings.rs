//! The contract of `wit/extension` as Rust, one world for each interface.
//!
//! Each interface has its own world, so that a component exports what its
//! extension lists and nothing more; wit-component unites the worlds. Not for
//! authors: [`extension!`](crate::extension) uses it in their crates.
#![allow(missing_docs)]

pub use manifest::sqlite_wasm::extension::types;
pub use table::sqlite_wasm::extension::table_types;

/// Refers to an extension, so that the compiler considers it used.
pub const fn is_used<T: crate::Definition>() {}

/// Run the constructors of C, as each function that `wit-bindgen` exports does first.
pub(crate) fn run_constructors() {
    #[cfg(target_family = "wasm")]
    wit_bindgen::rt::run_ctors_once();
}

pub mod manifest {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:kit-manifest;
            world manifest { export sqlite-wasm:extension/extension@0.1.0; }",
        path: "wit/extension",
        // The kit's type, so that nothing is converted.
        with: { "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_manifest",
    });
}

pub mod scalar {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:kit-scalar;
            world scalar { export sqlite-wasm:extension/scalar@0.1.0; }",
        path: "wit/extension",
        // The kit's types, so that nothing is converted.
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": crate::Value,
            "sqlite-wasm:extension/types@0.1.0/output": crate::Output,
            "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_scalar",
    });
}

pub mod inline {
    pub use crate::scalar::{Returned, call_inline};
    pub use wire::InlineArguments;

    wit_bindgen::generate!({
        // Written by hand; see `scalar.rs`.
        skip: ["call"],
        inline: "package sqlite-wasm:kit-inline;
            world inline { export sqlite-wasm:extension/inline@0.1.0; }",
        path: "wit/extension",
        // The kit's types, so that nothing is converted.
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": crate::Value,
            "sqlite-wasm:extension/types@0.1.0/output": crate::Output,
            "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_inline",
    });
}

pub mod aggregate {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:kit-aggregate;
            world aggregate { export sqlite-wasm:extension/aggregate@0.1.0; }",
        path: "wit/extension",
        // The kit's types, so that nothing is converted.
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": crate::Value,
            "sqlite-wasm:extension/types@0.1.0/output": crate::Output,
            "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_aggregate",
    });
}

pub mod collation {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:kit-collation;
            world collation { export sqlite-wasm:extension/collation@0.1.0; }",
        path: "wit/extension",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_collation",
    });
}

pub mod table {
    pub use crate::table::{Fetched, fetch};

    wit_bindgen::generate!({
        // Written by hand; see `table/batch.rs`.
        skip: ["fetch-batch"],
        inline: "package sqlite-wasm:kit-table;
            world table { export sqlite-wasm:extension/table@0.1.0; }",
        path: "wit/extension",
        // The kit's types, so that nothing is converted.
        with: {
            "sqlite-wasm:extension/types@0.1.0/value": crate::Value,
            "sqlite-wasm:extension/types@0.1.0/output": crate::Output,
            "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_table",
    });
}

pub mod sql_work {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:kit-sql;
            world sql { import sqlite-wasm:extension/sql-work@0.1.0; }",
        path: "wit/extension",
        // The kit's type, so that nothing is converted.
        with: { "sqlite-wasm:extension/types@0.1.0/sql-error": crate::Error },
        generate_all,
    });
    pub use self::sqlite_wasm::extension::sql_work::*;
    pub use self::sqlite_wasm::extension::types::{
        Function, FunctionFlags, FunctionKind, Risk, TextEncoding,
    };
}
