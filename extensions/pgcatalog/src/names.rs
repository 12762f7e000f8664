//! Names of objects and their OIDs: `regclass`, `regtype` and their kin.

use sqlite_wasm_kit::{Result, Value};

use crate::catalog::{self, Catalog};
use crate::definitions::{self, quote_ident};
use crate::rows::type_functions;
use postgres_types::{Scalar, Type};

/// PostgreSQL's own tables, whose OIDs are the same everywhere.
const RELATIONS: &[(&str, i64)] = &[
    ("pg_am", 2601),
    ("pg_attrdef", 2604),
    ("pg_attribute", 1249),
    ("pg_auth_members", 1261),
    ("pg_authid", 1260),
    ("pg_cast", 2605),
    ("pg_class", 1259),
    ("pg_collation", 3456),
    ("pg_constraint", 2606),
    ("pg_conversion", 2607),
    ("pg_database", 1262),
    ("pg_depend", 2608),
    ("pg_description", 2609),
    ("pg_enum", 3501),
    ("pg_event_trigger", 3466),
    ("pg_extension", 3079),
    ("pg_foreign_data_wrapper", 2328),
    ("pg_foreign_server", 1417),
    ("pg_foreign_table", 3118),
    ("pg_index", 2610),
    ("pg_inherits", 2611),
    ("pg_language", 2612),
    ("pg_namespace", 2615),
    ("pg_opclass", 2616),
    ("pg_operator", 2617),
    ("pg_partitioned_table", 3350),
    ("pg_policy", 3256),
    ("pg_proc", 1255),
    ("pg_publication", 6104),
    ("pg_range", 3541),
    ("pg_rewrite", 2618),
    ("pg_sequence", 2224),
    ("pg_shdepend", 1214),
    ("pg_shdescription", 2396),
    ("pg_statistic", 2619),
    ("pg_statistic_ext", 3381),
    ("pg_tablespace", 1213),
    ("pg_trigger", 2620),
    ("pg_type", 1247),
];

/// The names of a text with points between them; those without quotes are in small letters, and whether a name had them.
fn parts(text: &str) -> Option<Vec<(String, bool)>> {
    let (mut found, mut rest) = (Vec::new(), text.trim());
    loop {
        let mut name = String::new();
        let is_quoted = rest.starts_with('"');
        if is_quoted {
            loop {
                let (part, after) = rest[1..].split_once('"')?;
                name.push_str(part);
                rest = after;
                if !rest.starts_with('"') {
                    break;
                }
                name.push('"');
            }
        } else {
            let end = rest.find(['.', '"']).unwrap_or(rest.len());
            name = rest[..end].trim().to_lowercase();
            rest = &rest[end..];
        }
        if name.is_empty() {
            return None;
        }
        found.push((name, is_quoted));
        rest = rest.trim_start();
        match rest.strip_prefix('.') {
            Some(more) => rest = more.trim_start(),
            None => return rest.is_empty().then_some(found),
        }
    }
}

/// A name with or without its schema, in quotes or not; or an OID.
pub fn to_regclass(name: String) -> Result<Option<i64>> {
    if let Ok(oid) = name.trim().parse() {
        return Ok(Some(oid));
    }
    let Some(mut parts) = parts(&name) else { return Ok(None) };
    let Some((name, is_quoted)) = parts.pop() else { return Ok(None) };
    let schema = parts.pop().map(|(schema, _)| schema);
    let is_in = |wanted: &str| schema.as_ref().is_none_or(|schema| schema == wanted);
    if let Some((_, oid)) = RELATIONS.iter().find(|(own, _)| *own == name && is_in("pg_catalog")) {
        return Ok(Some(*oid));
    }
    if !is_in("public") && !is_in("main") {
        return Ok(None);
    }
    Ok(relation(&*catalog::current()?, &name, is_quoted))
}

/// The table, index or sequence with a name. SQLite's names are found in any case, but capitals in quotes are meant.
fn relation(catalog: &Catalog, name: &str, is_quoted: bool) -> Option<i64> {
    let has_capitals = is_quoted && name.chars().any(char::is_uppercase);
    let is_it = |own: &str| if has_capitals { own == name } else { own.eq_ignore_ascii_case(name) };
    let tables = catalog.relations.iter().zip(&catalog.oids);
    let table = tables.clone().find(|(relation, _)| is_it(&relation.name)).map(|(_, oid)| *oid);
    let index = || {
        let mut indexes = catalog.relations.iter().zip(&catalog.index_oids);
        indexes.find_map(|(relation, oids)| {
            let at = relation.indexes.iter().position(|index| is_it(&index.name))?;
            oids.get(at).copied()
        })
    };
    table.or_else(index).or_else(|| catalog.sequence(name))
}

pub fn regclass_name(oid: Value) -> Result<Option<String>> {
    if oid.is_null() {
        return Ok(None);
    }
    let oid = oid.to_integer();
    if let Some((name, _)) = RELATIONS.iter().find(|(_, own)| *own == oid) {
        return Ok(Some((*name).to_owned()));
    }
    let catalog = catalog::current()?;
    let unknown = || if oid == 0 { "-".to_owned() } else { oid.to_string() };
    let found = catalog.name(oid).map(str::to_owned).or_else(|| catalog.sequence_name(oid));
    Ok(Some(found.map_or_else(unknown, |name| quote_ident(&name))))
}

pub fn to_regtype(name: String) -> Option<i64> {
    if let Ok(oid) = name.trim().parse() {
        return Some(oid);
    }
    let in_quotes = || parts(&name).and_then(|mut parts| parts.pop()).map(|(name, _)| name);
    let name = if name.contains('"') { in_quotes()? } else { name };
    let name = name.strip_prefix("pg_catalog.").unwrap_or(&name).to_lowercase();
    let (base, is_array) =
        name.strip_suffix("[]").map_or((name.as_str(), false), |base| (base, true));
    let scalar = Scalar::of_name(base.trim())?;
    Some(if is_array { Type::Array(scalar) } else { Type::One(scalar) }.oid().into())
}

/// A type that is not known is written as its number.
pub fn regtype_name(oid: i64) -> String {
    match definitions::type_text(oid, -1) {
        text if text == "???" => oid.to_string(),
        text => text,
    }
}

const NAMESPACES: [(&str, i64); 3] = [
    ("public", catalog::PUBLIC),
    ("pg_catalog", catalog::PG_CATALOG),
    ("information_schema", catalog::INFORMATION_SCHEMA),
];

/// A function that is not known is written as its number.
pub fn regproc_name(oid: i64) -> String {
    match oid {
        0 => "-".to_owned(),
        oid => type_functions::name(oid).unwrap_or_else(|| oid.to_string()),
    }
}

pub fn to_regnamespace(name: String) -> Option<i64> {
    let known = NAMESPACES.iter().find(|(known, _)| *known == name);
    known.map(|(_, oid)| *oid).or_else(|| name.parse().ok())
}

pub fn regnamespace_name(oid: i64) -> String {
    let known = NAMESPACES.iter().find(|(_, known)| *known == oid);
    known.map_or_else(|| oid.to_string(), |(name, _)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_have_their_oids() {
        assert_eq!(to_regtype("integer".into()), Some(23));
        assert_eq!(to_regtype("pg_catalog.int4[]".into()), Some(1007));
        assert_eq!(to_regtype("\"pg_catalog\".\"varchar\"".into()), Some(1043));
        assert_eq!(to_regtype("nope".into()), None);
        assert_eq!([regtype_name(23), regtype_name(7)], ["integer", "7"]);
    }

    #[test]
    fn names_are_read_with_their_schemas() {
        let one = |name: &str, is_quoted| (name.to_owned(), is_quoted);
        assert_eq!(parts("Public.\"A\"\"b\""), Some(vec![one("public", false), one("A\"b", true)]));
        assert_eq!(parts(" T "), Some(vec![one("t", false)]));
        for wrong in ["", "a.", "\"a", "\"a\"b", ".a"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
        assert_eq!(to_regclass("\"pg_class\"".into()).unwrap(), Some(1259));
        assert_eq!(to_regclass("pg_catalog.pg_class".into()).unwrap(), Some(1259));
        assert_eq!(regclass_name(Value::Integer(1259)).unwrap().as_deref(), Some("pg_class"));
    }
}
