//! Definitions and functions in the database: the table of definitions, and SQLite's functions.

use sqlite_wasm_kit::{Result, Value, sql};

use crate::definitions::refused;
use crate::expand::Found;
use crate::parameters::Parameters;

/// Definitions that are read of a database at most, and their bytes, each and together. The database can
/// be hostile, and every connection reads and registers them when it opens, a few in a millisecond;
/// nobody writes this many by hand. The rest is ignored.
const MAX_DEFINITIONS: usize = 1000;
const MAX_NAME_BYTES: usize = 200;
const MAX_BODY_BYTES: usize = 64 << 10;
const MAX_ALL_BYTES: usize = 1 << 20;

/// Rows that are looked at for them at most.
const MAX_ROWS: usize = 10_000;

/// sqlean's table.
const CREATE: &str = "CREATE TABLE IF NOT EXISTS \
    main.sqlean_define(name text primary key, type text, body text)";

/// The first value of a statement's first row.
fn first(sql: &str, parameters: impl IntoIterator<Item = Value>) -> Result<Option<Value>> {
    let mut statement = sql::prepare(sql)?;
    let row = statement.query(parameters)?.next().transpose()?;
    Ok(row.and_then(|row| row.into_iter().next()))
}

fn exists() -> Result<bool> {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlean_define' AND type = 'table'";
    Ok(first(sql, [])?.is_some())
}

/// Whether SQLite has a function with this name.
pub fn is_builtin(name: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM pragma_function_list WHERE builtin AND name = lower(?) LIMIT 1";
    Ok(first(sql, [Value::text(name)])?.is_some())
}

/// Whether it is a plain table of the three columns: a view, a virtual table or a generated column can
/// take any time to read, and so can what stands before a long value.
fn is_plain() -> Result<bool> {
    let sql = "SELECT (SELECT type FROM pragma_table_list('sqlean_define') WHERE schema = 'main') = 'table' \
               AND group_concat(name || hidden, ',' ORDER BY name) = 'body0,name0,type0' \
               FROM pragma_table_xinfo('sqlean_define', 'main')";
    Ok(matches!(first(sql, [])?, Some(Value::Integer(1))))
}

/// Names and bodies of the scalar functions, as far as the limits allow.
pub fn scalars() -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    if !exists()? || !is_plain()? {
        return Ok(all);
    }
    // The lengths first: they are in the head of a row.
    let sql = format!(
        "SELECT name, body FROM (SELECT * FROM main.sqlean_define LIMIT {MAX_ROWS}) \
         WHERE octet_length(type) = 6 AND octet_length(name) <= {MAX_NAME_BYTES} \
         AND octet_length(body) <= {MAX_BODY_BYTES} AND type = 'scalar'"
    );
    let mut left = MAX_ALL_BYTES;
    for row in sql::prepare(&sql)?.query([])?.take(MAX_DEFINITIONS) {
        let texts = row?.into_iter().map(|value| String::from_utf8(value.into_bytes()).ok());
        let texts: Option<Vec<_>> = texts.collect();
        let Some([name, body]) = texts.and_then(|texts| <[_; 2]>::try_from(texts).ok()) else {
            continue;
        };
        let Some(rest) = left.checked_sub(name.len() + body.len()) else { break };
        left = rest;
        all.push((name, body));
    }
    Ok(all)
}

/// The definition of a name among `scalars`.
pub fn find<'a>(scalars: &'a [(String, String)], name: &str, arguments: usize) -> Found<'a> {
    match scalars.iter().find(|(defined, _)| defined.eq_ignore_ascii_case(name)) {
        Some((_, body)) if Parameters::of(body).count() == arguments => Found::Body(body),
        Some(_) => Found::Wrong(format!("wrong number of arguments to function {name}()")),
        None => refused(name),
    }
}

/// Whether a table is defined under this name.
pub fn is_table(name: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM main.sqlean_define WHERE name = ? COLLATE NOCASE AND type = 'table'";
    Ok(exists()? && first(sql, [Value::text(name)])?.is_some())
}

/// Store a definition; replaces one with the same name.
pub fn save(name: &str, kind: &str, body: &str) -> Result<()> {
    sql::execute(CREATE)?;
    let sql = "INSERT INTO main.sqlean_define(name, type, body) VALUES (?1, ?2, ?3) \
               ON CONFLICT(name) DO UPDATE SET type = ?2, body = ?3";
    sql::prepare(sql)?.run([Value::text(name), Value::text(kind), Value::text(body)])
}

/// Delete a definition.
pub fn forget(name: &str) -> Result<()> {
    if exists()? {
        let sql = "DELETE FROM main.sqlean_define WHERE name = ? COLLATE NOCASE";
        sql::prepare(sql)?.run([Value::text(name)])?;
    }
    Ok(())
}
