//! The contract as text: every interface, function, type and member has its
//! documentation, and every item says since when it is there.

use wit_parser::{
    Docs, Interface, Resolve, Stability, Type, TypeDef, TypeDefKind, World, WorldItem,
};

use crate::support;

/// What is missing.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn item(&mut self, name: &str, docs: &Docs, stability: &Stability) {
        self.member(name, docs);
        if !matches!(stability, Stability::Stable { .. }) {
            self.0.push(format!("{name} has no `@since`"));
        }
    }

    /// What has the `@since` of the item around it.
    fn member(&mut self, name: &str, docs: &Docs) {
        if docs.contents.as_ref().is_none_or(|text| text.trim().is_empty()) {
            self.0.push(format!("{name} has no documentation"));
        }
    }

    fn world(&mut self, name: &str, world: &World, resolve: &Resolve) {
        self.item(name, &world.docs, &world.stability);
        for (key, item) in world.imports.iter().chain(&world.exports) {
            let name = format!("{name}.{}", resolve.name_world_key(key));
            match item {
                WorldItem::Interface { id, docs, stability, .. } => {
                    // Imports of types alone are implied by what uses them.
                    if !resolve.interfaces[*id].functions.is_empty() {
                        self.item(&name, docs, stability);
                    }
                }
                WorldItem::Function(it) => self.item(&name, &it.docs, &it.stability),
                WorldItem::Type { .. } => self.0.push(format!("{name} is a type of a world")),
            }
        }
    }

    fn interface(&mut self, name: &str, interface: &Interface, resolve: &Resolve) {
        self.item(name, &interface.docs, &interface.stability);
        for (function, it) in &interface.functions {
            self.item(&format!("{name}.{function}"), &it.docs, &it.stability);
        }
        for (ty, id) in &interface.types {
            self.ty(&format!("{name}.{ty}"), &resolve.types[*id]);
        }
    }

    fn ty(&mut self, name: &str, ty: &TypeDef) {
        let members: Vec<(&String, &Docs)> = match &ty.kind {
            // A type that another interface defines is documented there.
            TypeDefKind::Type(Type::Id(_)) => return,
            TypeDefKind::Record(it) => it.fields.iter().map(|it| (&it.name, &it.docs)).collect(),
            TypeDefKind::Flags(it) => it.flags.iter().map(|it| (&it.name, &it.docs)).collect(),
            TypeDefKind::Variant(it) => it.cases.iter().map(|it| (&it.name, &it.docs)).collect(),
            TypeDefKind::Enum(it) => it.cases.iter().map(|it| (&it.name, &it.docs)).collect(),
            _ => Vec::new(),
        };
        self.item(name, &ty.docs, &ty.stability);
        for (member, docs) in members {
            self.member(&format!("{name}.{member}"), docs);
        }
    }
}

#[test]
fn every_item_and_member_is_documented_and_dated() {
    let mut resolve = Resolve::default();
    let wit = support::repository().join("wit");
    let mut complaints = Complaints::default();
    for package in ["extension", "host", "database"] {
        let (package, _) = resolve.push_dir(wit.join(package)).expect("the contract is sound");
        let package = &resolve.packages[package];
        for (name, world) in &package.worlds {
            complaints.world(name, &resolve.worlds[*world], &resolve);
        }
        for (name, interface) in &package.interfaces {
            complaints.interface(name, &resolve.interfaces[*interface], &resolve);
        }
    }
    assert!(complaints.0.is_empty(), "{}", complaints.0.join("\n"));
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
    let is_extensions = |row: &&wire::Row| row.group == wire::Group::Everyone;
    let rows: Vec<_> = wire::Opcode::ROWS.iter().filter(is_extensions).collect();
    assert_eq!(cases.len(), rows.len());
    for row in rows {
        let case = cases[row.opcode as usize].replace('-', "");
        assert_eq!(case, row.name.to_lowercase());
    }
}
