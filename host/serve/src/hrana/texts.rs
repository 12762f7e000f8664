//! SQL that a client has stored, by its id.

use std::collections::HashMap;

use super::request::Text;
use crate::session::error::{Error, Result};

/// Limits on the stored texts of a client, and on their bytes: a client stores frequent statements.
const MAX_TEXTS: usize = 1000;
const MAX_BYTES: usize = 1 << 20;

/// The stored texts.
#[derive(Debug, Default)]
pub struct Texts {
    texts: HashMap<i32, String>,
    bytes: usize,
}

impl Texts {
    /// # Errors
    ///
    /// If the id is in use, or too much is stored.
    pub fn store(&mut self, id: i32, sql: String) -> Result<()> {
        if self.texts.contains_key(&id) {
            return Err(Error::Request(format!("SQL text {id} is stored already")));
        }
        if self.texts.len() >= MAX_TEXTS || self.bytes + sql.len() > MAX_BYTES {
            return Err(Error::Request("too many SQL texts are stored".to_owned()));
        }
        self.bytes += sql.len();
        self.texts.insert(id, sql);
        Ok(())
    }

    pub fn close(&mut self, id: i32) {
        if let Some(sql) = self.texts.remove(&id) {
            self.bytes -= sql.len();
        }
    }

    /// The SQL of a request.
    ///
    /// # Errors
    ///
    /// Where it names none, two, or one that is not stored.
    pub fn find<'a>(&'a self, sql: Option<&'a str>, id: Option<i32>) -> Result<&'a str> {
        match (sql, id) {
            (Some(sql), None) => Ok(sql),
            (None, Some(id)) => match self.texts.get(&id) {
                Some(sql) => Ok(sql),
                None => Err(Error::Request(format!("SQL text {id} is not stored"))),
            },
            _ => Err(Error::Request("exactly one of `sql` and `sql_id` is needed".to_owned())),
        }
    }

    /// The same for a text.
    ///
    /// # Errors
    ///
    /// As [`Self::find`].
    pub fn find_text<'a>(&'a self, text: &'a Text) -> Result<&'a str> {
        self.find(text.sql.as_deref(), text.sql_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_bounded() {
        let mut texts = Texts::default();
        texts.store(1, "x".repeat(MAX_BYTES)).unwrap();
        assert!(texts.store(1, String::new()).is_err());
        assert!(texts.store(2, "y".to_owned()).is_err());
        texts.close(1);
        texts.close(1);
        for id in 0..MAX_TEXTS {
            texts.store(id as i32, String::new()).unwrap();
        }
        assert!(texts.store(-1, String::new()).is_err());
        assert_eq!(texts.find(None, Some(5)).unwrap(), "");
        assert!(texts.find(None, Some(-1)).is_err());
        assert!(texts.find(Some("x"), Some(5)).is_err() && texts.find(None, None).is_err());
    }
}
