//! Tables that a query makes: `CREATE TABLE t(a, b) AS`, whose names the parser does not know, and `SELECT INTO`.

use sql_tokens::Kind;
use sqlparser::ast::{self, ColumnDef, DataType, Expr, Ident, Select, SetExpr};

use super::names::quoted_name;
use super::session::name;
use super::{folded, parse};
use crate::error::{Error, Result};
use crate::lex::tokens;

/// Words between CREATE and TABLE.
const KINDS: &[&str] = &["temp", "temporary", "unlogged", "local", "global"];

/// `CREATE TABLE t(a, b) AS` without the names of its columns, and these; `None` for others.
pub fn without_columns(sql: &str) -> Option<(String, Vec<ColumnDef>)> {
    let mut words = tokens(sql).filter(|token| token.kind != Kind::Space);
    words.next().filter(|word| word.is("create"))?;
    while let Some(word) = words.next().filter(|word| !word.is("table")) {
        KINDS.iter().find(|kind| word.is(kind))?;
    }
    if words.next()?.is("if") {
        words.nth(2)?;
    }
    let mut next = words.next()?;
    while next.kind == Kind::Symbol(b'.') {
        next = words.nth(1)?;
    }
    let start = (next.kind == Kind::Symbol(b'(')).then_some(next.start)?;
    let mut columns = Vec::new();
    loop {
        columns.push(column(&name(&words.next()?)?));
        let next = words.next()?;
        match next.kind {
            Kind::Symbol(b',') => {}
            Kind::Symbol(b')') if words.next()?.is("as") => {
                return Some((format!("{}{}", &sql[..start], &sql[next.start + 1..]), columns));
            }
            _ => return None,
        }
    }
}

fn column(name: &str) -> ColumnDef {
    ColumnDef {
        name: Ident::with_quote('"', name),
        data_type: DataType::Unspecified,
        options: Vec::new(),
    }
}

/// Make `SELECT … INTO t` what it means: `CREATE TABLE t AS`. Whether it was one.
///
/// # Errors
///
/// 0A000 for several targets.
pub fn from_into(tree: &mut ast::Statement) -> Result<bool> {
    let ast::Statement::Query(query) = tree else { return Ok(false) };
    let Some(into) = first_select(&mut query.body).and_then(|select| select.into.take()) else {
        return Ok(false);
    };
    let parts: &[Ident] = match &into.targets[..] {
        [Expr::Identifier(name)] => std::slice::from_ref(name),
        [Expr::CompoundIdentifier(parts)] => parts,
        _ => return Err(Error::unsupported("SELECT INTO of this target")),
    };
    let parts: Vec<_> = parts.iter().map(|part| quoted_name(&folded(part))).collect();
    let kind = if into.temporary { "TEMP " } else { "" };
    let made = parse(&format!("CREATE {kind}TABLE {} AS SELECT 1", parts.join(".")))?;
    let Some(ast::Statement::CreateTable(mut table)) = made else {
        return Err(Error::unsupported("SELECT INTO of this target"));
    };
    table.query = Some(query.clone());
    *tree = ast::Statement::CreateTable(table);
    Ok(true)
}

fn first_select(body: &mut SetExpr) -> Option<&mut Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::SetOperation { left, .. } => first_select(left),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_taken_out() {
        for (sql, rest, names) in [
            (
                "CREATE TABLE t(a, \"B c\") AS SELECT 1",
                "CREATE TABLE t AS SELECT 1",
                &["a", "B c"][..],
            ),
            (
                "create temp table if not exists public.t (A) as values (1)",
                "create temp table if not exists public.t  as values (1)",
                &["a"],
            ),
        ] {
            let (text, columns) = without_columns(sql).unwrap();
            let found: Vec<_> = columns.iter().map(|column| column.name.value.as_str()).collect();
            assert_eq!((text.as_str(), &found[..]), (rest, names));
        }
        for other in [
            "CREATE TABLE t(a int) AS SELECT 1",
            "CREATE TABLE t(a)",
            "CREATE VIEW v(a) AS SELECT 1",
        ] {
            assert!(without_columns(other).is_none(), "{other}");
        }
    }
}
