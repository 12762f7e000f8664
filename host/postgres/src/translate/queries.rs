//! Queries: order, limits, and what FROM contains.

use std::fmt;

use super::Rewriter;
use super::names::{folded, last, parts, quoted_name, raw};
use crate::error::{Error, Result, sqlstate};
use crate::lex::tokens;
use sql_tokens::Kind;
use sqlparser::ast::{
    Cte, Distinct, Expr, Function, FunctionArg, FunctionArgumentClause, FunctionArguments,
    GroupByExpr, Ident, LimitClause, NamedWindowDefinition, NamedWindowExpr, ObjectName,
    OrderByExpr, OrderByKind, OrderBySort, Query, Select, SetExpr, SetOperator, SetQuantifier,
    TableAlias, TableFactor, WindowType,
};
use sqlparser::dialect::SQLiteDialect;

impl Rewriter<'_> {
    pub(super) fn query(&mut self, query: &mut Query) -> Result<()> {
        if query.with.as_ref().is_some_and(|with| with.cte_tables.iter().any(writes)) {
            return Err(Error::unsupported("INSERT, UPDATE or DELETE in WITH"));
        }
        if !query.locks.is_empty() {
            self.replace(&mut query.locks, Vec::new());
        }
        self.body(&mut query.body)?;
        self.limit(query)?;
        self.order(query);
        Ok(())
    }

    fn body(&mut self, body: &mut SetExpr) -> Result<()> {
        match body {
            SetExpr::Table(table) => {
                let name = table.table_name.clone().unwrap_or_default();
                Err(Error::unsupported(format_args!("TABLE {name}")))
            }
            SetExpr::Query(inner) if is_only_body(inner) => {
                let inner = inner.body.clone();
                self.replace(body, *inner);
                self.body(body)
            }
            SetExpr::Query(_) => self.derived(body),
            SetExpr::SetOperation { op, set_quantifier: SetQuantifier::All, .. }
                if *op != SetOperator::Union =>
            {
                Err(Error::unsupported(format_args!("{op} ALL")))
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left)?;
                let mut inner = &**right;
                while let SetExpr::Query(query) = inner
                    && is_only_body(query)
                {
                    inner = &query.body;
                }
                // SQLite would compute it with what is before it.
                if matches!(inner, SetExpr::SetOperation { .. }) {
                    return self.derived(right);
                }
                self.body(right)
            }
            _ => Ok(()),
        }
    }

    /// A query in a compound as one in FROM, since SQLite has no parentheses there.
    fn derived(&mut self, body: &mut SetExpr) -> Result<()> {
        let sql = match &*body {
            SetExpr::Query(inner) => format!("SELECT * FROM ({inner})"),
            inner => format!("SELECT * FROM ({inner})"),
        };
        if let Some(sqlparser::ast::Statement::Query(query)) = super::parse(&sql)? {
            self.replace(body, *query.body);
        }
        Ok(())
    }

    /// `FETCH FIRST 3 ROWS ONLY`, `LIMIT ALL` and OFFSET alone.
    fn limit(&mut self, query: &mut Query) -> Result<()> {
        if let Some(fetch) = query.fetch.take() {
            if fetch.with_ties || fetch.percent {
                return Err(Error::unsupported("FETCH WITH TIES or PERCENT"));
            }
            let quantity = fetch.quantity.unwrap_or_else(|| raw("1"));
            let clause = query.limit_clause.take();
            let offset = match clause {
                Some(LimitClause::LimitOffset { offset, .. }) => offset,
                _ => None,
            };
            let limit =
                LimitClause::LimitOffset { limit: Some(quantity), offset, limit_by: Vec::new() };
            self.replace(&mut query.limit_clause, Some(limit));
        }
        if let Some(LimitClause::LimitOffset {
            limit: limit @ None, offset: Some(offset), ..
        }) = &mut query.limit_clause
        {
            offset.rows = sqlparser::ast::OffsetRows::None;
            self.replace(limit, Some(raw("-1")));
        } else if let Some(LimitClause::LimitOffset { offset: Some(offset), .. }) =
            &mut query.limit_clause
            && offset.rows != sqlparser::ast::OffsetRows::None
        {
            self.replace(&mut offset.rows, sqlparser::ast::OffsetRows::None);
        }
        Ok(())
    }

    /// NULL means no limit, and no offset. For SQLite a negative one means the same.
    pub(super) fn bounds(&mut self, query: &mut Query) {
        let Some(LimitClause::LimitOffset { limit, offset, .. }) = &mut query.limit_clause else {
            return;
        };
        let offset = offset.as_mut().map(|offset| &mut offset.value);
        let is_definition = self.is_definition;
        for (bound, none, name) in
            [(limit.as_mut(), "-1", "pg_int8_limit"), (offset, "0", "pg_int8_offset")]
        {
            if let Some(bound) = bound
                && bound.to_string().parse::<i64>().is_err()
            {
                let checked = if is_definition {
                    format!("ifnull({bound}, {none})")
                } else {
                    format!("{name}({bound})")
                };
                self.replace(bound, raw(checked));
            }
        }
    }

    /// NULL is the largest value in Postgres, and the smallest in SQLite.
    fn order(&mut self, query: &mut Query) {
        let Some(order) = &mut query.order_by else { return };
        if let OrderByKind::Expressions(terms) = &mut order.kind {
            self.nulls(terms);
        }
    }

    fn nulls(&mut self, terms: &mut [OrderByExpr]) {
        for term in terms {
            if term.options.nulls_first.is_none() {
                let is_descending = matches!(term.options.sort, Some(OrderBySort::Desc));
                self.replace(&mut term.options.nulls_first, Some(is_descending));
            }
        }
    }

    /// The same of an aggregate and of a window.
    pub(super) fn order_within(&mut self, function: &mut Function) {
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            self.nulls(&mut window.order_by);
        }
        let FunctionArguments::List(list) = &mut function.args else { return };
        for clause in &mut list.clauses {
            if let FunctionArgumentClause::OrderBy(terms) = clause {
                self.nulls(terms);
            }
        }
    }

    pub(super) fn select(&mut self, select: &mut Select) -> Result<()> {
        if matches!(select.distinct, Some(Distinct::On(_))) {
            return Err(Error::unsupported("DISTINCT ON"));
        }
        if select.projection.is_empty() {
            return Err(match select.distinct {
                Some(_) => Error::new(sqlstate::SYNTAX_ERROR, "SELECT DISTINCT needs columns"),
                None => Error::unsupported("SELECT without columns here"),
            });
        }
        if matches!(select.distinct, Some(Distinct::All)) {
            self.replace(&mut select.distinct, None);
        }
        if select.into.is_some() {
            let message = "SELECT ... INTO is not allowed here";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        for NamedWindowDefinition(_, window) in &mut select.named_window {
            if let NamedWindowExpr::WindowSpec(window) = window {
                self.nulls(&mut window.order_by);
            }
        }
        if matches!(&select.group_by, GroupByExpr::All(_)) {
            return Err(Error::unsupported("GROUP BY ALL"));
        }
        Ok(())
    }

    pub(super) fn table_factor(&mut self, factor: &mut TableFactor) -> Result<()> {
        match factor {
            TableFactor::Derived { lateral: true, .. }
            | TableFactor::Function { lateral: true, .. } => Err(Error::unsupported("LATERAL")),
            TableFactor::Table { sample: Some(_), .. } => Err(Error::unsupported("TABLESAMPLE")),
            // There are no partitions, so a table has no ancestors. psql queries them.
            TableFactor::Table { name, alias, with_ordinality: true, .. }
                if last(name) == "pg_partition_ancestors" =>
            {
                let subquery = parsed("SELECT 0 AS relid, 0 AS depth WHERE false")?;
                let alias = alias.take().map(|alias| TableAlias { columns: Vec::new(), ..alias });
                let none = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
                self.replace(factor, none);
                Ok(())
            }
            TableFactor::Table { with_ordinality: true, .. } => {
                Err(Error::unsupported("WITH ORDINALITY"))
            }
            TableFactor::Table { name, alias, args, .. } => {
                if args.is_some() {
                    if let [schema, function] = parts(name)[..]
                        && matches!(folded(schema).as_str(), "pg_catalog" | "public")
                    {
                        let function = function.clone();
                        self.replace(name, function.into());
                    }
                } else if alias.is_none() && parts(name).len() == 2 && !is_own(name) {
                    // Columns are qualified by the name without the schema.
                    let table = parts(name).last().copied().cloned();
                    let named = table.map(|name| TableAlias {
                        explicit: true,
                        name,
                        columns: Vec::new(),
                        at: None,
                    });
                    self.replace(alias, named);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `(VALUES …) AS t(a, b)`: SQLite has no names of columns here, but in WITH.
    pub(super) fn derived_table(&mut self, factor: &mut TableFactor) -> Result<()> {
        match factor {
            TableFactor::Derived { subquery, alias: Some(alias), .. }
                if !alias.columns.is_empty() =>
            {
                let name = alias.name.to_string();
                let columns: Vec<_> =
                    alias.columns.iter().map(|column| column.name.to_string()).collect();
                let sql = format!(
                    "SELECT * FROM (WITH {name}({}) AS ({subquery}) SELECT * FROM {name})",
                    columns.join(", ")
                );
                alias.columns.clear();
                self.replace(subquery, parsed(&sql)?);
            }
            TableFactor::Table { name, alias: Some(alias), args: Some(args), .. }
                if last(name) == "generate_series" =>
            {
                let derived = values_of(&series(&args.args), alias)?;
                self.replace(factor, derived);
            }
            TableFactor::Table { name, alias: None, args: Some(args), .. }
                if last(name) == "generate_series" =>
            {
                self.replace(name, ObjectName::from(Ident::new(series(&args.args))));
                if let TableFactor::Table { args, .. } = factor {
                    *args = None;
                }
            }
            TableFactor::Table { name, alias, args: Some(args), .. } if last(name) == "unnest" => {
                let [argument] = &args.args[..] else {
                    return Err(Error::unsupported("unnest of arrays"));
                };
                let derived = unnested(argument, alias.as_ref())?;
                self.replace(factor, derived);
            }
            TableFactor::UNNEST { with_ordinality: false, array_exprs, alias, .. } => {
                let [array] = &array_exprs[..] else {
                    return Err(Error::unsupported("unnest of arrays"));
                };
                let derived = unnested(array, alias.as_ref())?;
                self.replace(factor, derived);
            }
            TableFactor::UNNEST { .. } => return Err(Error::unsupported("unnest WITH ORDINALITY")),
            TableFactor::Table { name, alias: Some(alias), args: None, .. }
                if !alias.columns.is_empty() =>
            {
                let columns: Vec<_> =
                    alias.columns.iter().map(|column| column.name.to_string()).collect();
                let own = &alias.name;
                // Not by its own name: a query of WITH would be what it selects from.
                let sql = format!(
                    "SELECT * FROM (WITH \"pg_alias {0}\"({1}) AS (SELECT * FROM {name}) SELECT * FROM \"pg_alias {0}\")",
                    own.value.replace('"', ""),
                    columns.join(", ")
                );
                let alias = Some(TableAlias { columns: Vec::new(), ..alias.clone() });
                let subquery = parsed(&sql)?;
                let derived =
                    TableFactor::Derived { lateral: false, subquery, alias, sample: None };
                self.replace(factor, derived);
            }
            TableFactor::Table { alias: Some(alias), .. } if !alias.columns.is_empty() => {
                return Err(Error::unsupported("names of columns after a function's alias"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether the letters of a word, in any case, are in a text: a word that is not there needs no look through the tree.
pub fn has_letters(text: &str, word: &str) -> bool {
    let found = |letters: &[u8]| letters.eq_ignore_ascii_case(word.as_bytes());
    text.as_bytes().windows(word.len()).any(found)
}

/// Whether `LIMIT ALL` may be somewhere, which the tree does not have.
pub fn has_limit_all(sql: &str) -> bool {
    let words = tokens(sql).filter(|token| token.kind != Kind::Space);
    let mut is_limit = false;
    words.map(|token| token.text).any(|word| {
        let was_limit = std::mem::replace(&mut is_limit, word.eq_ignore_ascii_case("limit"));
        was_limit && word.eq_ignore_ascii_case("all")
    })
}

/// The column `value` of a function in FROM, by the alias that names the table and the column.
fn values_of(call: &str, alias: &TableAlias) -> Result<TableFactor> {
    let column = alias.columns.first().map_or(&alias.name, |column| &column.name);
    let subquery = parsed(&format!("SELECT value AS {column} FROM {call}"))?;
    let alias = Some(TableAlias { columns: Vec::new(), ..alias.clone() });
    Ok(TableFactor::Derived { lateral: false, subquery, alias, sample: None })
}

/// A call of SQLite's function, which takes anything for a number, with Postgres' rules.
fn series(arguments: &[FunctionArg]) -> String {
    let checks = ["pg_series_number", "pg_series_number", "pg_series_step"];
    let checked = arguments.iter().zip(checks).map(|(value, check)| {
        let value = value.to_string();
        match value.parse::<i64>() {
            Ok(number) if number != 0 => value,
            _ => format!("{check}({value})"),
        }
    });
    format!("generate_series({})", checked.collect::<Vec<_>>().join(", "))
}

/// The elements of an array, which is JSON.
fn unnested(array: &impl fmt::Display, alias: Option<&TableAlias>) -> Result<TableFactor> {
    let own =
        TableAlias { explicit: true, name: Ident::new("unnest"), columns: Vec::new(), at: None };
    values_of(&format!("json_each(pg_array_json({array}))"), alias.unwrap_or(&own))
}

fn is_own(name: &sqlparser::ast::ObjectName) -> bool {
    parts(name).first().is_some_and(|schema| matches!(folded(schema).as_str(), "main" | "temp"))
}

/// A query that was put together here, whose parameters may be SQLite's already.
fn parsed(sql: &str) -> Result<Box<Query>> {
    use sqlparser::ast::Statement;
    let parsed = match super::parse(sql)? {
        None => super::stack::parse(&SQLiteDialect {}, sql)?.map(|(parsed, _)| parsed),
        parsed => parsed,
    };
    match parsed {
        Some(Statement::Query(query)) => Ok(query),
        _ => Err(Error::unsupported("this FROM")),
    }
}

/// Whether a query of WITH changes rows.
fn writes(cte: &Cte) -> bool {
    matches!(
        &*cte.query.body,
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
    )
}

/// `EXISTS` over other tables: for DELETE … USING.
pub fn exists(tables: &str, condition: Option<&Expr>) -> Expr {
    let condition = condition.map_or(String::new(), |condition| format!(" WHERE {condition}"));
    raw(format!("EXISTS (SELECT 1 FROM {tables}{condition})"))
}

/// Names in quotes, with commas.
pub fn names(names: &[Ident]) -> String {
    names.iter().map(|name| quoted_name(&folded(name))).collect::<Vec<_>>().join(", ")
}

/// Whether a query has nothing but its body.
pub fn is_only_body(query: &Query) -> bool {
    query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty()
}
