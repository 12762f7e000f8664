//! The names of keys: those that CREATE TABLE has, and Postgres' own for the others.

use std::collections::BTreeSet;

use super::{Column, ForeignKey, Index, Relation};
use crate::sql_text::{self, Declared};

/// The names that CREATE TABLE has for constraints. Each key that it declares is one of SQLite's,
/// and its name is for no other.
pub fn declared(relation: &mut Relation) {
    // SQLite lists the last one first.
    let mut keys: Vec<usize> = (0..relation.foreign_keys.len()).rev().collect();
    // One that ALTER TABLE has added has its name.
    let is_constraint =
        |at: &usize| relation.indexes[*at].is_constraint && relation.indexes[*at].name.is_empty();
    let mut indexes: Vec<usize> = (0..relation.indexes.len()).filter(is_constraint).collect();
    // A constraint that is declared twice has one index.
    let mut unnamed = Vec::new();
    for declared in sql_text::declared(&relation.sql) {
        if declared.references.is_some() {
            let key = take(&mut keys, |at| is_key(&declared, &relation.foreign_keys[at]));
            let name = declared.name.unwrap_or_default();
            if let Some(key) = key.and_then(|at| relation.foreign_keys.get_mut(at)) {
                (key.name, key.deferral) = (name, declared.deferral);
            }
            continue;
        }
        let fits = |at: usize| is_index(&declared, &relation.indexes[at], &relation.columns);
        match (take(&mut indexes, fits).or_else(|| take(&mut unnamed, fits)), declared.name.clone())
        {
            (Some(at), Some(name)) => relation.indexes[at].name = name,
            (at, _) => unnamed.extend(at),
        }
    }
}

/// Remove the first one that fits.
fn take(places: &mut Vec<usize>, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let found = places.iter().position(|at| fits(*at))?;
    Some(places.remove(found))
}

fn is_key(declared: &Declared, key: &ForeignKey) -> bool {
    let Some((table, to)) = &declared.references else { return false };
    let from = declared.columns.iter().map(|(name, _)| name.as_str());
    table.eq_ignore_ascii_case(&key.table)
        && same(from, &key.from)
        && same(to.iter().map(String::as_str), &key.to)
}

fn is_index(declared: &Declared, index: &Index, all: &[Column]) -> bool {
    let named = |(column, _): &(Option<usize>, bool)| Some(all.get((*column)?)?.name.clone());
    let names: Vec<_> = index.columns.iter().filter_map(named).collect();
    // One that is not written is the column's, which SQLite does not report.
    let mut collations = declared.columns.iter().zip(&index.collations);
    index.is_primary == (declared.kind == "p")
        && same(declared.columns.iter().map(|(name, _)| name.as_str()), &names)
        && collations.all(|((_, written), collation)| {
            written.as_ref().is_none_or(|written| written.eq_ignore_ascii_case(collation))
        })
}

fn same<'a>(one: impl ExactSizeIterator<Item = &'a str>, other: &[String]) -> bool {
    one.len() == other.len() && one.zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
}

/// Complete the names of all keys that have none, as Postgres makes them: with a counter at the end
/// if another one in the schema has the name.
pub fn complete(relations: &mut [Relation]) {
    let mut taken: BTreeSet<String> = relations.iter().flat_map(names).collect();
    for relation in relations {
        let Relation { name: table, columns, indexes, foreign_keys, .. } = relation;
        for index in indexes.iter_mut().filter(|index| index.name.is_empty()) {
            index.name = free(&of_index(table, index, columns), &mut taken);
        }
        for key in foreign_keys.iter_mut().rev().filter(|key| key.name.is_empty()) {
            key.name = free(&format!("{table}_{}_fkey", key.from.join("_")), &mut taken);
        }
    }
}

/// The names that a relation has already.
fn names(relation: &Relation) -> impl Iterator<Item = String> {
    let indexes = relation.indexes.iter().map(|index| &index.name);
    let keys = relation.foreign_keys.iter().map(|key| &key.name);
    std::iter::once(&relation.name).chain(indexes).chain(keys).cloned()
}

fn of_index(table: &str, index: &Index, columns: &[Column]) -> String {
    if index.is_primary {
        return format!("{table}_pkey");
    }
    let name = |(column, _): &(Option<usize>, bool)| Some(columns.get((*column)?)?.name.as_str());
    let names: Vec<_> = index.columns.iter().filter_map(name).collect();
    format!("{table}_{}_key", names.join("_"))
}

/// The name, or the first one with a counter at its end that nothing has. The name is taken then.
fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (1..).map(|number| format!("{name}{number}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Column {
        Column { name: name.into(), ..Column::default() }
    }

    fn key(from: &str, table: &str, to: &str) -> ForeignKey {
        let (from, to) = (vec![from.into()], vec![to.into()]);
        ForeignKey { table: table.into(), from, to, ..ForeignKey::default() }
    }

    fn unique(collation: &str) -> Index {
        Index {
            is_unique: true,
            is_constraint: true,
            columns: vec![(Some(0), false)],
            collations: vec![collation.into()],
            ..Index::default()
        }
    }

    /// The names of the foreign keys, first declared first, and of the indexes.
    fn names_of(sql: &str, mut keys: Vec<ForeignKey>, indexes: Vec<Index>) -> Vec<String> {
        keys.reverse();
        let mut relation = Relation {
            name: "t".into(),
            sql: format!("CREATE TABLE t({sql})"),
            columns: vec![column("x")],
            foreign_keys: keys,
            indexes,
            ..Relation::default()
        };
        declared(&mut relation);
        complete(std::slice::from_mut(&mut relation));
        let keys = relation.foreign_keys.into_iter().rev().map(|key| key.name);
        keys.chain(relation.indexes.into_iter().map(|index| index.name)).collect()
    }

    #[test]
    fn each_foreign_key_has_its_name() {
        let sql = "x int constraint one references w2(a), \
                   constraint two foreign key(x) references w3(a)";
        assert_eq!(
            names_of(sql, vec![key("x", "w2", "a"), key("x", "w3", "a")], vec![]),
            ["one", "two"]
        );
        let keys = || vec![key("x", "b", "id"), key("x", "b", "x")];
        let sql =
            "x, constraint c2 foreign key(x) references b(id), foreign key(x) references b(x)";
        assert_eq!(names_of(sql, keys(), vec![]), ["c2", "t_x_fkey"]);
        let sql =
            "x, foreign key(x) references b(id), constraint c2 foreign key(x) references B(X)";
        assert_eq!(names_of(sql, keys(), vec![]), ["t_x_fkey", "c2"]);
        let equal = vec![key("x", "b", "id"), key("x", "b", "id")];
        let sql = "x references b(id) constraint c references b(id)";
        assert_eq!(names_of(sql, equal, vec![]), ["t_x_fkey", "c"]);
    }

    #[test]
    fn each_index_has_its_name() {
        let both = || vec![unique("BINARY"), unique("NOCASE")];
        let sql = "x constraint ux unique, constraint u3 unique(x collate nocase)";
        assert_eq!(names_of(sql, vec![], both()), ["ux", "u3"]);
        let sql = "x unique, constraint u3 unique(x collate nocase)";
        assert_eq!(names_of(sql, vec![], both()), ["t_x_key", "u3"]);
        let sql = "x unique, constraint twice unique(x)";
        assert_eq!(names_of(sql, vec![], vec![unique("BINARY")]), ["twice"]);
        let sql = "x unique, unique(x collate nocase)";
        assert_eq!(names_of(sql, vec![], both()), ["t_x_key", "t_x_key1"]);
    }

    #[test]
    fn names_differ_within_the_schema() {
        let table = |name: &str, column: &str| Relation {
            name: name.into(),
            columns: vec![self::column(column)],
            indexes: vec![unique("BINARY")],
            foreign_keys: vec![key(column, "o", "id"), key(column, "p", "id")],
            ..Relation::default()
        };
        let mut all = [table("t", "a_b"), table("t_a", "b"), table("t_pkey", "x")];
        all[2].indexes.clear();
        all[0].indexes.insert(0, Index { is_primary: true, ..unique("BINARY") });
        complete(&mut all);
        let names = |at: usize| all[at].indexes.iter().map(|index| index.name.as_str());
        assert!(names(0).eq(["t_pkey1", "t_a_b_key"]));
        assert!(names(1).eq(["t_a_b_key1"]));
        let keys = all[1].foreign_keys.iter().rev().map(|key| key.name.as_str());
        assert!(keys.eq(["t_a_b_fkey2", "t_a_b_fkey3"]));
    }
}
