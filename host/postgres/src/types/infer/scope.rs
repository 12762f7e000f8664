//! The types of expressions.

use sqlparser::ast::{
    self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, Query,
    Select, SelectItem, TableFactor, TableWithJoins, UnaryOperator,
};

use super::super::{Scalar, Type, Typed};
use super::known::{function_type, keyword, literal, one, sum, wider};
use super::{Body, Schema, first_select, name};
use crate::translate::{folded, is_name_of_object, table_name, typed};

/// Queries in each other whose columns are looked up.
const MAX_DEPTH: u32 = 16;

/// The names of columns, and their types where they are known.
type Columns = Vec<(String, Option<Typed>)>;

/// The tables whose columns an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The name of a table or its alias, and the columns.
    tables: Vec<(String, Columns)>,
}

impl Scope {
    /// The tables of a query.
    pub fn of_query(query: &Query, schema: &dyn Schema) -> Self {
        Self::of_nested(query, schema, &Self::default(), MAX_DEPTH)
    }

    /// The tables of FROM.
    pub fn of_tables(tables: &[TableWithJoins], schema: &dyn Schema) -> Self {
        let mut scope = Self::default();
        scope.add_tables(tables, schema, &Self::default(), MAX_DEPTH);
        scope
    }

    /// The tables of a SELECT, with the queries of WITH around it.
    pub fn of_select(select: &Select, schema: &dyn Schema, with: &Self) -> Self {
        let mut scope = Self::default();
        scope.add_tables(&select.from, schema, with, MAX_DEPTH);
        scope
    }

    /// The queries of WITH, and those around them.
    pub fn of_with(query: &Query, schema: &dyn Schema, outer: &Self) -> Self {
        Self::with(query, schema, outer, MAX_DEPTH)
    }

    /// A table that is being made.
    pub fn of_definition(table: &ast::CreateTable) -> Self {
        let column = |column: &ast::ColumnDef| (folded(&column.name), typed(&column.data_type));
        let columns = table.columns.iter().map(column).collect();
        Self { tables: vec![(table_name(&table.name), columns)] }
    }

    /// Whether there may be columns that are not known.
    pub fn is_open(&self) -> bool {
        let is_open = |columns: &Columns| {
            columns.is_empty() || columns.iter().any(|(_, typed)| typed.is_none())
        };
        self.tables.iter().any(|(_, columns)| is_open(columns))
    }

    /// One table.
    pub fn of_table(name: &ObjectName, alias: Option<&str>, schema: &dyn Schema) -> Self {
        let mut scope = Self::default();
        scope.add_table(name, alias, schema, &Self::default());
        scope
    }

    fn of_nested(query: &Query, schema: &dyn Schema, outer: &Self, depth: u32) -> Self {
        let mut scope = Self::default();
        let Some(depth) = depth.checked_sub(1) else { return scope };
        let with = Self::with(query, schema, outer, depth);
        if let Some(Body::Select(select)) = first_select(&query.body) {
            scope.add_tables(&select.from, schema, &with, depth);
        }
        scope
    }

    fn with(query: &Query, schema: &dyn Schema, outer: &Self, depth: u32) -> Self {
        let mut with = outer.clone();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let mut columns = columns_of(&cte.query, schema, &with, depth);
            for (column, alias) in columns.iter_mut().zip(&cte.alias.columns) {
                column.0.clone_from(&alias.name.value);
            }
            with.tables.push((cte.alias.name.value.clone(), columns));
        }
        with
    }

    fn add_tables(
        &mut self,
        tables: &[TableWithJoins],
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) {
        for table in tables {
            self.add_factor(&table.relation, schema, with, depth);
            table
                .joins
                .iter()
                .for_each(|join| self.add_factor(&join.relation, schema, with, depth));
        }
    }

    fn add_factor(&mut self, factor: &TableFactor, schema: &dyn Schema, with: &Self, depth: u32) {
        match factor {
            TableFactor::Table { name, alias, args: Some(args), .. }
                if table_name(name) == "generate_series" =>
            {
                self.tables.push(series(alias.as_ref(), &args.args));
            }
            TableFactor::Table { name, alias, .. } => {
                let alias = alias.as_ref().map(|alias| alias.name.value.as_str());
                self.add_table(name, alias, schema, with);
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let mut columns = columns_of(subquery, schema, with, depth);
                let alias = alias.as_ref();
                for (column, name) in
                    columns.iter_mut().zip(alias.iter().flat_map(|alias| &alias.columns))
                {
                    column.0.clone_from(&name.name.value);
                }
                let name = alias.map(|alias| alias.name.value.clone()).unwrap_or_default();
                self.tables.push((name, columns));
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.add_tables(std::slice::from_ref(table_with_joins), schema, with, depth);
            }
            _ => {}
        }
    }

    fn add_table(
        &mut self,
        name: &ObjectName,
        alias: Option<&str>,
        schema: &dyn Schema,
        with: &Self,
    ) {
        let table = table_name(name);
        let of_with = with.tables.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(&table));
        let columns = match of_with {
            Some((_, columns)) => columns.clone(),
            None => {
                let columns = schema.columns(&table).unwrap_or_default();
                columns.iter().map(|column| (column.name.clone(), column.typed())).collect()
            }
        };
        self.tables.push((alias.map_or(table, str::to_owned), columns));
    }

    fn column(&self, table: Option<&str>, name: &str) -> Option<Typed> {
        let fits =
            |(known, _): &&(String, _)| table.is_none_or(|table| known.eq_ignore_ascii_case(table));
        let columns = self.tables.iter().filter(fits).flat_map(|(_, columns)| columns);
        let mut found = columns.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match found.next() {
            Some((_, typed)) => *typed,
            None if matches!(name.to_ascii_lowercase().as_str(), "rowid" | "oid" | "_rowid_") => {
                one(Scalar::Int8)
            }
            None => None,
        }
    }

    /// The type of an expression, where it is known.
    pub fn type_of(&self, expr: &Expr) -> Option<Typed> {
        match expr {
            Expr::Identifier(name) => {
                self.column(None, &name.value).or_else(|| keyword(&name.value))
            }
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => self.column(Some(&table.value), &name.value),
                _ => None,
            },
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.type_of(inner),
            Expr::AtTimeZone { timestamp, .. } => match self.type_of(timestamp)?.ty.scalar() {
                Scalar::Timestamptz => one(Scalar::Timestamp),
                _ => one(Scalar::Timestamptz),
            },
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
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::Exists { .. } => one(Scalar::Bool),
            Expr::UnaryOp { op: UnaryOperator::Not, .. } => one(Scalar::Bool),
            Expr::UnaryOp { expr, .. } => self.type_of(expr),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter().map(|when| &when.result);
                self.common(results.chain(else_result.as_deref()))
            }
            Expr::Extract { .. } => one(Scalar::Numeric),
            Expr::Position { .. } => one(Scalar::Int4),
            Expr::Ceil { expr, .. } | Expr::Floor { expr, .. } => self.rounded(expr),
            Expr::Substring { .. } | Expr::Trim { .. } | Expr::Overlay { .. } => one(Scalar::Text),
            Expr::Array(array) => {
                let element = self.common(array.elem.iter())?;
                Some(Typed::plain(Type::Array(element.ty.scalar())))
            }
            Expr::Function(function) => self.function(function),
            _ => None,
        }
    }

    /// The type that several expressions become.
    pub fn common<'a>(&self, expressions: impl Iterator<Item = &'a Expr>) -> Option<Typed> {
        let known = expressions.filter_map(|expr| self.type_of(expr));
        known.reduce(|one, other| if one == other { one } else { wider(one, other) })
    }

    fn rounded(&self, expr: &Expr) -> Option<Typed> {
        match self.type_of(expr)?.ty.scalar() {
            Scalar::Numeric | Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => one(Scalar::Numeric),
            _ => one(Scalar::Float8),
        }
    }

    fn binary(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Typed> {
        use BinaryOperator as O;
        match op {
            O::Plus | O::Minus | O::Multiply | O::Divide | O::Modulo => {
                self.arithmetic(self.type_of(left), op, self.type_of(right))
            }
            O::StringConcat | O::LongArrow => one(Scalar::Text),
            O::Arrow => self.type_of(left).or(one(Scalar::Json)),
            O::PGExp => one(Scalar::Float8),
            O::BitwiseAnd
            | O::BitwiseOr
            | O::BitwiseXor
            | O::PGBitwiseXor
            | O::PGBitwiseShiftLeft
            | O::PGBitwiseShiftRight => self.type_of(left),
            O::PGCustomBinaryOperator(parts) if parts.last().is_some_and(|op| op == "||") => {
                one(Scalar::Text)
            }
            _ => one(Scalar::Bool),
        }
    }

    fn arithmetic(
        &self,
        left: Option<Typed>,
        op: &BinaryOperator,
        right: Option<Typed>,
    ) -> Option<Typed> {
        let (Some(left), Some(right)) = (left, right) else {
            return left.or(right).map(|t| Typed::plain(t.ty));
        };
        let (one_side, other) = (left.ty.scalar(), right.ty.scalar());
        match (one_side, other) {
            (Scalar::Date, Scalar::Interval) => one(Scalar::Timestamp),
            (Scalar::Timestamp | Scalar::Timestamptz | Scalar::Time, Scalar::Interval) => {
                Some(left)
            }
            (Scalar::Interval, Scalar::Timestamp | Scalar::Timestamptz) => Some(right),
            (Scalar::Date, Scalar::Date) if *op == BinaryOperator::Minus => one(Scalar::Int4),
            _ => Some(wider(Typed::plain(left.ty), Typed::plain(right.ty))),
        }
    }

    fn function(&self, function: &ast::Function) -> Option<Typed> {
        let arguments = match &function.args {
            FunctionArguments::List(list) => &list.args[..],
            _ => &[],
        };
        let expressions = arguments.iter().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        });
        let arguments: Vec<&Expr> = expressions.collect();
        let first = || arguments.first().and_then(|expr| self.type_of(expr));
        let name = table_name(&function.name);
        if let (FunctionArguments::Subquery(_), "array") = (&function.args, name.as_str()) {
            return Some(Typed::plain(Type::Array(Scalar::Text)));
        }
        match name.as_str() {
            "min" | "max" | "greatest" | "least" | "coalesce" | "ifnull" | "first_value"
            | "last_value" | "nth_value" | "any_value" => self.common(arguments.into_iter()),
            "nullif" | "lag" | "lead" | "abs" | "mod" | "iif" if name != "iif" => {
                first().map(|t| Typed::plain(t.ty))
            }
            "iif" => self.common(arguments.into_iter().skip(1)),
            "sum" => Some(Typed::plain(sum(first()?.ty))),
            "avg" => match first()?.ty.scalar() {
                Scalar::Float4 | Scalar::Float8 => one(Scalar::Float8),
                _ => one(Scalar::Numeric),
            },
            "round" | "trunc" | "ceil" | "ceiling" | "floor" => match first()?.ty.scalar() {
                Scalar::Float4 | Scalar::Float8 => one(Scalar::Float8),
                _ => one(Scalar::Numeric),
            },
            "unnest" => first().map(|t| Typed::plain(Type::One(t.ty.scalar()))),
            "generate_subscripts" => one(Scalar::Int4),
            "generate_series" => self.common(arguments.into_iter()).or(one(Scalar::Int4)),
            "array_agg" => {
                let element = first().map_or(Scalar::Text, |typed| typed.ty.scalar());
                Some(Typed::plain(Type::Array(element)))
            }
            "date_trunc" => {
                match arguments.get(1).and_then(|expr| self.type_of(expr)).map(|t| t.ty.scalar()) {
                    Some(Scalar::Timestamp) => one(Scalar::Timestamp),
                    _ => one(Scalar::Timestamptz),
                }
            }
            known => function_type(known).map(|scalar| Typed::plain(Type::One(scalar))),
        }
    }
}

/// The column of `generate_series`, which has the type of its arguments.
fn series(alias: Option<&ast::TableAlias>, arguments: &[FunctionArg]) -> (String, Columns) {
    let name = alias.map_or("generate_series".to_owned(), |alias| alias.name.value.clone());
    let column = alias.and_then(|alias| alias.columns.first());
    let column = column.map_or_else(|| name.clone(), |column| column.name.value.clone());
    let expressions = arguments.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    let typed = Scope::default().common(expressions).or(one(Scalar::Int4));
    (name, vec![(column, typed)])
}

/// The columns of a query in FROM or WITH.
fn columns_of(query: &Query, schema: &dyn Schema, with: &Scope, depth: u32) -> Columns {
    let scope = Scope::of_nested(query, schema, with, depth);
    let Some(body) = first_select(&query.body) else { return Vec::new() };
    let Body::Select(select) = body else { return Vec::new() };
    let mut columns = Vec::new();
    for item in &select.projection {
        match item {
            SelectItem::UnnamedExpr(expr) => columns.push((name(expr), scope.type_of(expr))),
            SelectItem::ExprWithAlias { expr, alias } => {
                columns.push((alias.value.clone(), scope.type_of(expr)));
            }
            SelectItem::Wildcard(_) => {
                columns.extend(scope.tables.iter().flat_map(|(_, columns)| columns.clone()));
            }
            _ => {}
        }
    }
    columns
}
