//! A column that is added. SQLite's own statement makes none that is unique, and takes only a constant for the rows that
//! are there.

use sqlparser::ast::{AlterTableOperation as Operation, ColumnOption, ColumnOptionDef, Expr};

use super::super::constraints::check_unique;
use super::super::definitions::is_constant;
use super::super::names::folded;
use super::written::Written;
use super::{Name, Step, is_unique};
use crate::error::Result;

/// Whether a default is computed for each row.
pub fn is_computed(option: &ColumnOptionDef) -> bool {
    let ColumnOption::Default(value) = &option.option else { return false };
    let mut value = value;
    while let Expr::Nested(inner) = value {
        value = inner;
    }
    !is_constant(value)
}

impl Written<'_> {
    pub(super) fn added_column(&self, operation: &Operation) -> Result<Vec<Step>> {
        let mut operation = operation.clone();
        let Operation::AddColumn { column_def, .. } = &mut operation else {
            return Ok(Vec::new());
        };
        let column = folded(&column_def.name);
        let mut later = Vec::new();
        if let Some(given) = column_def.options.iter().find(|option| is_unique(option)) {
            if let ColumnOption::Unique(unique) = &given.option {
                check_unique(unique)?;
            }
            let name = Name::of(given.name.as_ref(), || format!("{}_{column}_key", self.table()));
            later.push(Step::Unique { name, columns: vec![column.clone()] });
            column_def.options.retain(|option| !is_unique(option));
        }
        let computed = column_def.options.iter().find(|option| is_computed(option));
        if let Some(ColumnOption::Default(value)) = computed.map(|option| &option.option) {
            let data_type = column_def.data_type.to_string();
            if let Some(expression) = self.default_of(&column, &data_type, value)? {
                let filled = expression.clone();
                later.push(Step::Fill { column: column.clone(), expression: filled });
                let expression = Some(expression);
                later.push(Step::Default { column: column.clone(), expression });
            }
            let is_not_null =
                |option: &ColumnOptionDef| matches!(option.option, ColumnOption::NotNull);
            if column_def.options.iter().any(is_not_null) {
                later.push(Step::NotNull { column, is_set: true });
            }
            column_def.options.retain(|option| !is_not_null(option) && !is_computed(option));
        }
        later.insert(0, self.own(&operation)?);
        Ok(later)
    }
}
