//! What a query makes: the types of a view's columns, and the table of CREATE TABLE AS.

use postgres_types::comments;
use sql_tokens::{Kind, quoted_name};
use sqlparser::ast::{self, CreateTable, CreateView, Expr, LimitClause, ObjectNamePart};

use super::infer::{Column, Named, Schema, Scope, columns_of_query};
use super::{Scalar, Type, Typed, view};
use crate::error::{Error, Result, sqlstate};
use crate::lex::tokens;
use crate::translate::{folded, parse, sources, table_name};

/// A type as CREATE TABLE declares it.
pub fn declaration(typed: Typed) -> String {
    let (scalar, modifier) = (typed.ty.scalar(), typed.modifier);
    let name = scalar.name();
    let text = match scalar {
        Scalar::Varchar | Scalar::Bpchar if modifier >= 4 => format!("{name}({})", modifier - 4),
        Scalar::Numeric if modifier >= 4 => {
            format!("{name}({},{})", (modifier - 4) >> 16, (modifier - 4) & 0x7ff)
        }
        Scalar::Timestamptz if modifier >= 0 => format!("timestamptz({modifier})"),
        Scalar::Timestamp if modifier >= 0 => format!("timestamp({modifier})"),
        Scalar::Time if modifier >= 0 => format!("time({modifier})"),
        _ => name.to_owned(),
    };
    if matches!(typed.ty, Type::Array(_)) { text + "[]" } else { text }
}

/// The definition of a view with the types of the columns that it computes; `None` if it computes none.
///
/// # Errors
///
/// 0A000 for a name that a comment cannot have.
pub fn described(sql: &str, view: &CreateView, schema: &dyn Schema) -> Result<Option<String>> {
    let columns = columns_of_query(&view.query, schema, &Scope::default());
    let names = view.columns.iter().map(|column| folded(&column.name));
    let given: Vec<_> = names.collect();
    let mut names = given.clone();
    names.extend(columns.iter().skip(names.len()).map(|(name, ..)| name.clone()));
    let mut types = Vec::new();
    for (name, (_, typed, is_stored)) in names.iter().zip(&columns) {
        let Some(typed) = typed.filter(|_| !is_stored) else { continue };
        if name.contains("*/") {
            return Err(Error::unsupported(format!(
                "the name {name} of a column that a view computes"
            )));
        }
        types.push(format!("{} {}", quoted_name(name), declaration(typed)));
    }
    let mut words = tokens(sql).filter(|token| token.kind == Kind::Word);
    let Some(word) = words.find(|token| token.text.eq_ignore_ascii_case("as")) else {
        return Ok(None);
    };
    let (before, after) = sql.split_at(word.start + word.text.len());
    let types = match &types[..] {
        [] => String::new(),
        types => format!(" {}{} */", view::BEGIN, types.join("; ")),
    };
    let written = match &given[..] {
        [] => sources::query(&view.query),
        given => sources::named_query(&view.query, given),
    };
    let after = after.trim().trim_end_matches(';');
    let is_written = sources::is_query(after, &written);
    if types.is_empty() && is_written {
        return Ok(None);
    }
    let query = if is_written { after.to_owned() } else { comments::sourced(&written, after) };
    Ok(Some(format!("{before}{types} {query}")))
}

/// A table that a query makes, and how it gets its rows.
pub struct Made<'a> {
    schema: &'a dyn Schema,
    name: String,
    columns: Vec<Column>,
    /// CREATE TABLE with the types of the query.
    pub definition: String,
    /// The INSERT of its rows.
    pub insertion: ast::Statement,
}

impl<'a> Made<'a> {
    /// `None` if the columns are not known, or the table exists.
    ///
    /// # Errors
    ///
    /// 42601 for more names than columns, 0A000 for names of columns that only SQLite knows.
    pub fn of(table: &CreateTable, schema: &'a dyn Schema) -> Result<Option<Self>> {
        let Some(query) = table.query.as_ref() else { return Ok(None) };
        let all = columns_of_query(query, schema, &Scope::default());
        let name = table_name(&table.name);
        match (all.len(), table.columns.len()) {
            _ if schema.columns(&name).is_some() => return Ok(None),
            (0, 0) => return Ok(None),
            (0, _) => return Err(Error::unsupported("names of columns that only SQLite knows")),
            (known, named) if named > known => {
                let message = "too many column names were specified";
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
            _ => {}
        }
        let given = table.columns.iter().map(|column| folded(&column.name)).map(Some);
        let given = given.chain(std::iter::repeat(None));
        let column = |((own, typed, _), given): (Named, Option<String>)| Column {
            name: given.unwrap_or(own),
            declared: typed.map(declaration).unwrap_or_default(),
            ..Column::default()
        };
        let columns: Vec<_> = all.into_iter().zip(given).map(column).collect();
        let declared =
            |column: &Column| format!("{} {}", quoted_name(&column.name), column.declared);
        let declared: Vec<_> = columns.iter().map(declared).collect();
        let parts = table.name.0.iter().filter_map(ObjectNamePart::as_ident);
        let parts: Vec<_> = parts.map(|part| quoted_name(&folded(part))).collect();
        let definition = format!(
            "CREATE {}TABLE {} ({})",
            if table.temporary { "TEMP " } else { "" },
            parts.join("."),
            declared.join(", ")
        );
        let insertion = parse(&format!("INSERT INTO {} SELECT 1", parts.join(".")))?;
        let Some(insertion) = insertion else { return Ok(None) };
        let mut made = Self { schema, name, columns, definition, insertion };
        if let ast::Statement::Insert(insert) = &mut made.insertion {
            let mut query = query.clone();
            if table.with_data.is_some_and(|with| !with.data) {
                (query.limit_clause, query.fetch) = (Some(no_rows()), None);
            }
            insert.source = Some(query);
        }
        Ok(Some(made))
    }
}

/// `LIMIT 0`, for WITH NO DATA.
fn no_rows() -> LimitClause {
    let limit = Some(Expr::Value(ast::Value::Number("0".to_owned(), false).into()));
    LimitClause::LimitOffset { limit, offset: None, limit_by: Vec::new() }
}

impl Schema for Made<'_> {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        if table.eq_ignore_ascii_case(&self.name) {
            Some(self.columns.clone())
        } else {
            self.schema.columns(table)
        }
    }
}
