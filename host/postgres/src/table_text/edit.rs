//! Changes of the text of a table.

use std::ops::Range;

use postgres_types::comments;
use sql_tokens::{Dialect, Kind, Tokens, quoted_name};

use super::{Clause, ClauseKind, ColumnText, TableText};

impl TableText<'_> {
    /// The text with a constraint more.
    pub fn with_constraint(&self, text: &str) -> String {
        // Behind a line that ends in a comment, the comment would go on.
        self.replaced(self.inside.end..self.inside.end, &format!("\n, {text}"))
    }

    /// The text without one.
    pub fn without(&self, clause: &Clause) -> String {
        let comma = self.comma_before(clause).filter(|_| !self.is_followed_closely(clause));
        let (before, between) = match comma {
            Some(comma) => (&self.sql[..comma], &self.sql[comma + 1..clause.span.start]),
            None => (&self.sql[..clause.span.start], ""),
        };
        [before, between, &self.sql[clause.span.end..]].concat()
    }

    /// The comma that ends what is before a constraint of the table.
    fn comma_before(&self, clause: &Clause) -> Option<usize> {
        let at = self.constraints.iter().position(|one| one.span == clause.span)?;
        let before = match at.checked_sub(1) {
            Some(before) => self.constraints[before].span.end,
            None => self.columns.last()?.end,
        };
        self.comma(before..clause.span.start)
    }

    /// Whether another constraint follows without a comma, which SQLite does not need there: the comma
    /// before this one is then the other's.
    fn is_followed_closely(&self, clause: &Clause) -> bool {
        let next = self.constraints.iter().find(|one| one.span.start >= clause.span.end);
        next.is_some_and(|next| self.comma(clause.span.end..next.span.start).is_none())
    }

    fn comma(&self, gap: Range<usize>) -> Option<usize> {
        let mut tokens = Tokens::new(&self.sql[gap.clone()], Dialect::Sqlite);
        tokens.find(|token| token.is(",")).map(|token| gap.start + token.start)
    }

    /// The text with another name of a constraint.
    pub fn renamed(&self, clause: &Clause, name: &str) -> String {
        match &clause.name {
            Some((_, span)) => self.replaced(span.clone(), &quoted_name(name)),
            None => {
                let start = clause.span.start;
                self.replaced(start..start, &format!("CONSTRAINT {} ", quoted_name(name)))
            }
        }
    }

    /// The text with a default of a column, or without: `expression` is a constant, or in parentheses.
    pub fn with_default(&self, column: &ColumnText, expression: Option<&str>) -> String {
        let old = column.clauses.iter().find(|one| one.kind == ClauseKind::Default);
        let new = expression.map(|expression| format!("DEFAULT {expression}"));
        match (old, new) {
            (Some(old), new) => self.replaced(old.span.clone(), &new.unwrap_or_default()),
            (None, Some(new)) => self.replaced(column.end..column.end, &format!(" {new}")),
            (None, None) => self.sql.to_owned(),
        }
    }

    /// The text with another type of a column, whose comment remains.
    pub fn with_type(&self, column: &ColumnText, data_type: &str) -> String {
        let is_bare = column.data_type.is_empty();
        let mut text = if is_bare { format!(" {data_type}") } else { data_type.to_owned() };
        for comment in self.comments(column.data_type.clone()) {
            text.push(' ');
            text.push_str(&self.sql[comment]);
        }
        self.replaced(column.data_type.clone(), &text)
    }

    /// The text without the collation of a column.
    pub fn without_collation(&self, column: &ColumnText) -> String {
        match self.collate(column) {
            Some(clause) => self.replaced(clause.span.clone(), ""),
            None => self.sql.to_owned(),
        }
    }

    /// The collation of a column, if it has one.
    pub fn collation(&self, column: &ColumnText) -> Option<String> {
        let written = self.written(self.collate(column)?);
        let words = Tokens::new(written, Dialect::Sqlite).filter(|word| word.kind != Kind::Space);
        words.last().map(|word| word.unquoted().into_owned())
    }

    fn collate<'t>(&self, column: &'t ColumnText) -> Option<&'t Clause> {
        column.clauses.iter().find(|clause| {
            let first = Tokens::new(self.written(clause), Dialect::Sqlite).next();
            clause.kind == ClauseKind::Other && first.is_some_and(|word| word.is("collate"))
        })
    }

    /// The text with a comment on a column, or on the table, instead of the one that it has.
    pub fn with_comment(&self, column: Option<&ColumnText>, comment: Option<&str>) -> String {
        let new = comment.map(comments::written);
        let (place, around, new) = match column {
            // Behind the type and what else comments say of it.
            Some(column) => {
                let first = column.clauses.first().map_or(column.end, |one| one.span.start);
                let end = column.data_type.end;
                let around =
                    column.data_type.start..super::behind_comments(self.sql, first.max(end));
                (end, around, new.map(|new| format!(" {new}")))
            }
            None => {
                let start = self.inside.start;
                let first = self.sql[start..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
                let first = start + first;
                (start, start..self.comment_end(first), new.map(|new| format!("{new} ")))
            }
        };
        let new = new.unwrap_or_default();
        match self.comments(around).next() {
            Some(old) if column.is_some() => {
                let start = old.start - usize::from(self.sql[..old.start].ends_with(' '));
                self.replaced(start..old.end, &new)
            }
            Some(old) => {
                let end = old.end + usize::from(self.sql[old.end..].starts_with(' '));
                self.replaced(old.start..end, &new)
            }
            None => self.replaced(place..place, &new),
        }
    }

    /// The end of the comment at a position, if there is one.
    fn comment_end(&self, at: usize) -> usize {
        let first = Tokens::new(&self.sql[at..], Dialect::Sqlite).next();
        first.filter(|token| token.text.starts_with("/*")).map_or(at, |token| at + token.text.len())
    }

    /// The comments of PostgreSQL's in a part of the text.
    fn comments(&self, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let start = part.start;
        Tokens::new(&self.sql[part], Dialect::Sqlite)
            .filter(|token| comments::read(token.text).is_some())
            .map(move |token| start + token.start..start + token.start + token.text.len())
    }

    fn replaced(&self, span: Range<usize>, text: &str) -> String {
        [&self.sql[..span.start], text, &self.sql[span.end..]].concat()
    }
}
