//! What depends on what, from which a dump derives its order; and the rules that views are.

use std::collections::BTreeSet;

use super::{Cells, int, sequences, text, yes};
use crate::catalog::{Catalog, PUBLIC};
use crate::comments::Numbering;
use crate::schema::Relation;
use crate::sql_text;

/// The OIDs of the tables that have them: `pg_class`, `pg_attrdef`, `pg_constraint`, `pg_rewrite`, `pg_namespace`.
const CLASSES: i64 = 1259;
const DEFAULTS: i64 = 2604;
const CONSTRAINTS: i64 = 2606;
const RULES: i64 = 2618;
const NAMESPACES: i64 = 2615;

/// An object: the table that has it, its OID, and the position of a column.
type Object = (i64, i64, usize);

fn row(object: Object, referred: Object, kind: &str) -> Cells {
    vec![
        ("classid", int(object.0)),
        ("objid", int(object.1)),
        ("objsubid", int(object.2)),
        ("refclassid", int(referred.0)),
        ("refobjid", int(referred.1)),
        ("refobjsubid", int(referred.2)),
        ("deptype", text(kind)),
    ]
}

/// `pg_depend`.
pub fn dependencies(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    let public = (NAMESPACES, PUBLIC, 0);
    for (relation, oid) in catalog.relations.iter().zip(&catalog.oids) {
        found.push(row((CLASSES, *oid, 0), public, "n"));
        if relation.is_view {
            // A rule has the OID of its view.
            let rule = (RULES, *oid, 0);
            found.push(row(rule, (CLASSES, *oid, 0), "i"));
            let read = read_by(catalog, relation);
            found.extend(read.map(|read| row(rule, (CLASSES, read, 0), "n")));
        }
        for number in super::keys::defaulted(relation) {
            let default = (DEFAULTS, super::keys::default_oid(*oid, number), 0);
            let is_generated = relation.columns[number - 1].is_generated;
            let kind = if is_generated { "i" } else { "a" };
            found.push(row(default, (CLASSES, *oid, number), kind));
        }
    }
    for sequence in sequences::all(catalog) {
        let (table, number) = (sequence.table, sequence.column + 1);
        let own = (CLASSES, sequence.oid, 0);
        let is_serial =
            sequence.relation.columns[sequence.column].numbering == Some(Numbering::Serial);
        found.push(row(own, public, "n"));
        found.push(row(own, (CLASSES, table, number), if is_serial { "a" } else { "i" }));
        if is_serial {
            let default = (DEFAULTS, super::keys::default_oid(table, number), 0);
            found.push(row(default, own, "n"));
        }
    }
    for constraint in &catalog.constraints {
        let own = (CONSTRAINTS, constraint.oid, 0);
        let table = (CLASSES, catalog.oids[constraint.relation], 0);
        found.push(row(own, table, "a"));
        if matches!(constraint.kind, "p" | "u") {
            let index = catalog.index_oids[constraint.relation][constraint.index];
            found.push(row((CLASSES, index, 0), own, "i"));
        }
    }
    found
}

/// The relations that a view may read: older ones whose name it has, so that none depends on itself.
fn read_by<'a>(catalog: &'a Catalog, view: &'a Relation) -> impl Iterator<Item = i64> + 'a {
    let tokens = sql_text::tokens(&view.sql);
    let names = tokens.iter().filter_map(|token| Some(token.name()?.to_lowercase()));
    let names: BTreeSet<_> = names.collect();
    let older = catalog.relations.iter().zip(&catalog.oids);
    older
        .filter(move |(relation, _)| {
            relation.place < view.place && names.contains(&relation.name.to_lowercase())
        })
        .map(|(_, oid)| *oid)
}

/// `pg_rewrite`: PostgreSQL's views are rules.
pub fn rules(catalog: &Catalog) -> Vec<Cells> {
    let rule = |(oid, _): (i64, &Relation)| -> Cells {
        vec![
            ("oid", int(oid)),
            ("rulename", text("_RETURN")),
            ("ev_class", int(oid)),
            ("ev_type", text("1")),
            ("ev_enabled", text("O")),
            ("is_instead", yes(true)),
        ]
    };
    super::relations(catalog, true).map(rule).collect()
}
