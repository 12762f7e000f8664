//! The shadow tables of a table, by SQL.
//!
//! - `NAME_rows`: a row's id, the slot of its node, and its columns
//! - `NAME_nodes`: row id, count of links, links and vector of a node, in a blob, so
//!   that one read brings all that a search needs of it
//! - `NAME_upper`: links of a node in upper layers
//! - `NAME_free`: slots of nodes that were deleted
//! - `NAME_config`: the arguments of CREATE VIRTUAL TABLE, and the state

mod state;

use std::hash::{BuildHasher, RandomState};

use sql_tokens::quoted_name;
use sqlite_wasm_kit::sql::{self, Blob, Statement};
use sqlite_wasm_kit::{Error, Result, Value, code};

use crate::arguments::Definition;
use crate::cache::{MAX_NODES, Node, Source, Upper};
use crate::code::Coder;
use crate::graph::MAX_UPPER_LAYERS;

pub use state::State;

pub const SHADOW_NAMES: &[&str] = &["rows", "nodes", "upper", "free", "config"];

/// In a node, before the links: its row id and their count.
const HEADER: usize = 12;

/// Nodes that one statement reads: half of the links that a node has by default.
const NODES_PER_REQUEST: usize = 16;

fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The statements that are used again and again, prepared when they are needed.
#[derive(Default)]
struct Statements {
    node: Option<Statement>,
    nodes: Option<Statement>,
    upper: Option<Statement>,
    uppers: Option<Statement>,
    state: Option<Statement>,
    insert_row: Option<Statement>,
    insert_node: Option<Statement>,
    row: Option<Statement>,
}

/// A table's name, and that of its database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Names {
    pub schema: String,
    pub name: String,
}

impl Names {
    /// The quoted name of a shadow table.
    pub fn table(&self, ending: &str) -> String {
        format!("{}.{}", quoted_name(&self.schema), quoted_name(&format!("{}_{ending}", self.name)))
    }
}

pub struct Storage {
    pub names: Names,
    coder: Coder,
    max_links: usize,
    statements: Statements,
}

impl Storage {
    pub fn new(names: Names, definition: &Definition) -> Self {
        let (coder, max_links) = (definition.coder, 2 * definition.shape.links);
        Self { names, coder, max_links, statements: Statements::default() }
    }

    /// Create the shadow tables.
    pub fn create(&self, definition: &Definition, arguments: &[String]) -> Result<()> {
        let columns = definition.columns.iter().enumerate();
        let columns = columns.map(|(at, column)| format!(", c{at} {}", column.declared_type));
        let [rows, nodes, upper, free, config] = self.tables();
        sql::execute(&format!(
            "CREATE TABLE {rows}(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL{});
             CREATE TABLE {nodes}(slot INTEGER PRIMARY KEY, node BLOB NOT NULL);
             CREATE TABLE {upper}(slot INTEGER PRIMARY KEY, links BLOB NOT NULL);
             CREATE TABLE {free}(slot INTEGER PRIMARY KEY);
             CREATE TABLE {config}(key TEXT PRIMARY KEY, value) WITHOUT ROWID;",
            columns.collect::<String>()
        ))?;
        self.create_indexes(definition)?;
        let mut statement = sql::prepare(&format!("INSERT INTO {config} VALUES ('arguments', ?)"))?;
        statement.run([Value::text(arguments.join("\n"))])?;
        self.write_state(State::default())
    }

    fn tables(&self) -> [String; 5] {
        ["rows", "nodes", "upper", "free", "config"].map(|ending| self.names.table(ending))
    }

    fn create_indexes(&self, definition: &Definition) -> Result<()> {
        let (schema, rows) =
            (quoted_name(&self.names.schema), quoted_name(&format!("{}_rows", self.names.name)));
        // An index keeps its name when the table is renamed, so it needs one that no
        // other table of this name will have.
        let unique = RandomState::new().hash_one(&self.names) as u32;
        for at in filter_columns(definition) {
            let index = quoted_name(&format!("{}_rows_c{at}_{unique:08x}", self.names.name));
            sql::execute(&format!("CREATE INDEX {schema}.{index} ON {rows}(c{at})"))?;
        }
        Ok(())
    }

    pub fn drop_all(&mut self) -> Result<()> {
        self.statements = Statements::default();
        self.tables().iter().try_for_each(|it| sql::execute(&format!("DROP TABLE IF EXISTS {it}")))
    }

    pub fn rename(&mut self, name: &str) -> Result<()> {
        self.statements = Statements::default();
        for ending in SHADOW_NAMES {
            let new = quoted_name(&format!("{name}_{ending}"));
            sql::execute(&format!("ALTER TABLE {} RENAME TO {new}", self.names.table(ending)))?;
        }
        name.clone_into(&mut self.names.name);
        Ok(())
    }

    /// The state as it is stored, if it is not `known`.
    pub fn state(&mut self, known: Option<u64>) -> Result<Option<State>> {
        let sql =
            || format!("SELECT value FROM {} WHERE key = 'state'", self.names.table("config"));
        let row = first(prepared(&mut self.statements.state, sql)?, [])?;
        let state = row.and_then(|mut row| match row.pop() {
            Some(Value::Blob(bytes)) => State::from_bytes(&bytes),
            _ => None,
        });
        let state = state.ok_or_else(|| self.corrupt("its state is missing or malformed"))?;
        Ok((Some(state.stamp) != known).then_some(state))
    }

    pub fn write_state(&self, state: State) -> Result<()> {
        let sql =
            format!("INSERT OR REPLACE INTO {} VALUES ('state', ?)", self.names.table("config"));
        sql::prepare(&sql)?.run([Value::Blob(state.to_bytes())])
    }

    /// Add a row: its id, or the error of SQLite for one that is there.
    pub fn insert_row(&mut self, row_id: Value, slot: u32, columns: Vec<Value>) -> Result<i64> {
        let rows = self.names.table("rows");
        let count = columns.len() + 2;
        let sql = || {
            let places = vec!["?"; count].join(",");
            format!("INSERT INTO {rows} VALUES ({places})")
        };
        let known = match row_id {
            Value::Integer(row_id) => Some(row_id),
            _ => None,
        };
        let values = [row_id, Value::Integer(slot.into())].into_iter().chain(columns);
        prepared(&mut self.statements.insert_row, sql)?.run(values)?;
        Ok(known.unwrap_or_else(sql::last_insert_row_id))
    }

    pub fn insert_node(&mut self, slot: u32, row_id: i64, vector: &[u8]) -> Result<()> {
        let sql = || format!("INSERT OR REPLACE INTO {} VALUES (?, ?)", self.names.table("nodes"));
        let mut node = row_id.to_le_bytes().to_vec();
        node.resize(HEADER + 4 * self.max_links, 0);
        node.extend_from_slice(vector);
        let statement = prepared(&mut self.statements.insert_node, sql)?;
        statement.run([Value::Integer(slot.into()), Value::Blob(node)])
    }

    /// The slot of a row's node.
    pub fn slot_of(&mut self, row_id: i64) -> Result<Option<u32>> {
        let sql = || format!("SELECT slot FROM {} WHERE id = ?", self.names.table("rows"));
        let row = first(prepared(&mut self.statements.row, sql)?, [Value::Integer(row_id)])?;
        let Some(row) = row else { return Ok(None) };
        let slot = u32::try_from(row[0].to_integer()).ok().filter(|slot| *slot < MAX_NODES);
        slot.map(Some).ok_or_else(|| self.corrupt("a row has no node"))
    }

    /// The bytes that are stored of a vector.
    pub fn vector(&mut self, slot: u32) -> Result<Vec<u8>> {
        let node = self.read(slot)?.ok_or_else(|| self.corrupt("a vector is missing"))?;
        Ok(node[HEADER + 4 * self.max_links..].to_vec())
    }

    fn read(&mut self, slot: u32) -> Result<Option<Vec<u8>>> {
        let sql = || format!("SELECT node FROM {} WHERE slot = ?", self.names.table("nodes"));
        let row = first(prepared(&mut self.statements.node, sql)?, [Value::Integer(slot.into())])?;
        row.map(|mut row| self.checked(row.pop().unwrap_or_default())).transpose()
    }

    /// A node of the right size.
    pub fn checked(&self, node: Value) -> Result<Vec<u8>> {
        match node {
            Value::Blob(node) if node.len() == self.node_size() => Ok(node),
            _ => Err(self.corrupt("a node has a wrong size")),
        }
    }

    fn node_size(&self) -> usize {
        HEADER + 4 * self.max_links + self.coder.stored_size()
    }

    /// The vector of a node that was checked.
    pub fn vector_of<'a>(&self, node: &'a [u8]) -> &'a [u8] {
        &node[HEADER + 4 * self.max_links..]
    }

    pub fn parse_row_id(&self, node: &[u8]) -> i64 {
        node.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
    }

    pub fn parse(&self, node: &[u8]) -> Result<Node> {
        let (header, rest) = node.split_at(HEADER);
        let (links, vector) = rest.split_at(4 * self.max_links);
        let degree = words(&header[8..])[0] as usize;
        if degree > self.max_links {
            return Err(self.corrupt("a node has too many links"));
        }
        let row_id = self.parse_row_id(header);
        let links = words(&links[..4 * degree]);
        Ok(Node { row_id, links, code: self.coder.code(vector) })
    }

    /// Write the links of nodes over those that are stored.
    pub fn write_links<'a>(&self, nodes: impl Iterator<Item = (u32, &'a [u32])>) -> Result<()> {
        let mut blob: Option<Blob> = None;
        for (slot, links) in nodes {
            let slot = i64::from(slot);
            match &mut blob {
                Some(blob) => blob.reopen(slot)?,
                None => {
                    let table = format!("{}_nodes", self.names.name);
                    blob = Some(Blob::open(&self.names.schema, &table, "node", slot, true)?);
                }
            }
            let numbers = std::iter::once(links.len() as u32).chain(links.iter().copied());
            let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
            if let Some(blob) = &blob {
                blob.write(8, &bytes)?;
            }
        }
        Ok(())
    }

    pub fn write_upper(&self, slot: u32, upper: &Upper) -> Result<()> {
        let sql = format!("INSERT OR REPLACE INTO {} VALUES (?, ?)", self.names.table("upper"));
        let numbers = upper
            .iter()
            .flat_map(|links| std::iter::once(links.len() as u32).chain(links.iter().copied()));
        let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        sql::prepare(&sql)?.run([Value::Integer(slot.into()), Value::Blob(bytes)])
    }

    fn upper_of(&self, links: Value) -> Result<Upper> {
        let upper = parse_upper(&words(&links.into_bytes()), self.max_links / 2);
        upper.ok_or_else(|| self.corrupt("links of an upper layer are malformed"))
    }

    /// An error for content that nobody but this module should have written.
    pub fn corrupt(&self, why: &str) -> Error {
        Error::new(code::CORRUPT, format!("ann: table `{}` is corrupt: {why}", self.names.name))
    }
}

impl Source for Storage {
    fn node(&mut self, slot: u32) -> Result<Option<Node>> {
        self.read(slot)?.map(|node| self.parse(&node)).transpose()
    }

    fn nodes(&mut self, slots: &[u32]) -> Result<Vec<(u32, Node)>> {
        let sql = || several("node", &self.names.table("nodes"));
        let rows = rows_of(prepared(&mut self.statements.nodes, sql)?, slots)?;
        let rows = rows.into_iter();
        rows.map(|(slot, node)| Ok((slot, self.parse(&self.checked(node)?)?))).collect()
    }

    fn upper(&mut self, slot: u32) -> Result<Option<Upper>> {
        let sql = || format!("SELECT links FROM {} WHERE slot = ?", self.names.table("upper"));
        let row = first(prepared(&mut self.statements.upper, sql)?, [Value::Integer(slot.into())])?;
        row.map(|mut row| self.upper_of(row.pop().unwrap_or_default())).transpose()
    }

    fn uppers(&mut self, slots: &[u32]) -> Result<Vec<(u32, Upper)>> {
        let sql = || several("links", &self.names.table("upper"));
        let rows = rows_of(prepared(&mut self.statements.uppers, sql)?, slots)?;
        rows.into_iter().map(|(slot, links)| Ok((slot, self.upper_of(links)?))).collect()
    }

    fn highest(&mut self, except: u32, end: u32) -> Result<Option<(u32, usize)>> {
        let (upper, nodes) = (self.names.table("upper"), self.names.table("nodes"));
        let sql = format!(
            "SELECT slot FROM (SELECT slot FROM {upper} WHERE slot <> ?1 AND slot < ?2 ORDER BY length(links) DESC LIMIT 1)
             UNION ALL SELECT * FROM (SELECT slot FROM {nodes} WHERE slot <> ?1 AND slot < ?2 LIMIT 1) LIMIT 1"
        );
        let row =
            first(&mut sql::prepare(&sql)?, [except, end].map(|it| Value::Integer(it.into())))?;
        let slot = row.and_then(|row| u32::try_from(row[0].to_integer()).ok());
        let Some(slot) = slot.filter(|slot| *slot < MAX_NODES) else { return Ok(None) };
        Ok(Some((slot, self.upper(slot)?.map_or(0, |upper| upper.len()))))
    }
}

/// A statement that reads a column of several nodes.
fn several(column: &str, table: &str) -> String {
    let places = ["?"; NODES_PER_REQUEST].join(",");
    format!("SELECT slot, {column} FROM {table} WHERE slot IN ({places})")
}

/// What it reads of them.
fn rows_of(statement: &mut Statement, slots: &[u32]) -> Result<Vec<(u32, Value)>> {
    let mut found = Vec::with_capacity(slots.len());
    for slots in slots.chunks(NODES_PER_REQUEST) {
        // The parameters that are left over are NULL, which equals no slot.
        let numbers = slots.iter().map(|slot| Value::Integer((*slot).into()));
        let values = numbers.chain(std::iter::repeat(Value::Null)).take(NODES_PER_REQUEST);
        for row in statement.query(values)? {
            let mut row = row?;
            let value = row.pop().unwrap_or_default();
            found.push((row[0].to_integer() as u32, value));
        }
    }
    Ok(found)
}

fn parse_upper(mut numbers: &[u32], max_links: usize) -> Option<Upper> {
    let mut upper = Upper::new();
    while let Some((count, rest)) = numbers.split_first() {
        let count = usize::try_from(*count).ok().filter(|count| *count <= max_links)?;
        let (links, rest) = rest.split_at_checked(count)?;
        upper.push(links.to_vec());
        numbers = rest;
    }
    (upper.len() <= MAX_UPPER_LAYERS).then_some(upper)
}

/// The columns that a search can filter by.
fn filter_columns(definition: &Definition) -> impl Iterator<Item = usize> {
    let columns = definition.columns.iter().enumerate();
    columns.filter(|(_, column)| !column.is_auxiliary).map(|(at, _)| at)
}

/// The arguments with which a table was created.
pub fn arguments_of(names: &Names) -> Result<Vec<String>> {
    let config = names.table("config");
    let mut statement =
        sql::prepare(&format!("SELECT value FROM {config} WHERE key = 'arguments'"))?;
    let row = first(&mut statement, [])?;
    let text = row.and_then(|mut row| row.pop()).unwrap_or_default().into_bytes();
    Ok(String::from_utf8_lossy(&text).split('\n').map(str::to_owned).collect())
}

fn prepared(
    statement: &mut Option<Statement>,
    sql: impl FnOnce() -> String,
) -> Result<&mut Statement> {
    match statement {
        Some(statement) => Ok(statement),
        None => Ok(statement.insert(sql::prepare(&sql())?)),
    }
}

/// The first row of a statement, which is then at its end.
pub fn first(
    statement: &mut Statement,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<Vec<Value>>> {
    statement.query(values)?.next().transpose()
}
