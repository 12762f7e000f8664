//! Composing what was made to deceive: a file that was composed before, and a name of our own code.

use std::fs;

use crate::support::composed::{Composed, shipped};
use crate::support::{self, Directory};

/// The list in a composed file is its maker's, and says which extensions replace which others.
#[test]
fn a_list_that_says_something_else_than_the_extensions_is_refused() {
    let composed = Composed::with("forged", &["uuid"]);
    let bytes = fs::read(composed.portable()).expect("it is there");
    for (listed, forged) in [("\"sha256\":\"", "0"), ("\"version\":\"", "9"), ("\"uuid4/", "9")] {
        let at = bytes.windows(listed.len()).rposition(|bytes| bytes == listed.as_bytes());
        let at = at.expect("the list has it") + listed.len();
        let mut file = bytes.clone();
        let other = if file[at] == forged.as_bytes()[0] { b'1' } else { forged.as_bytes()[0] };
        file[at] = other;
        fs::write(composed.directory().join("forged.wasm"), file).expect("it is ours");
        let args = ["compose", "--cli", "forged.wasm", "--embed", "series", "-o", "new.wasm"];
        let outcome = support::ours(&composed.directory(), &args).exits_with(121);
        outcome.complains("list of extensions says something else of `uuid`");
        assert!(!composed.directory().join("new.wasm").exists(), "{listed}");
    }
}

/// Trampolines of an older form are in the shell's own module, where no composition finds them.
#[test]
fn a_file_of_an_older_form_says_what_to_do() {
    let composed = Composed::with("older", &["uuid"]);
    let mut file = fs::read(composed.portable()).expect("it is there");
    *file.last_mut().expect("it ends with the mark") = b'3';
    fs::write(composed.directory().join("older.wasm"), file).expect("it is ours");
    for args in [
        &["older.wasm", ":memory:", "SELECT 1;"][..],
        &["compose", "--cli", "older.wasm", "--embed", "series", "-o", "new.wasm"],
    ] {
        let outcome = support::ours(&composed.directory(), args).exits_with(121);
        outcome.complains("it was composed by another version of this program; compose it again");
    }
}

/// Frames of LLVM's code are nobody's where a trap is attributed.
#[test]
fn an_extension_with_the_name_of_llvm_s_code_is_refused() {
    let directory = Directory::fresh("reserved");
    let mut uuid = fs::read(shipped("uuid")).expect("it is there");
    let name = b"machine-code-by-LLVM";
    uuid.extend([0, name.len() as u8 + 1, 0]);
    uuid.extend(name);
    fs::write(directory.path().join("reserved.wasm"), uuid).expect("it is ours");
    let args = [":memory:", "SELECT load_extension('./reserved.wasm');"];
    let outcome = support::ours(&directory.path(), &args).exits_with(1);
    outcome.complains("it contains the name `machine-code-by-LLVM`");
}
