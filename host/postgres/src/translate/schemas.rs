//! Names with a schema: SQLite finds a temporary table first, and PostgreSQL the one of the schema.

use sql_tokens::Kind;

use super::queries::has_letters;
use super::session::name;
use crate::lex::tokens;

/// The schemas of permanent and of temporary tables, by PostgreSQL's word and by SQLite's.
const PERMANENT: [&str; 2] = ["public", "main"];
pub(super) const TEMPORARY: [&str; 2] = ["pg_temp", "temp"];

/// The names in a text that have a schema. What a column is called may be among them.
#[derive(Debug, Default)]
pub struct Qualified {
    /// Those of permanent tables.
    pub permanent: Vec<String>,
    /// Those of temporary ones.
    pub temporary: Vec<String>,
}

impl Qualified {
    /// The names in a text.
    pub fn of(sql: &str) -> Self {
        let mut found = Self::default();
        // `pg_temp` has `temp` in it.
        if !["public", "main", "temp"].iter().any(|word| has_letters(sql, word)) {
            return found;
        }
        let all: Vec<_> = tokens(sql).filter(|token| token.kind != Kind::Space).collect();
        for words in all.windows(3).filter(|words| words[1].is(".")) {
            let (Some(schema), Some(name)) = (name(&words[0]), name(&words[2])) else { continue };
            if PERMANENT.contains(&schema.as_str()) {
                found.permanent.push(name);
            } else if TEMPORARY.contains(&schema.as_str()) {
                found.temporary.push(name);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_schemas_are_found() {
        for (sql, permanent, temporary) in [
            ("SELECT * FROM public.t, \"public\" . \"T t\" JOIN PUBLIC/* x */.u", "t,T t,u", ""),
            ("COPY main.t(a) FROM STDIN", "t", ""),
            ("SELECT publication.t, 'public.t', pg_temp.t", "", "t"),
            ("DROP TABLE temp.\"T\"", "", "T"),
            ("SELECT a.public, template.a", "", ""),
        ] {
            let found = Qualified::of(sql);
            let found = (found.permanent.join(","), found.temporary.join(","));
            assert_eq!(found, (permanent.to_owned(), temporary.to_owned()), "{sql}");
        }
    }
}
