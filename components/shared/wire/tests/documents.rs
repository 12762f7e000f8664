//! The documents have the table of operations as it is. `BLESS=1` writes it there.

use std::path::Path;
use std::{env, fs};

/// Check that a file of the repository is as it was generated, or write it.
fn check(file: &str, generated: impl FnOnce(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let after = generated(&before);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, after).unwrap();
    } else {
        assert!(before == after, "{file} is not as it is generated; `BLESS=1` writes it");
    }
}

#[test]
fn the_table_of_operations_is_in_the_documents() {
    check("OPERATIONS.md", |_| wire::table_of_operations());
}

#[test]
fn the_operations_of_extensions_are_in_the_contract() {
    check("../../../wit/extension/sql.wit", |before| {
        let (head, rest) = before.split_once("  enum operation {\n").expect("it has the enum");
        let (_, tail) = rest.split_once("  }\n").expect("it ends");
        format!("{head}  enum operation {{\n{}  }}\n{tail}", wire::wit_operation())
    });
}
