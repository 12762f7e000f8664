//! The schema of a database, and which parts of it the lists hide from agents.
//!
//! A hidden column also hides what is computed from it or contains it: generated columns, virtual
//! tables over its table (a full-text index has its words) with the tables in which those store their
//! data, and views that compare it by USING, which SQLite's authorizer does not see.

mod definition;
mod read;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::lists::Lists;
pub use definition::{mentions, module};
pub use read::version;

/// What a table is for SQLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Table,
    View,
    Virtual,
    /// It stores the data of a virtual table.
    Shadow,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub declared: String,
    pub is_not_null: bool,
    pub is_key: bool,
    pub is_generated: bool,
    /// Whether `*` leaves it out: a column of a virtual table for conditions alone.
    pub is_implicit: bool,
    pub is_hidden: bool,
}

/// A table, or a view.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub kind: Kind,
    pub sql: String,
    pub columns: Vec<Column>,
    pub is_hidden: bool,
    /// Whether it is a view that reads what is hidden, and so fails.
    pub is_refused: bool,
    /// Whether a write would tell hidden values: by what a constraint refuses, or by the order of an
    /// index.
    pub is_frozen: bool,
    /// The virtual table whose data it stores.
    pub owner: Option<String>,
    /// The definitions of its indexes.
    pub indexes: Vec<String>,
}

/// The schema of a database, in one version.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    pub version: i64,
    /// By their names in lower case.
    tables: BTreeMap<String, Table>,
    /// The modules that FROM may name without a table, in lower case.
    modules: HashSet<String>,
    lists: Lists,
    /// Names that USING must not compare, in lower case.
    secret_names: BTreeSet<String>,
    /// The names and texts of triggers.
    triggers: Vec<(String, String)>,
    /// Views and triggers with such joins, in lower case.
    unseen: BTreeSet<String>,
}

impl Table {
    /// The columns that agents see.
    pub fn visible(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.is_hidden)
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// Whether agents see none of it, or not all.
    pub fn has_secrets(&self) -> bool {
        self.is_hidden || self.columns.iter().any(|column| column.is_hidden)
    }

    fn secrets(&self) -> Vec<String> {
        let hidden = self.columns.iter().filter(|column| column.is_hidden);
        hidden.map(|column| column.name.to_ascii_lowercase()).collect()
    }
}

impl Catalog {
    /// The table with this name, also a hidden one.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(&name.to_ascii_lowercase())
    }

    /// The tables that agents can use, but those that store what virtual tables show.
    pub fn visible(&self) -> impl Iterator<Item = &Table> {
        let is_open = |table: &&Table| !table.is_hidden && !table.is_refused;
        self.tables.values().filter(move |table| is_open(table) && table.kind != Kind::Shadow)
    }

    /// Note that a view fails.
    pub fn refuse(&mut self, view: &str) {
        let found = self.tables.get_mut(&view.to_ascii_lowercase());
        found.into_iter().for_each(|table| table.is_refused = true);
    }

    /// Whether some of the schema may be hidden.
    pub fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Whether agents see a table of this name, which there may not be yet.
    pub fn shows(&self, name: &str) -> bool {
        self.lists.show(name)
    }

    /// Whether FROM may name this without a table.
    pub fn is_module(&self, name: &str) -> bool {
        self.modules.contains(&name.to_ascii_lowercase())
    }

    /// Why a text compares columns in a way that SQLite's authorizer does not see: NATURAL JOIN, and
    /// USING with the name of a hidden column.
    pub fn unseen_join(&self, sql: &str) -> Option<String> {
        if self.secret_names.is_empty() {
            None
        } else {
            definition::unseen_join(sql, &self.secret_names)
        }
    }

    /// Whether a view or trigger has such a join.
    pub fn is_unseen(&self, accessor: &str) -> bool {
        self.unseen.contains(&accessor.to_ascii_lowercase())
    }

    /// With what the lists hide.
    fn new(
        version: i64,
        tables: Vec<Table>,
        triggers: Vec<(String, String)>,
        modules: HashSet<String>,
        lists: &Lists,
    ) -> Self {
        let by_name = |table: Table| (table.name.to_ascii_lowercase(), table);
        let tables = tables.into_iter().map(by_name).collect();
        let lists = lists.clone();
        let (secret_names, unseen) = (BTreeSet::new(), BTreeSet::new());
        let mut catalog = Self { version, tables, modules, lists, secret_names, triggers, unseen };
        catalog.find_owners();
        if catalog.has_lists() {
            catalog.apply();
        }
        catalog
    }

    fn find_owners(&mut self) {
        let virtuals: Vec<String> = self
            .tables
            .iter()
            .filter(|(_, table)| table.kind == Kind::Virtual)
            .map(|(name, _)| name.clone())
            .collect();
        for (name, table) in self.tables.iter_mut().filter(|(_, table)| table.kind == Kind::Shadow)
        {
            let owns = |owner: &&String| {
                name.strip_prefix(owner.as_str()).is_some_and(|rest| rest.starts_with('_'))
            };
            table.owner = virtuals.iter().filter(owns).max_by_key(|owner| owner.len()).cloned();
        }
    }

    fn apply(&mut self) {
        let lists = &self.lists;
        for table in self.tables.values_mut() {
            table.is_hidden = table.kind != Kind::Shadow && !lists.show(&table.name);
            for column in &mut table.columns {
                column.is_hidden = table.is_hidden || lists.hide(&table.name, &column.name);
            }
            definition::hide_generated(table);
        }
        while self.hide_virtual() {}
        self.hide_shadows();
        self.secret_names = self.tables.values().flat_map(Table::secrets).collect();
        self.hide_joins();
        for table in self.tables.values_mut() {
            table.is_frozen = definition::tells(table);
        }
    }

    /// Hide virtual tables whose columns, or whose definition, have a part that is hidden. Returns
    /// whether there was one.
    fn hide_virtual(&mut self) -> bool {
        let secret: Vec<String> = self
            .tables
            .iter()
            .filter(|(_, table)| table.has_secrets())
            .map(|(name, _)| name.clone())
            .collect();
        let mut found = false;
        let open = self
            .tables
            .values_mut()
            .filter(|table| table.kind == Kind::Virtual && !table.is_hidden);
        for table in open {
            let own = table.name.to_ascii_lowercase();
            let others = secret.iter().filter(|name| **name != own);
            if table.has_secrets() || mentions(&table.sql, others) {
                hide(table);
                found = true;
            }
        }
        found
    }

    /// The data of a hidden virtual table; of one whose owner is unknown, nobody knows what it has.
    fn hide_shadows(&mut self) {
        let hidden: Vec<String> = self
            .tables
            .iter()
            .filter(|(_, table)| table.is_hidden)
            .map(|(name, _)| name.clone())
            .collect();
        for table in self.tables.values_mut().filter(|table| table.kind == Kind::Shadow) {
            if table.owner.as_ref().is_none_or(|owner| hidden.contains(owner)) {
                hide(table);
            }
        }
    }

    /// Neither is seen by SQLite's authorizer, but for the name of the view or trigger.
    fn hide_joins(&mut self) {
        let views = self.tables.values().filter(|table| table.kind == Kind::View);
        let views = views.map(|view| (&view.name, &view.sql));
        let all = views.chain(self.triggers.iter().map(|(name, sql)| (name, sql)));
        let unseen = all.filter(|(_, sql)| self.unseen_join(sql).is_some());
        self.unseen = unseen.map(|(name, _)| name.to_ascii_lowercase()).collect();
        for name in &self.unseen {
            self.tables.get_mut(name).into_iter().for_each(hide);
        }
    }
}

fn hide(table: &mut Table) {
    table.is_hidden = true;
    table.columns.iter_mut().for_each(|column| column.is_hidden = true);
}
