//! `--tables` and `--hide`: the names of what agents see, and of what they do not.

use std::str::FromStr;

use anyhow::{Result, bail, ensure};
use sql_tokens::{Dialect, Kind, Token, Tokens};

/// A table, or one of its columns. SQLite compares names without regard to the case of ASCII letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub table: String,
    pub column: Option<String>,
}

/// `TABLE[.COLUMN],…` as in SQL: with quotes where a name has other characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<Name>);

impl FromStr for Names {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut words = Tokens::new(text, Dialect::Sqlite);
        let mut names = Vec::new();
        loop {
            let table = name(words.next_word())?;
            let mut after = words.next_word();
            let mut column = None;
            if after.is_some_and(|word| word.is(".")) {
                column = Some(name(words.next_word())?);
                after = words.next_word();
            }
            names.push(Name { table, column });
            match after {
                None => return Ok(Self(names)),
                Some(word) if word.is(",") => {}
                Some(word) => bail!("`,` is expected before `{}`", word.text),
            }
        }
    }
}

fn name(word: Option<Token<'_>>) -> Result<String> {
    match word {
        Some(word) if matches!(word.kind, Kind::Word | Kind::Name) => {
            Ok(word.unquoted().into_owned())
        }
        _ => bail!(
            "names of tables are separated by commas, and in double quotes where they have other characters"
        ),
    }
}

/// What agents see of each database.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    tables: Vec<Name>,
    hidden: Vec<Name>,
}

impl Lists {
    /// # Errors
    ///
    /// Where one of `tables` is a column.
    pub fn new(tables: Vec<Name>, hidden: Vec<Name>) -> Result<Self> {
        let is_whole = tables.iter().all(|name| name.column.is_none());
        ensure!(is_whole, "`--tables` takes whole tables; `--hide` takes columns");
        Ok(Self { tables, hidden })
    }

    /// Whether agents see everything.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.hidden.is_empty()
    }

    /// Whether agents see a table of this name.
    pub fn show(&self, table: &str) -> bool {
        let is_named =
            |name: &Name| name.column.is_none() && name.table.eq_ignore_ascii_case(table);
        (self.tables.is_empty() || self.tables.iter().any(is_named))
            && !self.hidden.iter().any(is_named)
    }

    /// Whether a column is hidden by its name.
    pub fn hide(&self, table: &str, column: &str) -> bool {
        self.hidden.iter().any(|name| {
            let of = name.column.as_deref();
            name.table.eq_ignore_ascii_case(table)
                && of.is_some_and(|of| of.eq_ignore_ascii_case(column))
        })
    }

    /// All names: one that no database has would be a mistake that shows what should be hidden.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.tables.iter().chain(&self.hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, Option<String>)> {
        let names = text.parse::<Names>().unwrap().0;
        names.into_iter().map(|name| (name.table, name.column)).collect()
    }

    #[test]
    fn names_are_written_as_in_sql() {
        let column = |table: &str, column: &str| (table.to_owned(), Some(column.to_owned()));
        assert_eq!(
            names("users.password, log"),
            [column("users", "password"), ("log".to_owned(), None)]
        );
        assert_eq!(names("\"a.b\".\"c,\"\"d\""), [column("a.b", "c,\"d")]);
        for wrong in ["", ",", "a,", "a.b.c", "a b", "'a'", "a.*", "1"] {
            assert!(wrong.parse::<Names>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn case_does_not_matter() {
        let parse = |text: &str| text.parse::<Names>().unwrap().0;
        let lists = Lists::new(parse("Users,v"), parse("users.Password,V")).unwrap();
        assert!(lists.show("USERS") && !lists.show("v") && !lists.show("other"));
        assert!(lists.hide("USERS", "password") && !lists.hide("users", "name"));
        assert!(Lists::new(parse("a.b"), Vec::new()).is_err());
        assert!(Lists::default().show("any") && Lists::default().is_empty());
    }
}
