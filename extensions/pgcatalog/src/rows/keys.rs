//! Indexes, constraints and defaults.

use postgres_types::{Scalar, Type, clock};
use sql_tokens::{Dialect, Kind, Tokens};
use sqlite_wasm_kit::Value;

use super::{Cells, int, relations, text, typed, yes};
use crate::catalog::{Catalog, Constraint, PUBLIC};
use crate::schema::{Column, Index, Relation};

/// An integer for each column of an index, as `int2vector` is written.
fn list(index: &Index, number: impl Fn(&(Option<usize>, bool)) -> usize) -> Value {
    let numbers = index.columns.iter().map(|column| number(column).to_string());
    text(numbers.collect::<Vec<_>>().join(" "))
}

pub fn indexes(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (at, relation) in catalog.relations.iter().enumerate() {
        for (index, oid) in relation.indexes.iter().zip(&catalog.index_oids[at]) {
            let condition =
                crate::sql_text::index_parts(&index.sql).and_then(|(_, condition)| condition);
            found.push(vec![
                ("indexrelid", int(*oid)),
                ("indrelid", int(catalog.oids[at])),
                ("indnatts", int(index.columns.len())),
                ("indnkeyatts", int(index.columns.len())),
                ("indisunique", yes(index.is_unique)),
                ("indisprimary", yes(index.is_primary)),
                ("indimmediate", yes(true)),
                ("indisvalid", yes(true)),
                ("indisready", yes(true)),
                ("indislive", yes(true)),
                ("indkey", list(index, |(column, _)| column.map_or(0, |column| column + 1))),
                ("indcollation", list(index, |_| 0)),
                ("indclass", list(index, |_| 0)),
                // Bits: 1 descends, 2 has NULLs first, which a descending one has.
                ("indoption", list(index, |(_, descends)| if *descends { 3 } else { 0 })),
                ("indpred", condition.map_or(Value::Null, text)),
            ]);
        }
    }
    found
}

/// `{1,2}`: the positions of columns, from 1.
fn numbers(relation: &Relation, names: &[String]) -> Value {
    let number = |name: &String| {
        let at = relation.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        at.map_or(0, |at| at + 1).to_string()
    };
    text(format!("{{{}}}", names.iter().map(number).collect::<Vec<String>>().join(",")))
}

/// The columns of a constraint.
pub fn constrained(catalog: &Catalog, constraint: &Constraint) -> Vec<String> {
    let relation = &catalog.relations[constraint.relation];
    match constraint.kind {
        "f" => relation.foreign_keys[constraint.index].from.clone(),
        "p" | "u" => {
            let columns = relation.indexes[constraint.index].columns.iter();
            let name = |column: &(Option<usize>, bool)| {
                Some(relation.columns.get(column.0?)?.name.clone())
            };
            columns.filter_map(name).collect()
        }
        _ => {
            let condition = &relation.checks[constraint.index].expression;
            crate::sql_text::columns_in(relation, condition)
        }
    }
}

/// The key with these columns.
pub fn key_index(relation: &Relation, columns: &[String]) -> Option<usize> {
    let place = |name: &String| {
        relation.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    };
    let places: Vec<_> = columns.iter().filter_map(place).collect();
    let fits = |index: &Index| {
        index.is_unique
            && index.columns.iter().filter_map(|column| column.0).eq(places.iter().copied())
    };
    relation.indexes.iter().position(fits)
}

/// `a` for NO ACTION, `c` for CASCADE, …
fn action(text: &str) -> &'static str {
    match text {
        "RESTRICT" => "r",
        "CASCADE" => "c",
        "SET NULL" => "n",
        "SET DEFAULT" => "d",
        _ => "a",
    }
}

pub fn constraints(catalog: &Catalog) -> Vec<Cells> {
    let cells = |constraint: &Constraint| -> Cells {
        let relation = &catalog.relations[constraint.relation];
        let mut cells = vec![
            ("oid", int(constraint.oid)),
            ("conname", text(&constraint.name)),
            ("connamespace", int(PUBLIC)),
            ("contype", text(constraint.kind)),
            ("convalidated", yes(true)),
            ("condeferrable", yes(deferral(relation, constraint).0)),
            ("condeferred", yes(deferral(relation, constraint).1)),
            ("conrelid", int(catalog.oids[constraint.relation])),
            ("conislocal", yes(true)),
            ("connoinherit", yes(constraint.kind != "c")),
            ("conkey", numbers(relation, &constrained(catalog, constraint))),
        ];
        match constraint.kind {
            "f" => {
                let key = &relation.foreign_keys[constraint.index];
                let (at, columns) = catalog.referred(key);
                if let Some(at) = at {
                    cells.push(("confrelid", int(catalog.oids[at])));
                    cells.push(("confkey", numbers(&catalog.relations[at], &columns)));
                    let index = key_index(&catalog.relations[at], &columns);
                    let oid = index.and_then(|index| catalog.index_oids[at].get(index));
                    cells.extend(oid.map(|oid| ("conindid", int(*oid))));
                }
                cells.push(("confupdtype", text(action(&key.on_update))));
                cells.push(("confdeltype", text(action(&key.on_delete))));
                cells.push(("confmatchtype", text("s")));
            }
            "c" => cells.push(("conbin", text(&relation.checks[constraint.index].expression))),
            _ => cells
                .push(("conindid", int(catalog.index_oids[constraint.relation][constraint.index]))),
        }
        cells
    };
    catalog.constraints.iter().map(cells).collect()
}

/// Whether a constraint is DEFERRABLE, and whether INITIALLY DEFERRED.
pub fn deferral(relation: &Relation, constraint: &Constraint) -> (bool, bool) {
    match constraint.kind {
        "f" => relation.foreign_keys[constraint.index].deferral,
        _ => (false, false),
    }
}

/// A default as Postgres shows it: a string has its type, and so has a number that is negative or longer than an `integer`.
pub fn typed_default(default: &str, column: &Column) -> String {
    let digits = default.strip_prefix('-').unwrap_or(default);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        let is_short = default.parse::<i32>().is_ok();
        let name = match (digits.contains('.'), is_short, default.parse::<i64>().is_ok()) {
            (false, true, _) => "integer",
            (false, _, true) => "bigint",
            _ => "numeric",
        };
        let is_plain = digits == default && (is_short || digits.contains('.'));
        return if is_plain { default.to_owned() } else { format!("'{default}'::{name}") };
    }
    if let Some(shown) = clock::shown(default) {
        return shown.to_owned();
    }
    let mut tokens = Tokens::new(default, Dialect::Sqlite);
    let only = tokens.next().filter(|_| tokens.rest().is_empty());
    match only.map(|token| token.kind) {
        Some(Kind::Blob) => format!("'\\x{}::bytea", default[2..].to_ascii_lowercase()),
        Some(Kind::Text) => format!("{default}::{}", default_type(column)),
        _ => default.to_owned(),
    }
}

/// The type that a string as default has.
fn default_type(column: &Column) -> String {
    match typed(column).ty {
        // `character` alone has a length of one.
        Type::One(Scalar::Bpchar) => "bpchar".to_owned(),
        Type::Array(Scalar::Bpchar) => "bpchar[]".to_owned(),
        ty => ty.name().to_owned(),
    }
}

/// The positions, from 1, of the columns that have a default, or are computed.
pub fn defaulted(relation: &Relation) -> impl Iterator<Item = usize> + '_ {
    let columns = relation.columns.iter().enumerate().filter(|_| !relation.is_view);
    columns
        .filter(|(_, column)| column.default.is_some() || column.expression.is_some())
        .map(|(index, _)| index + 1)
}

/// The OID of the default of a column.
pub fn default_oid(table: i64, number: usize) -> i64 {
    table.wrapping_add(number as i64)
}

pub fn defaults(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (oid, relation) in relations(catalog, false) {
        for number in defaulted(relation) {
            let column = &relation.columns[number - 1];
            let default = column.default.as_ref().map(|default| typed_default(default, column));
            let default = default.or_else(|| column.expression.clone());
            found.push(vec![
                ("oid", int(default_oid(oid, number))),
                ("adrelid", int(oid)),
                ("adnum", int(number)),
                ("adbin", default.map_or(Value::Null, text)),
            ]);
        }
    }
    found
}
