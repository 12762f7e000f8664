//! Types that no value has here: those of PostgreSQL's own columns, and those that stand for others.

use super::{Cells, int, text, yes};
use crate::catalog::{OWNER, PG_CATALOG};
use crate::definitions::quote_ident;

/// OID, name, size, `typtype` and category; and the OID of its array.
type Other = (i64, &'static str, i64, &'static str, &'static str, i64);

const OTHERS: [Other; 26] = [
    (22, "int2vector", -1, "b", "A", 1006),
    (24, "regproc", 4, "b", "N", 1008),
    (27, "tid", 6, "b", "U", 1010),
    (28, "xid", 4, "b", "U", 1011),
    (29, "cid", 4, "b", "U", 1012),
    (30, "oidvector", -1, "b", "A", 1013),
    (194, "pg_node_tree", -1, "b", "Z", 0),
    (705, "unknown", -2, "p", "X", 0),
    (1033, "aclitem", 12, "b", "U", 1034),
    (2202, "regprocedure", 4, "b", "N", 2207),
    (2205, "regclass", 4, "b", "N", 2210),
    (2206, "regtype", 4, "b", "N", 2211),
    (4089, "regnamespace", 4, "b", "N", 4090),
    (4096, "regrole", 4, "b", "N", 4097),
    (2249, "record", -1, "p", "P", 2287),
    (2275, "cstring", -2, "p", "P", 1263),
    (2276, "any", 4, "p", "P", 0),
    (2277, "anyarray", -1, "p", "P", 0),
    (2278, "void", 4, "p", "P", 0),
    (2279, "trigger", 4, "p", "P", 0),
    (2281, "internal", 8, "p", "P", 0),
    (2283, "anyelement", 4, "p", "P", 0),
    (2776, "anynonarray", 4, "p", "P", 0),
    (5077, "anycompatible", 4, "p", "P", 0),
    (5078, "anycompatiblearray", -1, "p", "P", 0),
    (5079, "anycompatiblenonarray", 4, "p", "P", 0),
];

/// The name of one of them, as `format_type` writes it.
pub fn name(oid: i64) -> Option<String> {
    OTHERS.iter().find(|other| other.0 == oid).map(|(_, name, ..)| quote_ident(name))
}

/// The OID of the one with this name.
pub fn of_name(name: &str) -> Option<i64> {
    OTHERS.iter().find(|other| other.1 == name).map(|other| other.0)
}

/// Their rows of `pg_type`.
pub fn rows() -> impl Iterator<Item = Cells> {
    OTHERS.into_iter().map(|(oid, name, size, kind, category, array)| -> Cells {
        vec![
            ("oid", int(oid)),
            ("typname", text(name)),
            ("typnamespace", int(PG_CATALOG)),
            ("typowner", int(OWNER)),
            ("typlen", int(size)),
            ("typbyval", yes(matches!(size, 4 | 8))),
            ("typtype", text(kind)),
            ("typcategory", text(category)),
            ("typisdefined", yes(true)),
            ("typdelim", text(",")),
            ("typtypmod", int(-1)),
            ("typarray", int(array)),
            ("typalign", text("i")),
            ("typstorage", text(if kind == "b" && size > 0 { "p" } else { "x" })),
        ]
    })
}
