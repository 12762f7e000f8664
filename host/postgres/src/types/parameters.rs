//! What the context of a parameter, or of a string in quotes, says of its type: that of the column
//! that it is compared with or stored in, or of its cast. A string becomes a value of that type, as a
//! parameter does. And what types forbid or change, since SQLite, which has no such types, would
//! silently take something else for it.

mod calls;
mod common;
mod contexts;
mod definitions;
mod names;
mod operators;
mod recursion;
mod scopes;
mod untyped;
mod writes;

pub(super) use operators::WORDS;
pub(super) use untyped::{is_free, is_given};

use crate::values::Value as Stored;
use sqlparser::ast::{self, Expr, Value};

use super::infer::{Schema, Scope, given::declaring};
use super::made::{Made, described};
use super::placement;
use super::resolve::inline;
use super::{Scalar, TEXT, Type, Typed};
use crate::error::{Error, Result};
use crate::translate::{
    Action, Context, Overriding, Statement, Tree, as_cast, distinct_on, string_of, translate,
};
use crate::values::{self, Format};
use crate::walk::WalkMut;

/// A statement's parameters at most; more of them could not be sent in one message.
const MAX_PARAMETERS: usize = 65_535;

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// The type of the column that it is stored in.
    pub column: Option<Typed>,
}

impl Parameter {
    /// Its value.
    ///
    /// # Errors
    ///
    /// Those of [`values::decode`] and [`values::fitting`].
    pub fn value(self, bytes: Option<&[u8]>, format: Format) -> Result<Stored> {
        let value = values::decode(bytes, self.ty, format)?;
        self.column.map_or(Ok(value.clone()), |column| values::fitting(value, column))
    }
}

/// The types of all parameters; `given` are those of the client, 0 for an open one. The statement gets
/// its strings as values of their types.
///
/// # Errors
///
/// 22P02, 22007 and others for a string that is not of its type, 22001 for one that is too long,
/// 0A000 for sums of dates without a constant interval, and for an order of arrays.
pub fn infer(
    statement: &mut Statement,
    given: &[u32],
    schema: &dyn Schema,
    context: &Context,
) -> Result<Vec<Parameter>> {
    statement.given = given.to_vec();
    if statement.problem.is_some() {
        derive_distinct_on(statement, schema, context)?;
    }
    match statement.parsed.clone() {
        // Its steps are resolved one by one, when it runs.
        _ if statement.action == Action::Alter => Ok(Vec::new()),
        Some(tree) => tree.read(schema, |tree, schema| {
            declaring(given, || found(statement, Some(tree), given, schema, context))
        }),
        None => found(statement, None, given, schema, context),
    }
}

/// `SELECT DISTINCT ON (a) *`: its columns are known only here.
fn derive_distinct_on(
    statement: &mut Statement,
    schema: &dyn Schema,
    context: &Context,
) -> Result<()> {
    let Some(tree) = &statement.parsed else { return Ok(()) };
    let derived = tree.read(schema, |tree, schema| {
        let mut tree = tree.clone();
        Ok(distinct_on::derive(&mut tree, Some(schema))?.then_some(tree))
    })?;
    let Some(tree) = derived else { return Ok(()) };
    statement.parsed = Some(Tree::new(tree.clone()));
    statement.problem = statement.become_tree(tree, context).err();
    Ok(())
}

fn found(
    statement: &mut Statement,
    tree: Option<&ast::Statement>,
    given: &[u32],
    schema: &dyn Schema,
    context: &Context,
) -> Result<Vec<Parameter>> {
    if let Some(ast::Statement::CreateTable(table)) = tree
        && table.query.is_some()
    {
        let Some(made) = Made::of(table, schema)? else {
            return resolved(statement, tree, given, schema, context);
        };
        let mut definition = translate(&made.definition, context)?;
        // Its columns are those of the query, whatever the query has.
        statement.become_tree(made.insertion.clone(), context)?;
        let parameters = resolved(statement, Some(&made.insertion), given, &made, context)?;
        statement.before.extend(definition.pop().map(|definition| definition.sql));
        return Ok(parameters);
    }
    let parameters = resolved(statement, tree, given, schema, context)?;
    if let Some(ast::Statement::CreateView(view)) = tree
        && let Some(sql) = described(&statement.sql, view, schema)?
    {
        (statement.sql, statement.is_untouched) = (sql, false);
    }
    Ok(parameters)
}

fn resolved(
    statement: &mut Statement,
    tree: Option<&ast::Statement>,
    given: &[u32],
    schema: &dyn Schema,
    context: &Context,
) -> Result<Vec<Parameter>> {
    let mut finder = Finder {
        found: Vec::new(),
        schema,
        scopes: Vec::new(),
        with: Vec::new(),
        is_changed: false,
        problem: None,
        given: given.iter().map(|oid| Type::of_oid(*oid)).collect(),
        is_definition: false,
        is_view: false,
        projections: Vec::new(),
        marks: Vec::new(),
        targets: None,
        columns: Vec::new(),
        overriding: statement.overriding,
        labels: Vec::new(),
        is_trigger: false,
        is_query: false,
    };
    if let Some(tree) = tree {
        placement::check(tree)?;
        let mut tree = tree.clone();
        let _ = tree.walk_mut(&mut finder);
        if let Some(problem) = finder.problem.take() {
            return Err(problem);
        }
        statement.columns = std::mem::take(&mut finder.columns);
        match statement.problem.take() {
            Some(problem) if !finder.is_changed => return Err(problem),
            _ if finder.is_changed => {
                inline::expand(&mut tree);
                statement.become_tree(tree, context)?;
            }
            _ => {}
        }
    }
    if let Some(tree) = tree {
        finder.check_untyped(tree, given, statement.parameters)?;
    }
    // A client may give types to parameters that the text does not have.
    let count = statement.parameters.max(given.len()).min(MAX_PARAMETERS);
    let parameter = |index: usize| {
        let of_client = given.get(index).and_then(|oid| Type::of_oid(*oid));
        let found = finder.found.get(index).copied().flatten();
        let ty = of_client.or(found.map(|found| found.typed.ty)).unwrap_or(TEXT);
        let column = found.filter(|found| found.is_stored).map(|found| found.typed);
        Parameter { ty, column }
    };
    Ok((0..count).map(parameter).collect())
}

/// What the first occurrence of a parameter says.
#[derive(Clone, Copy)]
struct Found {
    typed: Typed,
    /// Whether it is stored in a column of this type.
    is_stored: bool,
}

pub(super) struct Finder<'a> {
    found: Vec<Option<Found>>,
    schema: &'a dyn Schema,
    scopes: Vec<Scope>,
    /// The queries of WITH, for each query that is being looked at.
    with: Vec<Scope>,
    /// Whether the tree has other expressions now.
    pub(super) is_changed: bool,
    /// The first that was found.
    problem: Option<Error>,
    /// The types that the client has given to parameters.
    given: Vec<Option<Type>>,
    /// Whether other programs evaluate the expressions: those of a table or an index.
    pub(super) is_definition: bool,
    /// Whether other programs read the statement: a view.
    pub(super) is_view: bool,
    /// The types of the columns of each SELECT that has been resolved in the queries around.
    pub(super) projections: Vec<Vec<Option<Typed>>>,
    /// Where the SELECTs of each query begin in them.
    marks: Vec<usize>,
    /// The types of the columns that the query at the outside is inserted into.
    targets: Option<Vec<Option<Typed>>>,
    /// The types of the columns of the query at the outside.
    pub(super) columns: Vec<Option<Typed>>,
    /// What holds for values of identity columns.
    overriding: Option<Overriding>,
    /// The names of the columns of each query around.
    labels: Vec<names::Labels>,
    /// Whether there are rows `new` and `old`.
    is_trigger: bool,
    /// Whether the statement is a query itself, whose rows it returns.
    is_query: bool,
}

impl Finder<'_> {
    /// `expr` is compared with something of a type.
    pub(super) fn note(&mut self, expr: &mut Expr, typed: Option<Typed>) {
        let typed = typed.map(|typed| Typed::plain(typed.ty));
        self.place(expr, typed.map(|typed| Found { typed, is_stored: false }));
    }

    /// `expr` is stored in a column.
    fn store(&mut self, expr: &mut Expr, column: Option<Typed>) {
        self.store_given(expr, column);
        if let Some(column) = column
            && !is_given(expr)
        {
            self.as_stored(expr, column);
        }
    }

    /// The same, of an expression whose own type is not known here.
    fn store_given(&mut self, expr: &mut Expr, column: Option<Typed>) {
        self.place(expr, column.map(|typed| Found { typed, is_stored: true }));
    }

    /// `expr` is a condition.
    fn condition(&mut self, expr: &mut Expr) {
        self.note(expr, Some(Typed::plain(Type::One(Scalar::Bool))));
    }

    fn place(&mut self, expr: &mut Expr, found: Option<Found>) {
        let Some(found) = found else { return };
        if let Some(index) = parameter(expr) {
            self.parameter(index, found);
        } else if let Some(text) = string_of(expr) {
            self.string(expr, &text, found);
        }
    }

    /// The first occurrence of a parameter counts.
    fn parameter(&mut self, index: usize, found: Found) {
        if index >= MAX_PARAMETERS || self.found.get(index).is_some_and(Option::is_some) {
            return;
        }
        let length = self.found.len().max(index + 1);
        self.found.resize(length, None);
        self.found[index] = Some(found);
    }

    /// A string becomes a cast to its type, unless SQLite has the same value without one. The cast
    /// checks it.
    fn string(&mut self, expr: &mut Expr, text: &str, found: Found) {
        // The name of an object stands for its OID.
        if found.typed.ty == Type::One(Scalar::Oid) && text.trim().parse::<i64>().is_err() {
            return;
        }
        let mut value = values::decode(Some(text.as_bytes()), found.typed.ty, Format::Text);
        if let (true, Ok(decoded)) = (found.is_stored, &value) {
            value = values::fitting(decoded.clone(), found.typed);
            if let Err(error) = value {
                return self.refuse(error);
            }
        }
        if !matches!(value, Ok(Stored::Text(same)) if same == text) {
            self.replace(expr, |string| as_cast(string, found.typed));
        }
    }

    pub(super) fn replace(&mut self, expr: &mut Expr, with: impl FnOnce(Expr) -> Expr) {
        let old = std::mem::replace(expr, Expr::Value(Value::Null.into()));
        *expr = with(old);
        self.is_changed = true;
    }

    pub(super) fn refuse(&mut self, error: Error) {
        self.problem.get_or_insert(error);
    }

    /// The type of an expression, from the innermost query that knows it.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<Typed> {
        if let Some(index) = parameter(expr) {
            let of_client = self.given.get(index).copied().flatten().map(Typed::plain);
            let found = self.found.get(index).copied().flatten().map(|found| found.typed);
            return of_client.or(found);
        }
        if let Expr::Nested(inner) = expr {
            return self.type_of(inner);
        }
        if let Some(typed) = self.of_branches(expr) {
            return typed;
        }
        let outer = self.with.last().cloned().unwrap_or_default();
        for scope in self.scopes.iter().rev() {
            let typed = scope.type_with_queries(expr, self.schema, &outer);
            if typed.is_some() || scope.is_open() {
                return typed;
            }
        }
        if self.scopes.is_empty() {
            Scope::default().type_with_queries(expr, self.schema, &outer)
        } else {
            None
        }
    }

    /// Whether an expression is a table's own column: then a `numeric` is as SQLite stores it.
    pub(super) fn is_stored(&self, expr: &Expr) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.is_stored(expr)).unwrap_or(false)
    }

    /// Whether it is a column of a recursive query.
    pub(super) fn is_kept(&self, expr: &Expr) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.is_kept(expr)).unwrap_or(false)
    }

    /// The tables of the database.
    pub(super) fn schema(&self) -> &dyn Schema {
        self.schema
    }

    /// Whether the query that is looked at is the client's own.
    pub(super) fn is_outermost(&self) -> bool {
        self.with.len() == 1 && !self.is_view
    }

    /// Whether the statement is a trigger.
    pub(super) fn is_trigger(&self) -> bool {
        self.is_trigger
    }

    /// Whether the query that is looked at is the statement itself.
    pub(super) fn is_statement(&self) -> bool {
        self.with.len() == 1 && self.is_query
    }

    /// Whether the query that is looked at is what is inserted.
    pub(super) fn is_source(&self) -> bool {
        self.targets.is_some() && self.with.len() == 1
    }

    /// The types of the columns that a query is inserted into.
    pub(super) fn take_targets(&mut self) -> Option<Vec<Option<Typed>>> {
        if self.is_source() { self.targets.take() } else { None }
    }
}

/// The index of a parameter, from 0.
pub(super) fn parameter(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => {
                name.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
            }
            _ => None,
        },
        Expr::Nested(inner) => parameter(inner),
        _ => None,
    }
}

const fn one(scalar: Scalar) -> Option<Typed> {
    Some(Typed::plain(Type::One(scalar)))
}

#[cfg(test)]
mod tests;
