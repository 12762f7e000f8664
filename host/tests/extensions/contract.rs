//! The contract as text: every interface, function and type says what it is and
//! since when it is there.

use crate::support;
use wit_parser::{Docs, Resolve, Stability};

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
                let is_used =
                    matches!(it.kind, wit_parser::TypeDefKind::Type(wit_parser::Type::Id(_)));
                // What another interface has is documented there.
                if !is_used {
                    complaints.extend(complaint(&format!("{name}.{ty}"), &it.docs, &it.stability));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
