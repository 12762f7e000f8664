//! The positions of a statement that say what type an expression has.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Assignment, AssignmentTarget, Expr, Insert, LimitClause, Query, Select, SelectItem,
    SetExpr, TableObject, UpdateTableFromKind, VisitorMut,
};

use super::super::infer::{MAX_COLUMNS, MAX_WITH, budget};
use super::super::resolve::{string, without_parentheses};
use super::operators::WORDS;
use super::{Finder, Scalar, Scope, TEXT, Type, Typed, is_given, one, parameter};
use crate::error::{Error, sqlstate};
use crate::translate::{check_modifier, is_object, table_name, typed, written};

impl Finder<'_> {
    fn insert(&mut self, insert: &mut Insert) {
        self.complete_insert(insert);
        let TableObject::TableName(name) = &insert.table else { return };
        if let Some(ast::OnInsert::OnConflict(conflict)) = &mut insert.on
            && let ast::OnConflictAction::DoUpdate(update) = &mut conflict.action
        {
            self.complete_assignments(name, &mut update.assignments);
        }
        self.scopes.push(Scope::of_table(name, Some("excluded"), self.schema));
        let alias = insert.table_alias.as_ref().map(|alias| alias.alias.value.as_str());
        self.scopes.push(Scope::of_table(name, alias, self.schema));
        let types = self.types_of_columns(insert);
        self.targets = Some(types.clone());
        let type_of = |index: usize| types.get(index).copied().flatten();
        match insert.source.as_deref_mut().map(|source| &mut *source.body) {
            Some(SetExpr::Values(values)) => {
                for row in &mut values.rows {
                    for (index, expr) in row.content.iter_mut().enumerate() {
                        self.store(expr, type_of(index));
                    }
                }
            }
            Some(SetExpr::Select(select)) => {
                for (index, item) in select.projection.iter_mut().enumerate() {
                    match item {
                        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                            self.store_given(expr, type_of(index));
                        }
                        // From here on the positions are not known.
                        _ => break,
                    }
                }
            }
            _ => {}
        }
        if let Some(ast::OnInsert::OnConflict(conflict)) = &mut insert.on
            && let ast::OnConflictAction::DoUpdate(update) = &mut conflict.action
        {
            self.assignments(&mut update.assignments);
        }
    }

    /// The types of the columns that are inserted, in their order.
    fn types_of_columns(&self, insert: &Insert) -> Vec<Option<Typed>> {
        let TableObject::TableName(name) = &insert.table else { return Vec::new() };
        let columns = self.schema.columns(&table_name(name)).unwrap_or_default();
        if insert.columns.is_empty() {
            return columns.iter().map(|column| column.typed()).collect();
        }
        let find = |name: &ast::ObjectName| {
            let name = table_name(name);
            columns.iter().find(|column| column.name.eq_ignore_ascii_case(&name))?.typed()
        };
        insert.columns.iter().map(find).collect()
    }

    fn assignments(&mut self, assignments: &mut [Assignment]) {
        for Assignment { target, value } in assignments {
            match (target, value) {
                (AssignmentTarget::ColumnName(name), value) => self.assign(name, value),
                (AssignmentTarget::Tuple(names), Expr::Tuple(values)) => {
                    names.iter().zip(values).for_each(|(name, value)| self.assign(name, value));
                }
                _ => {}
            }
        }
    }

    /// The same when the values have been resolved.
    fn assign_resolved(&mut self, assignments: &mut [Assignment]) {
        for Assignment { target, value } in assignments {
            let AssignmentTarget::ColumnName(name) = target else { continue };
            let column = self.type_of(&Expr::Identifier(ast::Ident::new(table_name(name))));
            if let Some(column) = column {
                self.assigned(value, column);
            }
        }
    }

    fn assign(&mut self, name: &ast::ObjectName, value: &mut Expr) {
        let column = self.type_of(&Expr::Identifier(ast::Ident::new(table_name(name))));
        self.store(value, column);
    }

    pub(super) fn check_modifier(&mut self, data_type: &ast::DataType) {
        if let Err(error) = check_modifier(data_type) {
            self.refuse(error);
        }
    }

    fn cast(&mut self, expr: &mut Expr, data_type: &ast::DataType) {
        let target = typed(data_type);
        match (target.map(|typed| typed.ty), &mut *expr) {
            // An object is given by its name as well as by its OID.
            _ if is_object(data_type) => {
                if parameter(expr).is_some() {
                    self.note(expr, Some(Typed::plain(TEXT)));
                }
            }
            (Some(Type::Array(_)), array) if is_empty_array(array) => {
                self.replace(array, |_| string("{}"));
            }
            (Some(Type::Array(scalar)), Expr::Array(array)) => {
                array.elem.iter_mut().for_each(|expr| self.note(expr, one(scalar)));
            }
            (Some(Type::One(Scalar::Text | Scalar::Varchar | Scalar::Bpchar)), expr)
                if !is_given(expr) =>
            {
                self.as_text(expr, WORDS);
            }
            // The cast itself reads a string.
            (Some(_), expr) if parameter(expr).is_some() => self.note(expr, target),
            _ => {}
        }
    }
}

/// `ARRAY[]`, whose type only a cast gives; one in another one is empty, too.
fn is_empty_array(expr: &Expr) -> bool {
    matches!(expr, Expr::Array(array) if array.elem.iter().all(is_empty_array))
}

/// What follows ON.
fn condition_of(operator: &mut ast::JoinOperator) -> Option<&mut Expr> {
    use ast::JoinOperator as J;
    match operator {
        J::Join(ast::JoinConstraint::On(condition))
        | J::Inner(ast::JoinConstraint::On(condition))
        | J::Left(ast::JoinConstraint::On(condition))
        | J::LeftOuter(ast::JoinConstraint::On(condition))
        | J::Right(ast::JoinConstraint::On(condition))
        | J::RightOuter(ast::JoinConstraint::On(condition))
        | J::FullOuter(ast::JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    }
}

/// How many columns a SELECT has.
pub(super) fn width(select: &Select, scope: &Scope) -> usize {
    let of_item = |item: &SelectItem| match item {
        SelectItem::Wildcard(_) => scope.width(None),
        SelectItem::QualifiedWildcard(
            ast::SelectItemQualifiedWildcardKind::ObjectName(table),
            _,
        ) => scope.width(Some(&table_name(table))),
        _ => 1,
    };
    select.projection.iter().map(of_item).sum()
}

impl VisitorMut for Finder<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &mut ast::Statement) -> ControlFlow<()> {
        use ast::Statement as S;
        let tables = match statement {
            S::Insert(insert) => {
                self.insert(insert);
                return ControlFlow::Continue(());
            }
            S::Update(update) => {
                if let ast::TableFactor::Table { name, .. } = &update.table.relation {
                    self.complete_assignments(name, &mut update.assignments);
                }
                let mut tables = vec![update.table.clone()];
                match &update.from {
                    Some(
                        UpdateTableFromKind::AfterSet(from) | UpdateTableFromKind::BeforeSet(from),
                    ) => tables.extend_from_slice(from),
                    None => {}
                }
                tables
            }
            S::Delete(delete) => {
                let (ast::FromTable::WithFromKeyword(tables)
                | ast::FromTable::WithoutKeyword(tables)) = &delete.from;
                [tables.clone(), delete.using.clone().unwrap_or_default()].concat()
            }
            S::CreateView(view) => {
                self.complete_view(view);
                self.is_view = true;
                return ControlFlow::Continue(());
            }
            S::Query(query) => {
                self.is_query = self.with.is_empty() && written(query).is_none();
                return ControlFlow::Continue(());
            }
            S::CreateTrigger(_) => {
                self.is_trigger = true;
                return ControlFlow::Continue(());
            }
            S::AlterTable(table) => {
                self.is_definition = true;
                self.check_operations(&table.operations);
                return ControlFlow::Continue(());
            }
            S::CreateTable(table) => {
                // What it selects is not a part of the definition.
                self.is_definition = table.query.is_none();
                self.scopes.push(Scope::of_definition(table));
                self.check_table(table);
                return ControlFlow::Continue(());
            }
            S::CreateIndex(index) => {
                self.is_definition = true;
                self.check_index(index);
                self.scopes.push(Scope::of_table(&index.table_name, None, self.schema));
                return ControlFlow::Continue(());
            }
            _ => return ControlFlow::Continue(()),
        };
        self.scopes.push(Scope::of_from(&tables, self.schema, &self.around()));
        match statement {
            S::Update(update) => {
                self.assignments(&mut update.assignments);
                update.selection.iter_mut().for_each(|expr| self.condition(expr));
            }
            S::Delete(delete) => delete.selection.iter_mut().for_each(|expr| self.condition(expr)),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_statement(&mut self, statement: &mut ast::Statement) -> ControlFlow<()> {
        match statement {
            ast::Statement::Update(update) => self.assign_resolved(&mut update.assignments),
            ast::Statement::Insert(insert) => {
                if let Some(ast::OnInsert::OnConflict(conflict)) = &mut insert.on
                    && let ast::OnConflictAction::DoUpdate(update) = &mut conflict.action
                {
                    self.assign_resolved(&mut update.assignments);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if query.with.as_ref().is_some_and(|with| with.cte_tables.len() > MAX_WITH) {
            let message = format!("WITH has at most {MAX_WITH} queries");
            self.refuse(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
            return ControlFlow::Break(());
        }
        self.check_limits(query);
        without_parentheses(&mut query.body);
        self.marks.push(self.projections.len());
        let outer = self.around();
        self.check_with(query, &outer);
        self.with.push(Scope::of_with(query, self.schema, &outer));
        self.prepare_branches(&mut query.body);
        let scope = Scope::of_query(query, self.schema, &outer);
        self.complete_with(query);
        self.check_query_names(query, &scope);
        self.check_order_by(query, &scope);
        self.scopes.push(scope);
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &mut query.limit_clause {
            let offset = offset.as_mut().map(|offset| &mut offset.value);
            let both = limit.iter_mut().chain(offset);
            both.for_each(|expr| self.note(expr, one(Scalar::Int8)));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let first = self.marks.pop().unwrap_or_default();
        self.resolve_query(query, first);
        self.with.pop();
        self.scopes.pop();
        self.labels.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let scope = self.scope_of(select);
        if width(select, &scope) > MAX_COLUMNS {
            let message = format!("target lists can have at most {MAX_COLUMNS} entries");
            self.refuse(Error::new(sqlstate::TOO_MANY_COLUMNS, message));
            return ControlFlow::Break(());
        }
        self.check_select_names(select, &scope);
        self.check_merged(&scope);
        if scope.is_reordered() {
            self.reorder(select, &scope);
        }
        self.scopes.push(scope);
        self.check_group_names(select);
        if let Some(scope) = self.scopes.pop() {
            self.check_grouping(select, &scope);
            self.scopes.push(scope);
        }
        let joins = select.from.iter_mut().flat_map(|table| &mut table.joins);
        let joined = joins.filter_map(|join| condition_of(&mut join.join_operator));
        let conditions = select.selection.iter_mut().chain(&mut select.having);
        conditions.chain(joined).for_each(|expr| self.condition(expr));
        for ast::NamedWindowDefinition(_, window) in &mut select.named_window {
            if let ast::NamedWindowExpr::WindowSpec(window) = window {
                self.frame(window);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        self.resolve_select(select);
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut ast::TableFactor) -> ControlFlow<()> {
        self.complete_alias(factor);
        self.series(factor);
        if !self.is_definition {
            self.resolve_factor(factor);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.resolve(expr);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if !budget::step() {
            return ControlFlow::Break(());
        }
        if self.quantified_query(expr) {
            return ControlFlow::Continue(());
        }
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.check_column(expr),
            Expr::BinaryOp { left, op, right } => self.operator(left, op, right),
            Expr::Between { expr, low, high, .. } => {
                self.compare(expr, low);
                self.compare(expr, high);
            }
            Expr::InList { expr, list, .. } => {
                list.iter_mut().for_each(|item| self.compare(expr, item));
            }
            Expr::IsDistinctFrom(one, other) | Expr::IsNotDistinctFrom(one, other) => {
                self.compare(one, other);
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                self.quantified(left, right);
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                for when in conditions.iter_mut() {
                    match operand {
                        Some(operand) => self.compare(operand, &mut when.condition),
                        None => self.condition(&mut when.condition),
                    }
                }
                let results = conditions.iter_mut().map(|when| &mut when.result);
                self.together(results.chain(else_result.as_deref_mut()).collect());
            }
            Expr::UnaryOp { op: ast::UnaryOperator::Not, expr } => self.condition(expr),
            Expr::Cast { expr, data_type, .. } => {
                self.check_modifier(data_type);
                self.cast(expr, data_type);
            }
            Expr::TypedString(string) => self.check_modifier(&string.data_type),
            Expr::Function(function) => {
                self.frame_of(function);
                self.function(function);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
