//! The parameters of a statement.

use sql_tokens::{Dialect, Kind, Tokens};

/// The parameters of a statement, with the indexes that SQLite gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// By index, from 1; empty for those without a name.
    names: Vec<String>,
}

impl Parameters {
    /// The parameters of a text.
    pub fn of(sql: &str) -> Self {
        let mut parameters = Self::default();
        let tokens = Tokens::new(sql, Dialect::Sqlite);
        for token in tokens.filter(|token| token.kind == Kind::Parameter) {
            parameters.number(token.text);
        }
        parameters
    }

    /// The index of a parameter that occurs in the text.
    pub fn number(&mut self, parameter: &str) -> usize {
        let digits = parameter.strip_prefix('?').unwrap_or_default();
        if let Ok(number) = digits.parse::<u16>() {
            let number = usize::from(number);
            self.names.resize(self.names.len().max(number), String::new());
            return number;
        }
        let is_known = |name: &String| !name.is_empty() && name == parameter;
        if let Some(place) = self.names.iter().position(is_known) {
            return place + 1;
        }
        self.names.push(parameter.trim_start_matches('?').to_owned());
        self.names.len()
    }

    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// By index: the name without its `:`, or the index itself.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (1..).zip(&self.names).map(|(number, name): (usize, _)| match name.get(1..) {
            Some(name) => name.to_owned(),
            None => number.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_as_sqlite_does() {
        let names = |sql| Parameters::of(sql).names().collect::<Vec<_>>();
        assert_eq!(names("? - ?"), ["1", "2"]);
        assert_eq!(names("?2 - ?1"), ["1", "2"]);
        assert_eq!(names(":x - @y + :x"), ["x", "y"]);
        assert_eq!(names("?3 + ? + :z"), ["1", "2", "3", "4", "z"]);
        assert_eq!(names("':x' + \"?\""), [""; 0]);
    }
}
