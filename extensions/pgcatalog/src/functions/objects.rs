//! Relations by their names, the comments on them, and the sequences of keys.

use sql_tokens::{Dialect, Kind, Tokens, quoted_name};
use sqlite_wasm_kit::{Result, Value};

use crate::catalog;
use crate::definitions::quote_ident;
use crate::schema::query;

/// The parts of a name, of which schemas and databases come first: `"a"."B"`. One that is none is a part as a whole.
pub fn parts(name: &str) -> Vec<String> {
    let tokens: Vec<_> = Tokens::new(name.trim(), Dialect::Postgres).collect();
    let part = |(at, token): (usize, &sql_tokens::Token<'_>)| match (at % 2, token.kind) {
        (0, Kind::Word) => Some(token.text.to_lowercase()),
        (0, Kind::Name) => Some(token.unquoted().into_owned()),
        (1, Kind::Symbol(b'.')) => Some(String::new()),
        _ => None,
    };
    let found: Option<Vec<_>> = tokens.iter().enumerate().map(part).collect();
    match found {
        Some(found) if found.len() % 2 == 1 => found.into_iter().step_by(2).collect(),
        _ => vec![name.trim_matches('"').replace("\"\"", "\"")],
    }
}

/// A name with or without its schema, in quotes or not; or an OID.
pub fn to_regclass(name: String) -> Result<Option<i64>> {
    if let Ok(oid) = name.trim().parse() {
        return Ok(Some(oid));
    }
    let parts = parts(&name);
    let Some((name, schemas)) = parts.split_last() else { return Ok(None) };
    // Those of Postgres' own tables that programs name: as objects of descriptions.
    match name.as_str() {
        "pg_class" => return Ok(Some(1259)),
        "pg_type" => return Ok(Some(1247)),
        "pg_attribute" => return Ok(Some(1249)),
        "pg_proc" => return Ok(Some(1255)),
        "pg_namespace" => return Ok(Some(2615)),
        "pg_database" => return Ok(Some(1262)),
        "pg_constraint" => return Ok(Some(2606)),
        "pg_extension" => return Ok(Some(3079)),
        "pg_attrdef" => return Ok(Some(2604)),
        _ => {}
    }
    if schemas.last().is_some_and(|schema| !matches!(schema.as_str(), "public" | "main")) {
        return Ok(None);
    }
    let catalog = catalog::current()?;
    let of_index = || {
        let mut indexes = catalog.relations.iter().zip(&catalog.index_oids);
        indexes.find_map(|(relation, oids)| {
            let at = relation.indexes.iter().position(|index| index.name == *name)?;
            oids.get(at).copied()
        })
    };
    let found = catalog.named(name).map(|at| catalog.oids[at]);
    Ok(found.or_else(of_index).or_else(|| catalog.sequence(name)))
}

pub fn regclass_name(oid: Value) -> Result<Option<String>> {
    if oid.is_null() {
        return Ok(None);
    }
    let oid = oid.to_integer();
    let catalog = catalog::current()?;
    let unknown = || if oid == 0 { "-".to_owned() } else { oid.to_string() };
    let found = catalog.name(oid).map(str::to_owned).or_else(|| catalog.sequence_name(oid));
    Ok(Some(found.map_or_else(unknown, |name| quote_ident(&name))))
}

/// The comment on a table, or on a column by its number.
pub fn comment(oid: i64, number: i64) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    let Some(relation) = catalog.relation(oid).map(|at| &catalog.relations[at]) else {
        return Ok(None);
    };
    let Ok(number) = usize::try_from(number) else { return Ok(None) };
    Ok(match number.checked_sub(1) {
        None => relation.comment.clone(),
        Some(at) => relation.columns.get(at).and_then(|column| column.comment.clone()),
    })
}

/// `pg_get_serial_sequence`. The column is no name in quotes: it is as it is written.
pub fn serial_sequence(table: String, column: String) -> Result<Option<String>> {
    let oid = to_regclass(table.clone())?;
    let catalog = catalog::current()?;
    let Some(at) = oid.and_then(|oid| catalog.relation(oid)) else {
        return Err(format!("42P01: relation \"{table}\" does not exist").into());
    };
    let relation = &catalog.relations[at];
    if !relation.columns.iter().any(|known| known.name == column) {
        let message =
            format!("42703: column \"{column}\" of relation \"{}\" does not exist", relation.name);
        return Err(message.into());
    }
    let sequence = relation.sequence().filter(|(_, at)| relation.columns[*at].name == column);
    Ok(sequence.map(|(name, _)| format!("public.{}", quote_ident(&name))))
}

/// `setval`, to what SQLite gives anyway: the next number of a key is that behind the largest one.
pub fn set_value(sequence: String, value: i64, is_called: bool) -> Result<i64> {
    let oid = to_regclass(sequence.clone())?;
    let catalog = catalog::current()?;
    let at = oid.and_then(|oid| catalog.sequence_oids.iter().position(|one| *one == Some(oid)));
    let known = at.map(|at| &catalog.relations[at]);
    let Some((relation, (_, column))) = known.and_then(|known| Some((known, known.sequence()?)))
    else {
        return Err(format!("42P01: relation \"{sequence}\" does not exist").into());
    };
    let sql = format!(
        "SELECT coalesce(max({}), 0) + 1 FROM main.{}",
        quoted_name(&relation.columns[column].name),
        quoted_name(&relation.name)
    );
    let rows = query(&sql, None)?;
    let next = rows.first().and_then(|row| row.first()).map_or(1, Value::to_integer);
    let wanted = value.checked_add(i64::from(is_called));
    let remembers = relation.sql.to_ascii_lowercase().contains("autoincrement");
    if wanted == Some(next) && !remembers {
        return Ok(value);
    }
    Err(format!("0A000: setval to another number than {next} as the next one is not supported")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_parts() {
        for (name, expected) in [
            ("t", &["t"][..]),
            ("Public.T", &["public", "t"]),
            ("\"a.b\".\"C\"\"d\".e", &["a.b", "C\"d", "e"]),
            ("a b", &["a b"]),
            ("a.", &["a."]),
            ("", &[""]),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }
}
