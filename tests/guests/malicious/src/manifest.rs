//! Manifests: a valid one, and those that no host should take.

use crate::actions;
use crate::wire::sqlite_wasm::extension::types::{
    Collation, Connecting, Function, FunctionFlags, FunctionKind, Manifest, Module, ModuleFlags,
    ModuleKind, Need, Risk, TextEncoding,
};

pub fn manifest(word: &str) -> Manifest {
    let mut manifest = valid();
    match word {
        "huge-name" => manifest.functions[0].name = "x".repeat(1 << 20),
        "long-name" => manifest.functions[0].name = "x".repeat(256),
        "empty-name" => manifest.collations[0].name.clear(),
        "nul-name" => manifest.modules[0].name = "malicious\0table".into(),
        "own-name" => manifest.name = "malicious; DROP TABLE t".into(),
        "no-name" => manifest.name.clear(),
        "escape-name" => manifest.functions[0].name = "malicious\u{1b}[2J".into(),
        "escape-text" => manifest.description = "malicious\u{1b}[2J\nerror: no".into(),
        "huge-text" => manifest.description = "x".repeat(1 << 20),
        "version" => manifest.version = "one\ntwo".into(),
        "many" => manifest.functions = vec![manifest.functions[0].clone(); 100_000],
        "many-shadows" => manifest.modules[0].shadow_names = vec!["x".into(); 100_000],
        "shadow-name" => manifest.modules[0].shadow_names = vec!["x\0".into()],
        "many-needs" => manifest.needs = vec![Need::Sql; 100_000],
        "huge-need" => manifest.needs = vec![Need::Environment("x".repeat(1 << 20))],
        "pointers" => {
            manifest.functions[0].flags = FunctionFlags::POINTERS | FunctionFlags::INLINE;
        }
        "arguments" => manifest.functions[0].arguments = -5,
        "tokenizer" => manifest.functions[4].risk = Risk::DirectOnly,
        action => {
            actions::perform(action);
        }
    }
    manifest
}

fn valid() -> Manifest {
    Manifest {
        name: "malicious".into(),
        version: "0.1.0".into(),
        description: "what no well-behaved extension does".into(),
        functions: vec![
            function("malicious", 1, FunctionKind::Scalar),
            function("malicious_value", 1, FunctionKind::Scalar),
            function("malicious_error", 2, FunctionKind::Scalar),
            function("malicious_group", 2, FunctionKind::Window),
            function("malicious_words", -1, FunctionKind::Tokenizer),
        ],
        collations: vec![Collation {
            name: "malicious_order".into(),
            encoding: TextEncoding::Utf8,
        }],
        modules: vec![Module {
            name: "malicious_table".into(),
            kind: ModuleKind::Created,
            flags: ModuleFlags::all(),
            risk: Risk::Innocuous,
            shadow_names: Vec::new(),
        }],
        needs: Vec::new(),
        connects: Connecting::AtLoad,
    }
}

fn function(name: &str, arguments: i8, kind: FunctionKind) -> Function {
    Function {
        name: name.into(),
        arguments,
        kind,
        encoding: TextEncoding::Utf8,
        flags: FunctionFlags::empty(),
        risk: Risk::Innocuous,
    }
}
