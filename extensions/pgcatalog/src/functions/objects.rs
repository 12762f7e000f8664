//! The comments on relations, and the sequences of their keys.

use sql_tokens::quoted_name;
use sqlite_wasm_kit::{Result, Value};

use crate::catalog;
use crate::definitions::quote_ident;
use crate::names::to_regclass;
use crate::schema::query;

/// The comment on a table, or on a column by its position from 1.
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

/// `pg_get_serial_sequence`. Unlike the table, the column is taken as it is written, without quotes.
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

/// `setval`, to what SQLite gives anyway: the next value of a key is the one after the largest.
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

/// `acldefault`: what the owner of an object and the others may do, if nothing else is said.
pub fn default_privileges(kind: String, owner: i64) -> Option<String> {
    let (public, own) = match kind.as_str() {
        "r" => ("", "arwdDxt"),
        "s" => ("", "rwU"),
        "d" => ("Tc", "CTc"),
        "f" => ("X", "X"),
        "l" | "T" => ("U", "U"),
        "L" => ("", "rw"),
        "n" => ("", "UC"),
        "p" => ("", "sA"),
        "t" => ("", "C"),
        "F" | "S" => ("", "U"),
        _ => return None,
    };
    let owner = super::user(owner);
    let all = if public.is_empty() { String::new() } else { format!("={public}/{owner},") };
    Some(format!("{{{all}{owner}={own}/{owner}}}"))
}
