//! Names of objects and their OIDs: `regclass`, `regtype` and their kin.

use sqlite_wasm_kit::{Result, Value};

use crate::catalog::{self, Catalog};
use crate::definitions::{self, quote_ident};
use crate::qualified;
use crate::rows::{functions, other_types};
use postgres_types::{Scalar, Type};

/// PostgreSQL's own tables, whose OIDs are the same everywhere.
const RELATIONS: &[(&str, i64)] = &[
    ("pg_aggregate", 2600),
    ("pg_am", 2601),
    ("pg_amop", 2602),
    ("pg_amproc", 2603),
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
    ("pg_db_role_setting", 2964),
    ("pg_default_acl", 826),
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
    ("pg_init_privs", 3394),
    ("pg_language", 2612),
    ("pg_largeobject", 2613),
    ("pg_largeobject_metadata", 2995),
    ("pg_namespace", 2615),
    ("pg_opclass", 2616),
    ("pg_operator", 2617),
    ("pg_opfamily", 2753),
    ("pg_parameter_acl", 6243),
    ("pg_partitioned_table", 3350),
    ("pg_policy", 3256),
    ("pg_proc", 1255),
    ("pg_publication", 6104),
    ("pg_publication_namespace", 6237),
    ("pg_publication_rel", 6106),
    ("pg_range", 3541),
    ("pg_replication_origin", 6000),
    ("pg_rewrite", 2618),
    ("pg_seclabel", 3596),
    ("pg_sequence", 2224),
    ("pg_shdepend", 1214),
    ("pg_shdescription", 2396),
    ("pg_shseclabel", 3592),
    ("pg_statistic", 2619),
    ("pg_statistic_ext", 3381),
    ("pg_statistic_ext_data", 3429),
    ("pg_subscription", 6100),
    ("pg_subscription_rel", 6102),
    ("pg_tablespace", 1213),
    ("pg_transform", 3576),
    ("pg_trigger", 2620),
    ("pg_ts_config", 3602),
    ("pg_ts_config_map", 3603),
    ("pg_ts_dict", 3600),
    ("pg_ts_parser", 3601),
    ("pg_ts_template", 3764),
    ("pg_type", 1247),
    ("pg_user_mapping", 1418),
];

/// The OID of one of PostgreSQL's own tables.
pub fn own_relation(name: &str) -> Option<i64> {
    RELATIONS.iter().find(|(own, _)| *own == name).map(|(_, oid)| *oid)
}

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
    let found = catalog.name(oid).map(str::to_owned).or_else(|| catalog.sequence_name(oid));
    Ok(Some(found.map_or_else(|| number(oid), |name| qualified::name(&name))))
}

pub fn to_regtype(name: String) -> Option<i64> {
    if let Ok(oid) = name.trim().parse() {
        return Some(oid);
    }
    let in_quotes = || parts(&name).and_then(|mut parts| parts.pop()).map(|(name, _)| name);
    let name = if name.contains('"') { in_quotes()? } else { name };
    let name = name.strip_prefix("pg_catalog.").unwrap_or(&name).to_lowercase();
    if let Some(oid) = other_types::of_name(&name) {
        return Some(oid);
    }
    let of_array = name.strip_suffix("[]").or_else(|| name.strip_prefix('_'));
    let (base, is_array) = of_array.map_or((name.as_str(), false), |base| (base, true));
    let scalar = Scalar::of_name(base.trim())?;
    Some(if is_array { Type::Array(scalar) } else { Type::One(scalar) }.oid().into())
}

/// A type that is not known is written as its OID.
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

/// The only function with a name; `None` if several functions have it, or no function does.
pub fn to_regproc(name: String) -> Option<i64> {
    if let Ok(oid) = name.trim().parse() {
        return Some(oid);
    }
    match functions::named(&function_name(&name)?)[..] {
        [oid] => Some(oid),
        _ => None,
    }
}

/// The function with a name and types: `abs(integer)`.
pub fn to_regprocedure(text: String) -> Option<i64> {
    if let Ok(oid) = text.trim().parse() {
        return Some(oid);
    }
    let (name, rest) = text.split_once('(')?;
    let name = function_name(name)?;
    let types = rest.trim_end().strip_suffix(')')?.split(',').map(str::trim);
    let types = types.filter(|one| !one.is_empty()).map(|one| to_regtype(one.to_owned()));
    let types: Vec<_> = types.collect::<Option<_>>()?;
    let fits =
        |function: &functions::Function| function.name == name && function.arguments == types;
    functions::all().find(fits).map(|function| function.oid)
}

/// A name without the schema of all functions.
fn function_name(text: &str) -> Option<String> {
    let mut parts = parts(text)?;
    let (name, _) = parts.pop()?;
    let is_own = parts.iter().all(|(schema, _)| schema == "pg_catalog");
    (is_own && parts.len() < 2).then_some(name)
}

/// One of several with its name is written with its schema, and one that is not known as its OID.
pub fn regproc_name(oid: i64) -> String {
    let Some(function) = functions::of_oid(oid) else { return number(oid) };
    let name = quote_ident(&function.name);
    let is_only = functions::named(&function.name).len() == 1;
    if is_only { name } else { format!("pg_catalog.{name}") }
}

pub fn regprocedure_name(oid: i64) -> String {
    functions::of_oid(oid).map_or_else(|| number(oid), |function| function.signature())
}

/// What has no name.
fn number(oid: i64) -> String {
    if oid == 0 { "-".to_owned() } else { oid.to_string() }
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
        assert_eq!(to_regtype("\"pg_catalog\".\"_text\"".into()), Some(1009));
        assert_eq!([to_regtype("nope".into()), to_regtype("_nope".into())], [None, None]);
        assert_eq!([regtype_name(23), regtype_name(7)], ["integer", "7"]);
    }

    #[test]
    fn functions_have_names() {
        let name = |text: &str| to_regproc(text.into()).map(regproc_name);
        assert_eq!(name("PG_CATALOG.int4in").as_deref(), Some("int4in"));
        assert_eq!([name("abs"), name("public.int4in"), name("")], [None, None, None]);
        assert_eq!([regproc_name(0), regproc_name(1395)], ["-", "pg_catalog.abs"]);
        let signature = |text: &str| to_regprocedure(text.into()).map(regprocedure_name);
        assert_eq!(signature("abs( int4 )").as_deref(), Some("abs(integer)"));
        assert_eq!(signature("now()").as_deref(), Some("now()"));
        assert_eq!(
            [signature("abs(text)"), signature("abs"), signature("abs(")],
            [None, None, None]
        );
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
