//! The types of expressions.

use std::collections::BTreeMap;
use std::rc::Rc;

use sqlparser::ast::{
    self, BinaryOperator, Expr, ObjectName, Query, Select, TableWithJoins, UnaryOperator, Value,
};

use super::super::resolve::{family, plans};
use super::super::{Scalar, Type, Typed};
use super::Schema;
use super::budget;
use super::columns::{columns_of, type_with_queries};
use super::known::{is_bytes, keyword, literal, one, together, wider};
use crate::translate::{folded, is_name_of_object, table_name, typed};

/// Queries in each other whose columns are looked up.
pub(super) const MAX_DEPTH: u32 = 16;

/// Queries of WITH in a statement at most: the scope of each has those before it.
pub const MAX_WITH: usize = 1000;

/// Columns of a SELECT at most, as in PostgreSQL.
pub const MAX_COLUMNS: usize = 1664;

/// A column that an expression may name.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub name: String,
    /// Its type, where it is known.
    pub typed: Option<Typed>,
    /// Whether it is a part of its table's primary key.
    pub is_key: bool,
    /// Whether it is a table's own: then a `numeric` is as SQLite stores it.
    pub is_stored: bool,
    /// Whether it is NULL or a string, which has the type of the other branches of a compound.
    pub is_open: bool,
    /// Whether it is a column of a recursive query, whose rows SQLite keeps: it is read and not computed.
    pub is_kept: bool,
}

impl Known {
    /// What stands for columns that are not known.
    pub fn rest() -> Self {
        Self { name: "*".into(), ..Self::default() }
    }

    /// Whether it stands for columns that are not known.
    pub fn is_rest(&self) -> bool {
        self.name == "*"
    }
}

pub(super) type Columns = Vec<Known>;

/// The tables whose columns an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The name of a table or its alias, and the columns.
    pub(super) tables: Vec<(String, Rc<Columns>)>,
    /// Whether there is something in FROM whose columns are not known.
    pub(super) has_unknown: bool,
    /// Columns that USING or NATURAL merges with one of a table before, which `*` has once: their tables and positions, and those of
    /// the others.
    pub(super) merged: BTreeMap<(usize, usize), (usize, usize)>,
    /// The columns of `*` in PostgreSQL's order, by their tables and positions: those that are merged begin each join.
    pub(super) shown: Vec<(usize, usize)>,
    /// The tables of the query around, whose columns an expression may name, too.
    pub(super) outer: Option<Rc<Scope>>,
}

impl Scope {
    /// The tables of a query.
    pub fn of_query(query: &Query, schema: &dyn Schema, outer: &Self) -> Self {
        Self::of_nested(query, schema, outer, MAX_DEPTH)
    }

    /// The tables of FROM.
    pub fn of_tables(tables: &[TableWithJoins], schema: &dyn Schema) -> Self {
        Self::of_from(tables, schema, &Self::default())
    }

    /// The tables of a SELECT, with the queries of WITH around it.
    pub fn of_select(select: &Select, schema: &dyn Schema, with: &Self) -> Self {
        Self::of_from(&select.from, schema, with)
    }

    /// The tables of FROM, with the queries of WITH around it.
    pub fn of_from(tables: &[TableWithJoins], schema: &dyn Schema, with: &Self) -> Self {
        Self::from(tables, schema, with, MAX_DEPTH)
    }

    /// The queries of WITH of a query in an expression of this scope.
    pub fn with_outer(with: &Self, outer: Option<&Self>) -> Self {
        Self { outer: outer.map(|outer| Rc::new(outer.clone())), ..with.clone() }
    }

    /// The queries of WITH, and those around them.
    pub fn of_with(query: &Query, schema: &dyn Schema, outer: &Self) -> Self {
        Self::with(query, schema, outer, MAX_DEPTH)
    }

    /// A table that is being made.
    pub fn of_definition(table: &ast::CreateTable) -> Self {
        let column = |column: &ast::ColumnDef| Known {
            name: folded(&column.name),
            typed: typed(&column.data_type),
            is_stored: true,
            ..Known::default()
        };
        let columns = table.columns.iter().map(column).collect();
        Self { tables: vec![(table_name(&table.name), Rc::new(columns))], ..Self::default() }
    }

    /// Whether there may be columns that are not known.
    pub fn is_open(&self) -> bool {
        let is_open = |columns: &Columns| {
            columns.is_empty() || columns.iter().any(|column| column.typed.is_none())
        };
        self.tables.iter().any(|(_, columns)| is_open(columns))
    }

    /// Whether the columns of a table are not known.
    pub fn is_unknown(&self) -> bool {
        self.has_unknown || self.tables.iter().any(|(_, columns)| columns.is_empty())
    }

    /// One table.
    pub fn of_table(name: &ObjectName, alias: Option<&str>, schema: &dyn Schema) -> Self {
        let mut scope = Self::default();
        scope.add_table(name, alias, schema, &Self::default());
        scope
    }

    pub(super) fn known(&self, table: Option<&str>, name: &str) -> Option<&Known> {
        let fits =
            |(known, _): &&(String, _)| table.is_none_or(|table| known.eq_ignore_ascii_case(table));
        let columns = self.tables.iter().filter(fits).flat_map(|(_, columns)| columns.iter());
        let mut found = columns.filter(|known| known.name.eq_ignore_ascii_case(name));
        found.next()
    }

    fn column(&self, table: Option<&str>, name: &str) -> Option<Typed> {
        match self.known(table, name) {
            Some(known) => known.typed,
            None if matches!(name.to_ascii_lowercase().as_str(), "rowid" | "oid" | "_rowid_") => {
                one(Scalar::Int8)
            }
            // Hidden columns of the catalogue.
            None if name.eq_ignore_ascii_case("tableoid") => one(Scalar::Oid),
            None if self.is_unknown() => None,
            None => self.outer.as_ref()?.column(table, name),
        }
    }

    /// The columns of `*`, or of one table: as many as a SELECT may have.
    pub(super) fn add_all(&self, table: Option<&str>, columns: &mut Columns) {
        let room = (MAX_COLUMNS + 1).saturating_sub(columns.len());
        let before = columns.len();
        columns.extend(
            self.all(table).take(room).map(|known| Known { is_key: false, ..known.clone() }),
        );
        budget::spend(columns.len() - before);
    }

    /// The type of the first column of a query.
    pub fn first_type(query: &Query, schema: &dyn Schema, with: &Self) -> Option<Typed> {
        columns_of(query, schema, with, MAX_DEPTH).first()?.typed
    }

    /// The type of an expression, of which a query may be a part.
    pub fn type_with_queries(
        &self,
        expr: &Expr,
        schema: &dyn Schema,
        with: &Self,
    ) -> Option<Typed> {
        type_with_queries(expr, self, schema, with, MAX_DEPTH)
    }

    /// The type of an expression, where it is known.
    pub fn type_of(&self, expr: &Expr) -> Option<Typed> {
        if !budget::step() {
            return None;
        }
        match expr {
            Expr::Identifier(name) => {
                self.column(None, &name.value).or_else(|| keyword(&name.value))
            }
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => self.column(Some(&table.value), &name.value),
                _ => None,
            },
            Expr::Collate { collation, .. } if table_name(collation) == "pg_numeric" => {
                one(Scalar::Numeric)
            }
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.type_of(inner),
            Expr::AtTimeZone { timestamp, .. } => {
                Some(plans::at_zone(self.planned_type(timestamp)?)?.result)
            }
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.subscripted(root, access_chain)
            }
            Expr::Value(value) => literal(&value.value),
            Expr::Cast { expr, data_type, .. } if is_name_of_object(expr, data_type) => {
                one(Scalar::Text)
            }
            Expr::Cast { data_type, .. } => typed(data_type),
            Expr::TypedString(string) => typed(&string.data_type),
            Expr::Interval(_) => one(Scalar::Interval),
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::SimilarTo { .. }
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::Exists { .. } => one(Scalar::Bool),
            Expr::UnaryOp { op: UnaryOperator::Not, .. } => one(Scalar::Bool),
            Expr::UnaryOp {
                op: UnaryOperator::PGSquareRoot | UnaryOperator::PGCubeRoot, ..
            } => one(Scalar::Float8),
            Expr::UnaryOp { op: UnaryOperator::Minus, .. } if number_of(expr).is_some() => {
                // The lowest integers have no positive counterpart.
                literal(&Value::Number(number_of(expr)?, false))
            }
            Expr::UnaryOp { expr, .. } => self.type_of(expr),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter().map(|when| &when.result);
                self.common(results.chain(else_result.as_deref()))
            }
            Expr::Extract { .. } => one(Scalar::Numeric),
            Expr::Position { .. } => one(Scalar::Int4),
            Expr::Ceil { expr, .. } | Expr::Floor { expr, .. } => self.rounded(expr),
            Expr::Substring { expr, .. } | Expr::Trim { expr, .. } | Expr::Overlay { expr, .. } => {
                self.type_of(expr).filter(|own| is_bytes(*own)).or(one(Scalar::Text))
            }
            Expr::Array(array) => match self.common(array.elem.iter())?.ty {
                Type::One(element) => Some(Typed::plain(Type::Array(element))),
                Type::Array(_) => None,
            },
            Expr::Function(function) => self.call(function),
            _ => None,
        }
    }

    /// The type that several expressions become.
    pub fn common<'a>(&self, expressions: impl Iterator<Item = &'a Expr>) -> Option<Typed> {
        together(expressions.map(|expr| (expr, self.type_of(expr))))
    }

    fn rounded(&self, expr: &Expr) -> Option<Typed> {
        match self.type_of(expr)?.ty.scalar() {
            Scalar::Numeric | Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => one(Scalar::Numeric),
            _ => one(Scalar::Float8),
        }
    }

    fn binary(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Typed> {
        use BinaryOperator as O;
        // Each side is looked at once: more would double with each level of a nested expression.
        let [left_type, right_type] = [left, right].map(|side| self.type_of(side));
        let planned = |side: &Expr, own: Option<Typed>| {
            if super::factors::is_open(side) { Some(None) } else { own.map(|own| Some(own.ty)) }
        };
        if let (Some(one), Some(other)) = (planned(left, left_type), planned(right, right_type))
            && let Some(plan) = plans::operator(&crate::translate::operator(op), one, other)
        {
            return Some(plan.result);
        }
        match op {
            O::Plus | O::Minus | O::Multiply | O::Divide | O::Modulo => {
                self.arithmetic(left_type, right_type)
            }
            O::StringConcat | O::LongArrow => one(Scalar::Text),
            O::Arrow => left_type.or(one(Scalar::Json)),
            O::PGExp => match (family::number(left_type), family::number(right_type)) {
                (Some(left), Some(right)) if family::common(left, right) == Scalar::Numeric => {
                    one(Scalar::Numeric)
                }
                _ => one(Scalar::Float8),
            },
            O::BitwiseAnd | O::BitwiseOr | O::BitwiseXor | O::PGBitwiseXor => {
                match (family::number(left_type), family::number(right_type)) {
                    (Some(left), Some(right)) => one(family::common(left, right)),
                    _ => [left_type, right_type]
                        .into_iter()
                        .find(|own| family::number(*own).is_some())
                        .unwrap_or(left_type.or(right_type)),
                }
            }
            O::PGBitwiseShiftLeft | O::PGBitwiseShiftRight => left_type,
            O::PGCustomBinaryOperator(parts) if parts.last().is_some_and(|op| op == "||") => {
                one(Scalar::Text)
            }
            _ => one(Scalar::Bool),
        }
    }

    fn arithmetic(&self, left: Option<Typed>, right: Option<Typed>) -> Option<Typed> {
        let (Some(left), Some(right)) = (left, right) else {
            return left.or(right).map(|t| Typed::plain(t.ty));
        };
        let (one_side, other) = (left.ty.scalar(), right.ty.scalar());
        match (one_side, other) {
            (Scalar::Date | Scalar::Timestamp, Scalar::Interval) => one(Scalar::Timestamp),
            _ => match (family::number(Some(left)), family::number(Some(right))) {
                (Some(first), Some(second)) => one(family::common(first, second)),
                _ => Some(wider(Typed::plain(left.ty), Typed::plain(right.ty))),
            },
        }
    }
}

/// A number that stands for itself, also in parentheses, with its sign.
fn number_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => Some(text.clone()),
            _ => None,
        },
        Expr::Nested(inner) => number_of(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            let text = number_of(expr)?;
            Some(text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned))
        }
        _ => None,
    }
}
