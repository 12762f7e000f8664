//! Constraints by the names that PostgreSQL gives them, which its errors have.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, ColumnDef, ColumnOption, ConstraintCharacteristics, CreateTable, DeferrableInitial, Expr,
    Ident, NullsDistinctOption, PrimaryKeyConstraint, TableConstraint, UniqueConstraint,
};

use super::Rewriter;
use super::definitions::column_part;
use super::names::{folded, last, quoted_name};
use crate::error::{Error, Result};
use crate::walk::visit_expressions;

/// The only column that a condition names.
fn only_column(expr: &Expr, columns: &[String]) -> Option<String> {
    let mut found = HashSet::new();
    // It never breaks.
    let _: ControlFlow<()> = visit_expressions(expr, |expr| {
        let name = match expr {
            Expr::Identifier(name) => Some(folded(name)),
            Expr::CompoundIdentifier(parts) => parts.last().map(folded),
            _ => None,
        };
        found.extend(name.filter(|name| columns.contains(name)));
        ControlFlow::Continue(())
    });
    let mut found = found.into_iter();
    found.next().filter(|_| found.next().is_none())
}

/// A name that no other constraint has.
fn free(base: &str, taken: &mut HashSet<String>) -> Ident {
    let numbered = (1..).map(|number| format!("{base}{number}"));
    let name = std::iter::once(base.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_default();
    taken.insert(name.clone());
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        Ident::new(name)
    } else {
        Ident::new(quoted_name(&name))
    }
}

/// Leave out each UNIQUE of a table over the columns of a key before it, which gets its name: one index is both.
pub fn merge_keys(tree: &mut ast::Statement) -> bool {
    let ast::Statement::CreateTable(table) = tree else { return false };
    // The primary key comes first; at a column, only its option has a name.
    let mut options: Vec<_> = table.columns.iter_mut().flat_map(key_options).collect();
    let (mut keys, mut others) = (Vec::new(), Vec::new());
    for constraint in table.constraints.clone() {
        match constraint {
            TableConstraint::PrimaryKey(_) => keys.insert(0, constraint),
            TableConstraint::Unique(_) => keys.push(constraint),
            _ => others.push(constraint),
        }
    }
    let mut kept: Vec<TableConstraint> = Vec::new();
    for mut constraint in keys {
        let is_primary = matches!(constraint, TableConstraint::PrimaryKey(_));
        let Some((name, columns)) = key(&mut constraint).filter(|_| !is_primary) else {
            kept.push(constraint);
            continue;
        };
        let name = name.take();
        let of_column = options.iter_mut().find(|(column, _)| columns == [column.as_str()]);
        let mut earlier = kept.iter_mut().filter_map(key);
        let same = match of_column {
            Some((_, own)) => Some(&mut **own),
            None => earlier.find(|(_, own)| *own == columns).map(|(own, _)| own),
        };
        match same {
            Some(own) => *own = own.take().or(name),
            None => {
                if let Some((own, _)) = key(&mut constraint) {
                    *own = name;
                }
                kept.push(constraint);
            }
        }
    }
    let is_merged = kept.len() + others.len() < table.constraints.len();
    if is_merged {
        table.constraints = kept.into_iter().chain(others).collect();
    }
    is_merged
}

/// A column that is a key, with the name of that.
fn key_options(column: &mut ColumnDef) -> Option<(String, &mut Option<Ident>)> {
    let is_key = |option: &ColumnOption| {
        matches!(option, ColumnOption::PrimaryKey(_) | ColumnOption::Unique(_))
    };
    let name = folded(&column.name);
    let option = column.options.iter_mut().find(|option| is_key(&option.option))?;
    Some((name, &mut option.name))
}

/// The name of a key and its columns. One that is checked late is another one, and so is one with other rules for NULL.
fn key(constraint: &mut TableConstraint) -> Option<(&mut Option<Ident>, Vec<String>)> {
    match constraint {
        TableConstraint::PrimaryKey(key) => {
            Some((&mut key.name, key.columns.iter().map(column_part).collect()))
        }
        TableConstraint::Unique(key)
            if key.characteristics.is_none() && key.nulls_distinct == NullsDistinctOption::None =>
        {
            Some((&mut key.name, key.columns.iter().map(column_part).collect()))
        }
        _ => None,
    }
}

/// Whether a constraint is checked, or may be, only when the transaction ends.
fn is_deferrable(characteristics: Option<ConstraintCharacteristics>) -> bool {
    characteristics.is_some_and(|one| {
        one.deferrable == Some(true) || one.initially == Some(DeferrableInitial::Deferred)
    })
}

/// Check that SQLite has such a key.
///
/// # Errors
///
/// 0A000 for one that is checked late, that has more columns than it compares, or that takes NULL for a value.
pub fn check_unique(unique: &UniqueConstraint) -> Result<()> {
    if unique.nulls_distinct == NullsDistinctOption::NotDistinct {
        return Err(Error::unsupported("NULLS NOT DISTINCT"));
    }
    check_key("UNIQUE", unique.characteristics, &unique.include)
}

fn check_key(
    kind: &str,
    characteristics: Option<ConstraintCharacteristics>,
    include: &[Ident],
) -> Result<()> {
    if is_deferrable(characteristics) {
        return Err(Error::unsupported(format_args!("a deferrable {kind} constraint")));
    }
    if !include.is_empty() {
        return Err(Error::unsupported(format_args!("INCLUDE in a {kind} constraint")));
    }
    Ok(())
}

impl Rewriter<'_> {
    /// Leave out what SQLite has no words for, since it is so in any case.
    pub(super) fn unique(&mut self, unique: &mut UniqueConstraint) -> Result<()> {
        check_unique(unique)?;
        if unique.nulls_distinct != NullsDistinctOption::None {
            self.replace(&mut unique.nulls_distinct, NullsDistinctOption::None);
        }
        self.immediate(&mut unique.characteristics);
        Ok(())
    }

    /// The same for a primary key.
    pub(super) fn primary_key(&mut self, key: &mut PrimaryKeyConstraint) -> Result<()> {
        check_key("PRIMARY KEY", key.characteristics, &key.include)?;
        self.immediate(&mut key.characteristics);
        Ok(())
    }

    fn immediate(&mut self, characteristics: &mut Option<ConstraintCharacteristics>) {
        if characteristics.is_some() {
            self.replace(characteristics, None);
        }
    }

    /// Name the conditions of a table.
    pub(super) fn name_conditions(&mut self, table: &mut CreateTable) {
        let columns: Vec<_> = table.columns.iter().map(|column| folded(&column.name)).collect();
        let name = last(&table.name);
        let of_columns = table.columns.iter().flat_map(|column| &column.options);
        let of_columns = of_columns.filter_map(|option| option.name.as_ref());
        let of_table = table.constraints.iter().filter_map(|constraint| match constraint {
            TableConstraint::Check(check) => check.name.as_ref(),
            _ => None,
        });
        let mut taken: HashSet<_> = of_columns.chain(of_table).map(folded).collect();
        let mut is_changed = false;
        let mut free = |expr: &Expr| {
            is_changed = true;
            free(&base(&name, expr, &columns), &mut taken)
        };
        for option in table.columns.iter_mut().flat_map(|column| &mut column.options) {
            if let (None, ColumnOption::Check(check)) = (&option.name, &option.option) {
                option.name = Some(free(&check.expr));
            }
        }
        for constraint in &mut table.constraints {
            if let TableConstraint::Check(check @ ast::CheckConstraint { name: None, .. }) =
                constraint
            {
                check.name = Some(free(&check.expr));
            }
        }
        self.is_changed |= is_changed;
    }

    /// The same of a column that a table gets.
    pub(super) fn name_added(&mut self, table: &str, column: &mut ColumnDef) {
        let columns = [folded(&column.name)];
        let mut taken = HashSet::new();
        for option in &mut column.options {
            if let (None, ColumnOption::Check(check)) = (&option.name, &option.option) {
                option.name = Some(free(&base(table, &check.expr, &columns), &mut taken));
                self.is_changed = true;
            }
        }
    }
}

fn base(table: &str, expr: &Expr, columns: &[String]) -> String {
    match only_column(expr, columns) {
        Some(column) => format!("{table}_{column}_check"),
        None => format!("{table}_check"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Context, parse, translate};

    #[test]
    fn a_key_that_is_there_already_is_only_named() {
        let merged = |inner: &str| {
            let mut tree = parse(&format!("CREATE TABLE t ({inner})")).unwrap().unwrap();
            super::merge_keys(&mut tree);
            tree.to_string()
        };
        for (inner, expected) in [
            ("a INT PRIMARY KEY, CONSTRAINT u UNIQUE (a)", "a INT CONSTRAINT u PRIMARY KEY"),
            ("a INT UNIQUE, UNIQUE (a), CHECK (a > 0)", "a INT UNIQUE, CHECK (a > 0)"),
            (
                "a INT, b INT, UNIQUE (a, b), CONSTRAINT p PRIMARY KEY (a, b), CONSTRAINT u UNIQUE (a, b)",
                "a INT, b INT, CONSTRAINT p PRIMARY KEY (a, b)",
            ),
            ("a INT UNIQUE, PRIMARY KEY (a)", "a INT UNIQUE, PRIMARY KEY (a)"),
            ("a INT, b INT, UNIQUE (a), UNIQUE (b, a)", "a INT, b INT, UNIQUE (a), UNIQUE (b, a)"),
        ] {
            assert_eq!(merged(inner), format!("CREATE TABLE t ({expected})"));
        }
        let sql = "CREATE TABLE t (a INT PRIMARY KEY, b INT CHECK (b > 0), UNIQUE (a), CHECK (a LIKE 'x'))";
        assert!(!translate(sql, &Context::default()).unwrap()[0].sql.contains("UNIQUE"));
    }
}
