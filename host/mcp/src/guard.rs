//! What an agent's statements may do: the rules of its role, and the lists. The text of a statement is
//! looked at before SQLite sees it; then SQLite reports each action to an authorizer, wherever its
//! SQL comes from: a view, a trigger, a virtual table, an extension.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use access::policy::{self, Reading, Role, first_words};
use sql_tokens::{Dialect, Tokens, quoted_name};
use sqlite_sandbox::Connection;
use sqlite_sandbox::hooks::{AuthAction, AuthContext, Authorization};

use crate::catalog::{Catalog, Kind, Table};
use crate::lists::Lists;

/// What FROM may name without a table where there are lists: these show nothing of the schema.
const FUNCTIONS: [&str; 6] =
    ["generate_series", "hybrid", "json_each", "json_tree", "jsonb_each", "jsonb_tree"];

/// The prefix of PRAGMAs in FROM.
const PRAGMA: &str = "pragma_";

/// The PRAGMA whose rows are paths.
const PATHS: &str = "database_list";

/// The function that returns where a record is in the file, and so reveals how long other values are.
const OFFSET: &str = "sqlite_offset";

/// The PRAGMAs that say nothing of tables and their rows, nor of the pages that these fill.
const PRAGMAS: [&str; 16] = [
    "application_id",
    "collation_list",
    "compile_options",
    "data_version",
    "defer_foreign_keys",
    "encoding",
    "foreign_keys",
    "function_list",
    "journal_mode",
    "module_list",
    "page_size",
    "pragma_list",
    "query_only",
    "recursive_triggers",
    "schema_version",
    "user_version",
];

/// The prefix of SQLite's own tables: the schema, statistics (with samples of rows), counters.
const SYSTEM: &str = "sqlite_";

/// A statement that is not permitted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

/// Whose statements SQLite prepares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Author {
    Server,
    Agent,
}

struct State {
    author: Author,
    role: Role,
    catalog: Arc<Catalog>,
    /// Whether the text of the statement names a table of SQLite. If not, SQLite itself reads it.
    names_system: bool,
    /// Tables of this call, in lower case.
    made: BTreeSet<String>,
    refused: Option<String>,
}

/// The rules of one call, shared with its authorizer.
#[derive(Clone)]
pub struct Guard(Arc<Mutex<State>>);

impl Guard {
    /// Rules for a role, for a server's own statements first.
    pub fn new(role: Role, catalog: Arc<Catalog>) -> Self {
        let (author, names_system, made, refused) = (Author::Server, false, BTreeSet::new(), None);
        Self(Arc::new(Mutex::new(State { author, role, catalog, names_system, made, refused })))
    }

    /// The schema has changed.
    pub fn renew(&self, catalog: Arc<Catalog>) {
        self.state().catalog = catalog;
    }

    /// The next statements are the server's own.
    pub fn begin_own(&self) {
        self.state().author = Author::Server;
    }

    /// The next statement is the agent's.
    ///
    /// # Errors
    ///
    /// Where its text alone is not permitted.
    pub fn begin(&self, sql: &str) -> Result<(), Refused> {
        let mut state = self.state();
        (state.author, state.refused) = (Author::Agent, None);
        state.names_system = false;
        let kind =
            policy::check(sql, state.role, true).map_err(|refusal| Refused(refusal.to_string()))?;
        if !state.catalog.has_lists() {
            return Ok(());
        }
        state.names_system = names(sql).any(|name| starts_with(&name, SYSTEM));
        let refuse =
            |what: &str, instead: &str| Err(Refused(format!("not permitted: {what}; {instead}")));
        if let Some(join) = state.catalog.unseen_join(sql) {
            return refuse(&join, "columns are hidden here: write JOIN … ON");
        }
        if has_two(sql, "INDEXED", "BY") {
            return refuse("INDEXED BY", "columns are hidden here, and an index has their order");
        }
        if kind.is_some_and(|kind| kind.is_explain) && !has_two(sql, "EXPLAIN", "QUERY") {
            return refuse("EXPLAIN", "columns are hidden here: use EXPLAIN QUERY PLAN");
        }
        Ok(())
    }

    /// What SQLite was not permitted to do since the last statement began.
    pub fn refused(&self) -> Option<Refused> {
        self.state().refused.clone().map(Refused)
    }

    /// The authorizer that SQLite calls.
    pub fn authorizer(&self) -> impl FnMut(AuthContext<'_>) -> Authorization + Send + 'static {
        let (guard, role) = (self.clone(), self.state().role);
        let mut by_role = policy::authorizer(role, true, Reading::default());
        move |context| {
            let mut state = guard.state();
            if state.author == Author::Server && !context.by_extension {
                return Authorization::Allow;
            }
            if let Err(what) = state.decide(context) {
                state.refused.get_or_insert(format!("not permitted: {what}"));
                return Authorization::Deny;
            }
            by_role(context)
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// # Errors
    ///
    /// What is not permitted.
    fn decide(&mut self, context: AuthContext<'_>) -> Result<(), String> {
        use AuthAction as A;
        if let Some(accessor) = context.accessor.filter(|accessor| self.catalog.is_unseen(accessor))
        {
            return Err(accessor.to_owned());
        }
        match context.action {
            A::Pragma { pragma_name, .. } => self.pragma(pragma_name),
            // They end with the call, and a statement cannot outlive it.
            A::Transaction { operation } => Err(format!("{operation}; a call is one transaction")),
            A::Savepoint { .. } => Err("SAVEPOINT; a call is one transaction".to_owned()),
            A::Read { table_name, column_name } => self.read(table_name, column_name, context),
            A::Update { table_name, column_name } => self.update(table_name, column_name, context),
            A::Insert { table_name } => self.insert(table_name, context),
            A::Delete { table_name } => self.access(table_name, "", context),
            A::Function { function_name, .. }
                if self.catalog.has_lists() && function_name.eq_ignore_ascii_case(OFFSET) =>
            {
                Err(format!("{OFFSET}; it reveals how long hidden values are"))
            }
            action if self.catalog.has_lists() => self.change(action),
            _ => Ok(()),
        }
    }

    fn pragma(&self, name: &str) -> Result<(), String> {
        let is_refused = if self.catalog.has_lists() {
            !PRAGMAS.iter().any(|harmless| name.eq_ignore_ascii_case(harmless))
        } else {
            name.eq_ignore_ascii_case(PATHS)
        };
        if is_refused { Err(format!("PRAGMA {name}; use the tool `schema`")) } else { Ok(()) }
    }

    fn read(&self, table: &str, column: &str, context: AuthContext<'_>) -> Result<(), String> {
        if let Some(pragma) = strip_prefix(table, PRAGMA) {
            return self.pragma(pragma);
        }
        self.access(table, column, context)
    }

    fn update(&self, table: &str, column: &str, context: AuthContext<'_>) -> Result<(), String> {
        self.access(table, column, context)?;
        self.write(table)
    }

    fn insert(&self, table: &str, context: AuthContext<'_>) -> Result<(), String> {
        self.access(table, "", context)?;
        self.write(table)
    }

    /// Whether a write would tell a hidden value.
    fn write(&self, table: &str) -> Result<(), String> {
        match self.catalog.table(table) {
            Some(found) if found.is_frozen => Err(format!(
                "{}; a constraint or an index of the table has a hidden column, and would tell its values",
                found.name
            )),
            _ => Ok(()),
        }
    }

    /// A table, or a column of it where `column` is not empty.
    fn access(&self, table: &str, column: &str, context: AuthContext<'_>) -> Result<(), String> {
        let is_own = context.accessor.is_none() && !context.by_extension && !self.names_system;
        if !self.catalog.has_lists()
            || context.database_name == Some("temp") && !starts_with(table, SYSTEM)
        {
            return Ok(());
        }
        if starts_with(table, SYSTEM) {
            return if is_own { Ok(()) } else { Err(format!("{table}; use the tool `schema`")) };
        }
        match self.catalog.table(table) {
            Some(found) if found.is_hidden => Err(shown(found).to_owned()),
            Some(found) => match found.column(column) {
                Some(hidden) if hidden.is_hidden => Err(format!("{}.{}", found.name, hidden.name)),
                _ => Ok(()),
            },
            None => self.unknown(table, column),
        }
    }

    /// A name that the schema does not have: a table of this call, a function, or (without a column)
    /// a WITH.
    fn unknown(&self, table: &str, column: &str) -> Result<(), String> {
        let name = table.to_ascii_lowercase();
        let is_with = column.is_empty() && !self.catalog.is_module(&name);
        if is_with || FUNCTIONS.contains(&&*name) || self.made.contains(&name) {
            Ok(())
        } else {
            Err(table.to_owned())
        }
    }

    /// A change of the schema, where there are lists.
    fn change(&mut self, action: AuthAction<'_>) -> Result<(), String> {
        use AuthAction as A;
        let left_behind = |what: &str| {
            Err(format!("{what}; tables or columns are hidden here, and it would run for others"))
        };
        match action {
            A::CreateTrigger { .. } => left_behind("CREATE TRIGGER"),
            A::CreateVtable { .. } => left_behind("CREATE VIRTUAL TABLE"),
            A::CreateTable { table_name } => self.make(table_name),
            A::CreateView { view_name } => self.make(view_name),
            A::AlterTable { table_name, .. }
            | A::CreateIndex { table_name, .. }
            | A::DropIndex { table_name, .. } => self.whole(table_name),
            A::DropTable { table_name }
            | A::DropVtable { table_name, .. }
            | A::Analyze { table_name } => self.visible(table_name),
            A::DropView { view_name } => self.visible(view_name),
            A::DropTrigger { table_name, .. } => self.whole(table_name),
            _ => Ok(()),
        }
    }

    /// A new table, which agents must be able to see.
    fn make(&mut self, name: &str) -> Result<(), String> {
        if !starts_with(name, SYSTEM) && !self.catalog.shows(name) {
            return Err(name.to_owned());
        }
        self.made.insert(name.to_ascii_lowercase());
        Ok(())
    }

    fn visible(&self, table: &str) -> Result<(), String> {
        match self.catalog.table(table) {
            Some(found) if found.is_hidden => Err(shown(found).to_owned()),
            _ => Ok(()),
        }
    }

    /// A table without hidden columns: under another name they would not be hidden.
    fn whole(&self, table: &str) -> Result<(), String> {
        match self.catalog.table(table) {
            Some(found) if found.has_secrets() => {
                Err(format!("{}; the table has hidden columns", shown(found)))
            }
            _ => Ok(()),
        }
    }
}

/// Read a schema, and try which views an agent may use. The connection has no authorizer afterwards.
///
/// # Errors
///
/// SQLite's.
pub fn read_catalog(db: &Connection, lists: &Lists) -> sqlite_sandbox::Result<Catalog> {
    let mut catalog = Catalog::read(db, lists)?;
    if !catalog.has_lists() {
        return Ok(catalog);
    }
    let views = catalog.visible().filter(|table| table.kind == Kind::View);
    let views: Vec<String> = views.map(|table| table.name.clone()).collect();
    let known = Arc::new(catalog);
    let guard = Guard::new(Role::Read, known.clone());
    db.authorizer(Some(guard.authorizer()))?;
    let is_refused = |view: &&String| {
        let sql = format!("SELECT * FROM main.{}", quoted_name(view));
        guard.begin(&sql).is_err() || db.prepare(&sql).is_err() && guard.refused().is_some()
    };
    let refused: Vec<&String> = views.iter().filter(is_refused).collect();
    db.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
    catalog = known.as_ref().clone();
    refused.into_iter().for_each(|view| catalog.refuse(view));
    Ok(catalog)
}

/// The name that an agent knows: a virtual table, and not where it stores its data.
fn shown(table: &Table) -> &str {
    table.owner.as_deref().unwrap_or(&table.name)
}

/// The names and strings of a text, without quotes.
fn names(sql: &str) -> impl Iterator<Item = String> {
    Tokens::new(sql, Dialect::Sqlite).map(|token| token.unquoted().into_owned())
}

/// Whether a text has two words in a row.
fn has_two(sql: &str, first: &str, second: &str) -> bool {
    let mut words = first_words(sql);
    let mut is_after = false;
    while let Some(word) = words.next_word() {
        if is_after && word.is(second) {
            return true;
        }
        is_after = word.is(first);
    }
    false
}

fn starts_with(name: &str, prefix: &str) -> bool {
    strip_prefix(name, prefix).is_some()
}

fn strip_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let start = name.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &name[prefix.len()..])
}
