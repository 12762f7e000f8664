//! The contract as text: every interface, function and type says what it is and
//! since when it is there.

use crate::support;
use wit_parser::{Docs, Resolve, Stability, TypeDefKind};

fn complaint(name: &str, docs: &Docs, stability: &Stability) -> Option<String> {
    let is_documented = docs.contents.as_ref().is_some_and(|text| !text.trim().is_empty());
    let is_dated = matches!(stability, Stability::Stable { .. });
    match (is_documented, is_dated) {
        (true, true) => None,
        (false, _) => Some(format!("{name} has no documentation")),
        (_, false) => Some(format!("{name} has no `@since`")),
    }
}

#[test]
fn every_item_is_documented_and_dated() {
    let mut resolve = Resolve::default();
    let wit = support::repository().join("wit");
    let mut complaints = Vec::new();
    for package in ["extension", "host"] {
        let (package, _) = resolve.push_dir(wit.join(package)).expect("the contract is sound");
        let package = &resolve.packages[package];
        for (name, world) in &package.worlds {
            let world = &resolve.worlds[*world];
            complaints.extend(complaint(name, &world.docs, &world.stability));
        }
        for (name, interface) in &package.interfaces {
            let interface = &resolve.interfaces[*interface];
            complaints.extend(complaint(name, &interface.docs, &interface.stability));
            for (function, it) in &interface.functions {
                let name = format!("{name}.{function}");
                complaints.extend(complaint(&name, &it.docs, &it.stability));
            }
            for (ty, id) in &interface.types {
                let it = &resolve.types[*id];
                let is_used = matches!(it.kind, TypeDefKind::Type(wit_parser::Type::Id(_)));
                // What another interface has is documented there.
                if !is_used {
                    complaints.extend(complaint(&format!("{name}.{ty}"), &it.docs, &it.stability));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The cases of a variant or enum of the contract.
fn cases(interface: &str, name: &str) -> Vec<String> {
    let mut resolve = Resolve::default();
    let contract = support::repository().join("wit/extension");
    let (package, _) = resolve.push_dir(contract).expect("the contract is sound");
    let interface = resolve.packages[package].interfaces[interface];
    match &resolve.types[resolve.interfaces[interface].types[name]].kind {
        TypeDefKind::Variant(variant) => variant.cases.iter().map(|it| it.name.clone()).collect(),
        TypeDefKind::Enum(cases) => cases.cases.iter().map(|it| it.name.clone()).collect(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn tags_are_the_cases_of_a_value() {
    use wire::tag::{BLOB, INTEGER, NULL, REAL, TEXT};

    let tags =
        [("null", NULL), ("integer", INTEGER), ("real", REAL), ("text", TEXT), ("blob", BLOB)];
    let cases = cases("types", "value");
    assert_eq!(cases.len(), tags.len());
    for (name, tag) in tags {
        assert_eq!(cases[usize::from(tag)], name);
    }
}

#[test]
fn opcodes_are_the_cases_of_an_operation() {
    let cases = cases("sql-work", "operation");
    assert_eq!(cases.len(), wire::Opcode::ALL.len());
    for (name, opcode) in wire::Opcode::ALL {
        let case = cases[*opcode as usize].replace('-', "");
        assert_eq!(case, name.to_lowercase());
    }
}
