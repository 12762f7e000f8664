//! CREATE, ALTER and DROP.

use sqlparser::ast::{
    self, AlterTable, AlterTableOperation, CheckConstraint, ColumnDef, ColumnOption,
    ColumnOptionDef, CreateIndex, CreateTable, CreateTableOptions, CreateView, Expr, IndexColumn,
    ObjectType, TableConstraint,
};

use super::casts::custom;
use super::names::{folded, is_temporary, last, parts, quoted_name, raw};
use super::numbering::{Numbering, identity, numbered};
use super::{Rewriter, typed};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Type, Typed};
use postgres_types::bounds;

impl Rewriter<'_> {
    /// A definition, or anything else without a word.
    pub(super) fn definition(&mut self, tree: &mut ast::Statement) -> Result<String> {
        use ast::Statement as S;
        self.is_definition = !matches!(tree, S::CreateTable(table) if table.query.is_some());
        Ok(match tree {
            S::CreateTable(table) => {
                self.create_table(table)?;
                match (&table.query, table.with_data) {
                    (None, _) => "CREATE TABLE",
                    (_, Some(with)) if !with.data => "CREATE TABLE AS",
                    _ => "SELECT",
                }
                .to_owned()
            }
            S::CreateView(view) => {
                self.create_view(view)?;
                "CREATE VIEW".to_owned()
            }
            S::CreateIndex(index) => {
                self.create_index(index)?;
                "CREATE INDEX".to_owned()
            }
            S::AlterTable(table) => {
                self.alter_table(table)?;
                "ALTER TABLE".to_owned()
            }
            S::Drop { object_type, if_exists, names, .. } => {
                let kind = match object_type {
                    ObjectType::Table => "TABLE",
                    ObjectType::View => "VIEW",
                    ObjectType::Index => "INDEX",
                    other => return Err(Error::unsupported(format_args!("DROP {other}"))),
                };
                let exists = if *if_exists { "IF EXISTS " } else { "" };
                let drop = |name| {
                    let schema = if is_temporary(name) { "temp." } else { "" };
                    format!("DROP {kind} {exists}{schema}{}", quoted_name(&last(name)))
                };
                self.all(names.iter().map(drop).collect());
                self.has_own_names = true;
                format!("DROP {kind}")
            }
            S::CreateTrigger(trigger) if trigger.exec_body.is_some() => {
                return Err(Error::unsupported("CREATE TRIGGER … EXECUTE FUNCTION"));
            }
            S::CreateTrigger(_) | S::CreateVirtualTable { .. } => first_words(&tree.to_string(), 2),
            S::DropTrigger(trigger) => {
                // SQLite's triggers have names of their own.
                let (table, option) = (None, None);
                self.replace(&mut trigger.table_name, table);
                self.replace(&mut trigger.option, option);
                "DROP TRIGGER".to_owned()
            }
            S::Analyze(_) | S::Vacuum(_) | S::Pragma { .. } | S::AttachDatabase { .. } => {
                first_words(&tree.to_string(), 1)
            }
            other => return Err(Error::unsupported(first_words(&other.to_string(), 2))),
        })
    }

    fn create_table(&mut self, table: &mut CreateTable) -> Result<()> {
        if table.partition_by.is_some() || table.inherits.is_some() || table.partition_of.is_some()
        {
            return Err(Error::unsupported("a table of partitions or with INHERITS"));
        }
        if table.like.is_some() || table.on_commit.is_some() {
            return Err(Error::unsupported("CREATE TABLE with LIKE or ON COMMIT"));
        }
        if table.unlogged {
            self.replace(&mut table.unlogged, false);
        }
        if !matches!(table.table_options, CreateTableOptions::None) {
            self.replace(&mut table.table_options, CreateTableOptions::None);
        }
        let key = primary_key(table);
        for column in &mut table.columns {
            self.column(column, &key)?;
        }
        for constraint in &mut table.constraints {
            match constraint {
                TableConstraint::ForeignKey(key) => self.relation(&mut key.foreign_table)?,
                TableConstraint::Unique(key) => self.unique(key)?,
                TableConstraint::PrimaryKey(key) => self.primary_key(key)?,
                _ => {}
            }
        }
        self.name_conditions(table);
        if table.query.is_none() && !table.temporary {
            // Defaults and foreign keys are looked at only now.
            self.after.push(insertion(&table.name));
        }
        Ok(())
    }

    /// A column, and whether it is alone the primary key.
    fn column(&mut self, column: &mut ColumnDef, key: &[String]) -> Result<()> {
        let is_serial = matches!(
            column.data_type.to_string().to_lowercase().as_str(),
            "serial" | "bigserial" | "smallserial" | "serial4" | "serial8" | "serial2"
        );
        let mut numbering = is_serial.then_some(Numbering::Serial);
        for option in &column.options {
            numbering = numbering.or(identity(&option.option)?);
        }
        let in_key = key.contains(&folded(&column.name));
        let is_key = in_key && key.len() == 1;
        if let Some(numbering) = numbering {
            if !is_key {
                let kind = if is_serial { "SERIAL" } else { "IDENTITY" };
                return Err(Error::unsupported(format_args!("{kind} that is not the primary key")));
            }
            column.options.retain(|option| !matches!(identity(&option.option), Ok(Some(_))));
            let data_type = custom(&numbered(&column.data_type.to_string(), numbering));
            self.replace(&mut column.data_type, data_type);
        }
        let has_default = |one: &ColumnOptionDef| matches!(one.option, ColumnOption::Default(_));
        if is_key
            && numbering.is_none()
            && column.options.iter().any(has_default)
            && column.data_type.to_string().eq_ignore_ascii_case("integer")
        {
            // SQLite passes over the default of a row id.
            self.replace(&mut column.data_type, ast::DataType::Int(None));
        }
        let is_rowid = is_key
            && (numbering.is_some()
                || column.data_type.to_string().eq_ignore_ascii_case("integer"));
        // SQLite's word for it is another one.
        let json = typed(&column.data_type).filter(|own| own.ty == Type::One(Scalar::Jsonb));
        self.column_type(&mut column.data_type)?;
        let typed = typed(&column.data_type).or(json);
        for option in &mut column.options {
            if let (ColumnOption::Default(expr), Some(typed)) = (&mut option.option, typed) {
                self.default_of(expr, typed)?;
            }
            self.column_option(&mut option.option)?;
        }
        if let Some(typed) = typed {
            self.bound(column, typed);
        }
        // SQLite's primary keys may be NULL but for the row id.
        if in_key
            && !is_rowid
            && !column.options.iter().any(|o| matches!(o.option, ColumnOption::NotNull))
        {
            column.options.push(ColumnOptionDef { name: None, option: ColumnOption::NotNull });
            self.is_changed = true;
        }
        Ok(())
    }

    /// Keep the values of a generated column within its type.
    fn bound(&mut self, column: &mut ColumnDef, typed: Typed) {
        let is_generated = |option: &ColumnOptionDef| {
            matches!(option.option, ColumnOption::Generated { generation_expr: Some(_), .. })
        };
        let name = quoted_name(&folded(&column.name));
        let Some((error, condition)) = bounds::of(&name, typed) else { return };
        if column.options.iter().any(is_generated) {
            let expr = Box::new(raw(condition));
            let check = CheckConstraint { name: None, expr, no_inherit: false, enforced: None };
            let name = Some(ast::Ident::new(quoted_name(&error)));
            column.options.push(ColumnOptionDef { name, option: ColumnOption::Check(check) });
            self.is_changed = true;
        }
    }

    fn column_option(&mut self, option: &mut ColumnOption) -> Result<()> {
        match option {
            // SQLite takes only constants without parentheses.
            ColumnOption::Default(expr) if !is_constant(expr) => {
                let nested = Expr::Nested(Box::new(expr.clone()));
                self.replace(expr, nested);
            }
            ColumnOption::Collation(name) => {
                let wanted = match last(name).as_str() {
                    "C" | "c" | "POSIX" | "posix" | "default" => "BINARY",
                    _ => return Ok(()),
                };
                self.replace(name, ast::Ident::new(wanted).into());
            }
            ColumnOption::ForeignKey(key) => self.relation(&mut key.foreign_table)?,
            ColumnOption::Unique(key) => self.unique(key)?,
            ColumnOption::PrimaryKey(key) => self.primary_key(key)?,
            _ => {}
        }
        Ok(())
    }

    fn create_view(&mut self, view: &mut CreateView) -> Result<()> {
        if view.materialized {
            return Err(Error::unsupported("CREATE MATERIALIZED VIEW"));
        }
        self.relation(&mut view.name)?;
        self.after.push(format!("SELECT * FROM {}", quoted_name(&last(&view.name))));
        if view.or_replace {
            self.before.push(format!("DROP VIEW IF EXISTS {}", quoted_name(&last(&view.name))));
            self.replace(&mut view.or_replace, false);
        }
        Ok(())
    }

    fn create_index(&mut self, index: &mut CreateIndex) -> Result<()> {
        if !index.include.is_empty() {
            return Err(Error::unsupported("INCLUDE in an index"));
        }
        if index.nulls_distinct == Some(false) {
            return Err(Error::unsupported("NULLS NOT DISTINCT"));
        }
        if let Some(using) = &index.using {
            if !using.to_string().eq_ignore_ascii_case("btree") {
                return Err(Error::unsupported(format_args!("an index by {using}")));
            }
            self.replace(&mut index.using, None);
        }
        if index.concurrently {
            self.replace(&mut index.concurrently, false);
        }
        if !index.with.is_empty() {
            self.replace(&mut index.with, Vec::new());
        }
        if let [_, table] = parts(&index.table_name)[..] {
            // SQLite has the schema at the name of the index, and finds a temporary table first.
            let table = table.clone();
            self.replace(&mut index.table_name, table.into());
        }
        if index.name.is_none() {
            let columns: Vec<_> = index.columns.iter().map(column_part).collect();
            let name = format!("{}_{}_idx", last(&index.table_name), columns.join("_"));
            self.replace(&mut index.name, Some(ast::Ident::new(quoted_name(&name)).into()));
        }
        for column in &mut index.columns {
            if let Expr::Value(value) = &column.column.expr {
                // PostgreSQL takes an expression in parentheses, and a name or a call without.
                let message = format!("syntax error at or near \"{value:.64}\"");
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
            if column.operator_class.is_some() {
                self.replace(&mut column.operator_class, None);
            }
            if column.column.options.nulls_first.is_some() {
                self.replace(&mut column.column.options.nulls_first, None);
            }
        }
        Ok(())
    }

    /// SQLite changes one thing at a time.
    fn alter_table(&mut self, table: &mut AlterTable) -> Result<()> {
        use AlterTableOperation as O;
        self.relation(&mut table.name)?;
        let is_one_of_several = table.operations.len() > 1;
        for operation in &mut table.operations {
            match operation {
                O::AddColumn { if_not_exists: true, .. }
                | O::DropColumn { if_exists: true, .. }
                    if is_one_of_several =>
                {
                    let what = "IF EXISTS of a column, or IF NOT EXISTS, beside other changes";
                    return Err(Error::unsupported(what).hint("use ALTER TABLE for each of them"));
                }
                O::AddColumn { column_def, if_not_exists, .. } => {
                    if *if_not_exists {
                        self.replace(if_not_exists, false);
                    }
                    self.name_added(&last(&table.name), column_def);
                    self.column(column_def, &[])?;
                    if column_def.options.iter().any(is_computed) {
                        let hint = "SQLite takes only constants here";
                        return Err(Error::unsupported("this DEFAULT of a new column").hint(hint));
                    }
                    self.after.push(insertion(&table.name));
                }
                O::DropColumn { if_exists, .. } if *if_exists => self.replace(if_exists, false),
                O::DropColumn { .. } | O::RenameColumn { .. } | O::RenameTable { .. } => {}
                other => {
                    let name = first_words(&other.to_string(), 2);
                    return Err(Error::unsupported(format_args!("ALTER TABLE … {name}")));
                }
            }
        }
        if table.if_exists || table.only {
            self.replace(&mut table.only, false);
            table.if_exists = false;
        }
        if is_one_of_several {
            let statements = table
                .operations
                .iter()
                .map(|operation| format!("ALTER TABLE {} {operation}", table.name));
            self.all(statements.collect());
        }
        Ok(())
    }
}

/// The columns of the primary key.
fn primary_key(table: &CreateTable) -> Vec<String> {
    let of_column = |column: &ColumnDef| {
        column.options.iter().any(|option| matches!(option.option, ColumnOption::PrimaryKey(_)))
    };
    let own =
        table.columns.iter().filter(|column| of_column(column)).map(|column| folded(&column.name));
    let of_table = table.constraints.iter().filter_map(|constraint| match constraint {
        TableConstraint::PrimaryKey(key) => Some(&key.columns),
        _ => None,
    });
    own.chain(of_table.flatten().map(column_part)).collect()
}

pub fn column_part(column: &IndexColumn) -> String {
    match &column.column.expr {
        Expr::Identifier(name) => folded(name),
        _ => "expr".to_owned(),
    }
}

/// An INSERT for which SQLite must find all that a table needs.
fn insertion(table: &ast::ObjectName) -> String {
    format!("INSERT INTO {} DEFAULT VALUES", quoted_name(&last(table)))
}

fn is_computed(option: &ColumnOptionDef) -> bool {
    matches!(&option.option, ColumnOption::Default(Expr::Nested(inner)) if !is_constant(inner))
}

/// Whether SQLite takes a default without parentheses, or it has them.
pub fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Value(_) | Expr::Nested(_) => true,
        Expr::UnaryOp { expr, .. } => matches!(**expr, Expr::Value(_)),
        // Those of the clock are written as calls.
        Expr::Identifier(name) => {
            let clocks = ["current_timestamp", "localtimestamp", "localtime"];
            let is_clock = clocks.iter().any(|word| name.value.eq_ignore_ascii_case(word));
            name.quote_style.is_none() && !is_clock
        }
        _ => false,
    }
}

/// The first words of a statement, for its name.
pub fn first_words(sql: &str, count: usize) -> String {
    let words: Vec<_> = sql.split_ascii_whitespace().take(count).collect();
    words.join(" ").trim_end_matches(['(', ';']).to_ascii_uppercase()
}
