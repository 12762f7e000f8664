//! Definitions and functions in the database: the table of definitions, and SQLite's functions.

use sqlite_wasm_kit::{Result, Value, sql};

use crate::definitions::refused;
use crate::expand::Found;
use crate::tokens::Parameters;

/// Maximum number of definitions that a database may have. The database can be hostile, and each
/// definition is registered at load; few users write a thousand by hand.
const MAX_DEFINITIONS: usize = 10_000;

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

/// Names and bodies of the scalar functions.
pub fn scalars() -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    if exists()? {
        let sql = "SELECT name, body FROM main.sqlean_define WHERE type = 'scalar'";
        for row in sql::prepare(sql)?.query([])?.take(MAX_DEFINITIONS) {
            let texts = row?.into_iter().map(|value| String::from_utf8(value.into_bytes()).ok());
            if let Some([name, body]) = texts.collect::<Option<Vec<_>>>().as_deref() {
                all.push((name.clone(), body.clone()));
            }
        }
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
