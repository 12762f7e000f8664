//! Whose code runs: LLVM's of the shell and of the database, if this build has made it
//! (`tooling/build/native`), and Cranelift's in all other cases.

use std::fs;

use sqlite_wasm_runtime::artifact::compiler::Compiler;
use sqlite_wasm_runtime::artifact::engine::EngineKind;
use sqlite_wasm_runtime::artifact::is_by_llvm;
use sqlite_wasm_runtime::limits::address_space::Form;

use crate::support::{self, Directory, composed};

/// A component that `make build` makes.
pub fn component(name: &str) -> Vec<u8> {
    let path = support::our_binary().with_file_name(format!("{name}.wasm"));
    let path = support::existing(path, "`make build` makes it");
    fs::read(path).expect("the component is readable")
}

/// Whether the build has made this image.
pub fn has_image(name: &str) -> bool {
    support::repository().join(format!("target/native/{name}.image")).exists()
}

#[test]
fn each_kind_of_code_is_of_one_compiler() {
    let compiler = Compiler::default().helper(support::helper());
    let by_llvm = |compiler: &Compiler, kind, wasm: &[u8]| {
        is_by_llvm(&compiler.compile(kind, wasm).expect("it is compiled"))
    };
    let (shell, database) = (component("cli"), component("database"));
    let full = Form::Full;
    assert_eq!(by_llvm(&compiler, EngineKind::Command(full), &shell), has_image("cli"));
    assert_eq!(by_llvm(&compiler, EngineKind::Command(full), &database), has_image("database"));
    assert_eq!(by_llvm(&compiler, EngineKind::Timed(full), &database), has_image("database-timed"));
    for form in [Form::Checked, Form::Unsignalled] {
        assert!(!by_llvm(&compiler, EngineKind::Command(form), &shell), "{form:?}");
        assert!(!by_llvm(&compiler, EngineKind::Timed(form), &database), "{form:?}");
    }
    assert!(!by_llvm(&compiler, EngineKind::Timed(full), &shell));
    assert!(!by_llvm(&compiler.by_cranelift(), EngineKind::Command(full), &shell));
}

/// A component that differs in one byte that no code depends on is another one.
#[test]
fn another_shell_is_compiled_by_cranelift() {
    let compiler = Compiler::default().helper(support::helper());
    let mut shell = component("cli");
    let text = b"SQLite format 3";
    let at = shell.windows(text.len()).position(|window| window == text).expect("SQLite has it");
    shell[at] ^= 0x20;
    let code = compiler.compile(EngineKind::Command(Form::Full), &shell).expect("it is compiled");
    assert!(!is_by_llvm(&code));
}

/// LLVM's code takes for granted where the shell's instance has its parts and which indices its types
/// have, whatever it is composed with, and how often.
#[test]
fn a_composed_shell_has_the_shell_s_code() {
    let check = |composed: &composed::Composed| {
        let code = fs::read(composed.compiled()).expect("it is there");
        assert_eq!(is_by_llvm(&code), has_image("cli"));
    };
    let composed = composed::Composed::with("compilers", &["uuid", "series", "vec0"]);
    check(&composed);
    check(&composed.again(&["sha3", "text", "sha3query"]));
}

#[test]
fn doctor_says_whose_code_the_shell_is() {
    let directory = Directory::fresh("compilers");
    let run = support::ours(&directory.path(), &["doctor"]);
    let compiler = if has_image("cli") { "LLVM" } else { "Cranelift" };
    assert!(run.out().contains(&format!("code by {compiler}")), "{run}");
}
