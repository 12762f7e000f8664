//! The catalogue of a connection: what the schema has, with OIDs, until the schema changes.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use sqlite_wasm_kit::{Result, Value};

use crate::rows;
use crate::schema::{self, ForeignKey, Relation};

/// The first OID that Postgres gives to what users make.
const FIRST_OID: u32 = 16_384;

/// OIDs stay below this, so that programs that read them as signed integers can.
const LAST_OID: u32 = i32::MAX as u32;

/// The OIDs of Postgres' own objects.
pub const PG_CATALOG: i64 = 11;
/// The schema `public`.
pub const PUBLIC: i64 = 2200;
/// The schema `information_schema`.
pub const INFORMATION_SCHEMA: i64 = 13_180;
/// The only role.
pub const OWNER: i64 = 10;

/// The role that has the schema `public`, since PostgreSQL 14.
pub const DATABASE_OWNER: i64 = 6171;

/// The name of the only role.
pub const OWNER_NAME: &str = "postgres";

/// A constraint.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub oid: i64,
    pub name: String,
    /// `p`, `u`, `f` or `c`.
    pub kind: &'static str,
    /// The relation, and the index of what it is there.
    pub relation: usize,
    pub index: usize,
}

/// What there is, with its OIDs.
#[derive(Debug, Default)]
pub struct Catalog {
    version: i64,
    pub database: String,
    pub relations: Vec<Relation>,
    /// By relation; and by relation the indexes.
    pub oids: Vec<i64>,
    pub index_oids: Vec<Vec<i64>>,
    /// By relation, of those with a key that is numbered.
    pub sequence_oids: Vec<Option<i64>>,
    pub constraints: Vec<Constraint>,
    made: RefCell<HashMap<&'static str, Rc<[Vec<Value>]>>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Catalog>>> = const { RefCell::new(None) };
}

/// The catalogue as the schema is now. A statement that has it already keeps it.
pub fn current() -> Result<Rc<Catalog>> {
    let known = CURRENT.with_borrow(Clone::clone);
    if let Some(known) = &known {
        // The cache, this function, and a cursor.
        if Rc::strong_count(known) > 2 || schema::version()? == known.version {
            return Ok(Rc::clone(known));
        }
    }
    let catalog =
        Rc::new(Catalog::of(schema::version()?, schema::database()?, schema::relations()?));
    CURRENT.set(Some(Rc::clone(&catalog)));
    Ok(catalog)
}

/// FNV-1a: small, and the same forever.
fn hash(kind: &str, name: &str) -> u32 {
    let bytes = kind.bytes().chain([0]).chain(name.bytes());
    let hash = bytes
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    FIRST_OID + hash % (LAST_OID - FIRST_OID)
}

/// OIDs that are taken.
#[derive(Default)]
struct Oids(BTreeSet<u32>);

impl Oids {
    fn of(&mut self, kind: &str, name: &str) -> i64 {
        let mut oid = hash(kind, name);
        while !self.0.insert(oid) {
            oid = if oid == LAST_OID { FIRST_OID } else { oid + 1 };
        }
        oid.into()
    }
}

impl Catalog {
    /// The catalogue of a schema.
    pub fn of(version: i64, database: String, relations: Vec<Relation>) -> Self {
        let mut oids = Oids::default();
        let mut catalog = Self { version, database, ..Self::default() };
        catalog.oids =
            relations.iter().map(|relation| oids.of("relation", &relation.name)).collect();
        for (at, relation) in relations.iter().enumerate() {
            let indexes = relation.indexes.iter().map(|index| oids.of("relation", &index.name));
            catalog.index_oids.push(indexes.collect());
            let sequence = relation.sequence().map(|(name, _)| oids.of("relation", &name));
            catalog.sequence_oids.push(sequence);
            for (name, kind, index) in constraints(relation) {
                let oid = oids.of("constraint", &format!("{}.{name}", relation.name));
                catalog.constraints.push(Constraint { oid, name, kind, relation: at, index });
            }
        }
        catalog.relations = relations;
        catalog
    }

    /// The rows of a table.
    pub fn rows(&self, table: &'static str, columns: &[rows::Column]) -> Rc<[Vec<Value>]> {
        // These change while the schema is the same.
        if rows::OF_SESSION.contains(&table) {
            return rows::of(self, table, columns).into();
        }
        let mut made = self.made.borrow_mut();
        Rc::clone(made.entry(table).or_insert_with(|| rows::of(self, table, columns).into()))
    }

    /// The relation with this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.relations.iter().position(|relation| relation.name.eq_ignore_ascii_case(name))
    }

    /// The relation with this OID.
    pub fn relation(&self, oid: i64) -> Option<usize> {
        self.oids.iter().position(|known| *known == oid)
    }

    /// The index with this OID: its relation, and its position there.
    pub fn index(&self, oid: i64) -> Option<(usize, usize)> {
        let place = |indexes: &Vec<i64>| indexes.iter().position(|known| *known == oid);
        self.index_oids.iter().enumerate().find_map(|(at, indexes)| Some((at, place(indexes)?)))
    }

    /// The name of a relation or an index.
    pub fn name(&self, oid: i64) -> Option<&str> {
        let of_index =
            || self.index(oid).map(|(at, index)| self.relations[at].indexes[index].name.as_str());
        self.relation(oid).map(|at| self.relations[at].name.as_str()).or_else(of_index)
    }

    /// The name of a sequence.
    pub fn sequence_name(&self, oid: i64) -> Option<String> {
        let at = self.sequence_oids.iter().position(|known| *known == Some(oid))?;
        Some(self.relations[at].sequence()?.0)
    }

    /// The sequence with this name.
    pub fn sequence(&self, name: &str) -> Option<i64> {
        let mut all = self.relations.iter().zip(&self.sequence_oids);
        all.find_map(|(relation, oid)| {
            let (known, _) = relation.sequence()?;
            oid.filter(|_| known == name)
        })
    }

    /// The columns that a foreign key refers to.
    pub fn referred(&self, key: &ForeignKey) -> (Option<usize>, Vec<String>) {
        let at = self.named(&key.table);
        let of_key = |at: usize| {
            let relation = &self.relations[at];
            schema::key_columns(relation)
                .into_iter()
                .map(|index| relation.columns[index].name.clone())
                .collect()
        };
        let columns =
            if key.to.is_empty() { at.map(of_key).unwrap_or_default() } else { key.to.clone() };
        (at, columns)
    }
}

/// Names and kinds of the constraints of a relation, and their positions.
fn constraints(relation: &Relation) -> Vec<(String, &'static str, usize)> {
    let of_index = relation.indexes.iter().enumerate().filter(|(_, index)| index.is_constraint);
    let of_index = of_index
        .map(|(at, index)| (index.name.clone(), if index.is_primary { "p" } else { "u" }, at));
    let of_key = relation.foreign_keys.iter().enumerate();
    let of_key = of_key.map(|(at, key)| (key.name.clone(), "f", at));
    let of_check =
        relation.checks.iter().enumerate().map(|(at, check)| (check.name.clone(), "c", at));
    of_index.chain(of_key).chain(of_check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oids_come_from_names_and_differ() {
        let relation = |name: &str| Relation { name: name.into(), ..Relation::default() };
        let one = Catalog::of(1, "a".into(), vec![relation("a"), relation("b")]);
        let other = Catalog::of(9, "b".into(), vec![relation("b")]);
        assert_eq!(one.oids[1], other.oids[0]);
        assert_ne!(one.oids[0], one.oids[1]);
        assert_eq!(one.relation(one.oids[0]), Some(0));
        let mut oids = Oids::default();
        let (first, second) = (oids.of("relation", "t"), oids.of("relation", "t"));
        assert_eq!(first + 1, second);
        assert!((i64::from(FIRST_OID)..=i64::from(LAST_OID)).contains(&first));
    }
}
