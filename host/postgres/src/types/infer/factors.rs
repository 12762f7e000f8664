//! Functions in FROM that return sets, subscripts, and whole rows.

use sqlparser::ast::{
    AccessExpr, Expr, FunctionArg, FunctionArgExpr, Subscript, TableAlias, TableFactor, Value,
};

use super::super::resolve::plans;
use super::super::resolve::sets::{self, Set};
use super::super::{Scalar, Type, Typed};
use super::known::one;
use super::scope::{Columns, Known, Scope};
use crate::translate::{folded, string_of, table_name};

/// A call of a function in FROM.
pub struct Call<'a> {
    pub name: String,
    pub arguments: Vec<&'a Expr>,
    pub alias: Option<&'a TableAlias>,
    pub with_ordinality: bool,
}

impl<'a> Call<'a> {
    /// The call that a table is, if it is one.
    pub fn of(factor: &'a TableFactor) -> Option<Self> {
        match factor {
            TableFactor::Table { name, alias, args: Some(args), with_ordinality, .. } => {
                // Ours are in quotes.
                let is_ours = name
                    .0
                    .iter()
                    .any(|part| part.as_ident().is_some_and(|ident| ident.quote_style.is_some()));
                let argument = |argument: &'a FunctionArg| match argument {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                    _ => None,
                };
                let arguments = args.args.iter().map(argument).collect::<Option<_>>()?;
                let name = table_name(name);
                (!is_ours).then_some(Self {
                    name,
                    arguments,
                    alias: alias.as_ref(),
                    with_ordinality: *with_ordinality,
                })
            }
            TableFactor::UNNEST { alias, array_exprs, with_ordinality, .. } => Some(Self {
                name: "unnest".to_owned(),
                arguments: array_exprs.iter().collect(),
                alias: alias.as_ref(),
                with_ordinality: *with_ordinality,
            }),
            _ => None,
        }
    }

    /// The name of the table, and those of its columns with their types.
    pub fn columns(&self, set: &Set) -> (String, Vec<(String, Type)>) {
        let table = self.alias.map_or_else(|| self.name.clone(), |alias| folded(&alias.name));
        let mut columns = set.columns.clone();
        if let [(name, _)] = &mut columns[..]
            && name.is_empty()
        {
            name.clone_from(&table);
        }
        for (name, _) in columns.iter_mut().filter(|(name, _)| name.is_empty()) {
            name.clone_from(&self.name);
        }
        if self.with_ordinality {
            columns.push(("ordinality".to_owned(), Type::One(Scalar::Int8)));
        }
        let given = self.alias.iter().flat_map(|alias| &alias.columns);
        for ((name, _), given) in columns.iter_mut().zip(given) {
            *name = folded(&given.name);
        }
        (table, columns)
    }
}

impl Scope {
    /// The type of an operand or an argument: `Some(None)` for a string and for NULL; `None` if it is not known.
    pub fn planned_type(&self, expr: &Expr) -> Option<Option<Type>> {
        if is_open(expr) {
            return Some(None);
        }
        self.type_of(expr).map(|typed| Some(typed.ty))
    }

    pub(super) fn planned_types(&self, expressions: &[&Expr]) -> Option<Vec<Option<Type>>> {
        expressions.iter().map(|expr| self.planned_type(expr)).collect()
    }

    /// The columns of a function in FROM.
    pub(super) fn of_set(&self, factor: &TableFactor) -> Option<(String, Columns)> {
        let call = Call::of(factor)?;
        let set = sets::set(&call.name, &self.planned_types(&call.arguments)?)?;
        let (table, columns) = call.columns(&set);
        let known = |(name, ty)| Known { name, typed: Some(Typed::plain(ty)), ..Known::default() };
        Some((table, columns.into_iter().map(known).collect()))
    }

    pub(super) fn subscripted(&self, root: &Expr, chain: &[AccessExpr]) -> Option<Typed> {
        let (root, subscript) = subscript(root, chain)?;
        let own = self.type_of(&root)?;
        match own.ty {
            Type::One(Scalar::Jsonb) => return Some(Typed::plain(own.ty)),
            Type::One(Scalar::Name) => return one(Scalar::Char),
            _ => {}
        }
        let Type::Array(scalar) = own.ty else { return None };
        match subscript {
            Subscript::Index { .. } => one(scalar),
            Subscript::Slice { .. } => Some(Typed::plain(Type::Array(scalar))),
        }
    }

    /// The columns of a table that is named as a value: its row.
    pub fn row(&self, name: &str) -> Option<Vec<(String, Typed)>> {
        if self.known(None, name).is_some() {
            return None;
        }
        let (_, columns) =
            self.tables.iter().find(|(table, _)| table.eq_ignore_ascii_case(name))?;
        let column = |known: &Known| Some((known.name.clone(), known.typed?));
        columns.iter().map(column).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
    }

    /// The result of a function that is planned by its arguments.
    pub(super) fn planned(&self, name: &str, arguments: &[&Expr]) -> Option<Typed> {
        let types: Vec<_> = arguments
            .iter()
            .map(|expr| self.planned_type(expr))
            .collect::<Option<_>>()
            .or_else(|| plans::takes_any(name).then(|| vec![None; arguments.len()]))?;
        plans::function(name, &types).map(|plan| plan.result)
    }
}

/// The value that a chain of subscripts is of, and its only subscript. The parser takes the name of a table for a composite.
pub fn subscript<'a>(root: &Expr, chain: &'a [AccessExpr]) -> Option<(Expr, &'a Subscript)> {
    match chain {
        [AccessExpr::Dot(Expr::Identifier(column)), AccessExpr::Subscript(subscript)] => {
            let mut parts = match root {
                Expr::Identifier(name) => vec![name.clone()],
                Expr::CompoundIdentifier(parts) => parts.clone(),
                _ => return None,
            };
            parts.push(column.clone());
            Some((Expr::CompoundIdentifier(parts), subscript))
        }
        [AccessExpr::Subscript(subscript)] => Some((root.clone(), subscript)),
        _ => None,
    }
}

/// A string or NULL, which take any type.
pub fn is_open(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_open(inner),
        Expr::Value(value) => matches!(value.value, Value::Null) || string_of(expr).is_some(),
        _ => false,
    }
}
