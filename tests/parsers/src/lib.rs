//! The parsers of foreign bytes: of extensions, of clients on the network, of files that are loaded.
//!
//! Each takes any bytes and returns, or panics where a parser is wrong. libFuzzer looks for such bytes by the
//! coverage of the parser (`make fuzz COVERAGE=1`). What reached new code is kept in `corpus`, and `cargo test` replays it.

mod postgres;
mod wire_bytes;

use sqlite_wasm_catalogue::index::Index;
use sqlite_wasm_runtime::contract::composition::{Composition, Placement};
use sqlite_wasm_runtime::contract::script::Script;

/// A parser takes any bytes.
pub type Parser = fn(&[u8]);

/// Each by its name, which is that of its directory in `corpus`.
pub const PARSERS: &[(&str, Parser)] = &[
    ("composition", composition),
    ("copy", postgres::copy),
    ("frames", postgres::frames),
    ("index", index),
    ("operations", wire_bytes::operations),
    ("replies", wire_bytes::replies),
    ("script", script),
    ("sql", postgres::sql),
    ("tokens", wire_bytes::tokens),
];

/// The list of a composed file with the manifests of its extensions; what it names is inside the file.
fn composition(bytes: &[u8]) {
    for list in
        [Composition::of(bytes), Composition::of_native(bytes)].into_iter().flatten().flatten()
    {
        assert!(list.component_bytes <= bytes.len());
        for extension in &list.extensions {
            let range = extension.placement.range();
            let is_bundled = matches!(extension.placement, Placement::Bundled { .. });
            // What is fused is in the `.wasm`, of which a `.cwasm` has only the native code.
            assert!(!is_bundled || bytes.get(range.clone()).is_some(), "{range:?}");
        }
    }
}

/// The script in a component without an engine.
fn script(bytes: &[u8]) {
    if let Ok(Some(script)) = Script::of(bytes) {
        assert!(!script.engine().is_empty());
    }
}

/// The index of a catalogue. Its signature is verified before; a source may have signed anything.
fn index(bytes: &[u8]) {
    if let Ok(index) = Index::parse(bytes) {
        assert!(index.find("", None).is_none(), "an entry has no name");
    }
}
