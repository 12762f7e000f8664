//! Rows as compact JSON, cut at limits.

use serde_json::{Value as Json, json};
use sqlite_sandbox::types::Type;
use sqlite_sandbox::{Result, Row, Statement};

use crate::values::encoded;

/// The rows of a statement, as far as the limits allow.
#[derive(Debug)]
pub struct Rows {
    columns: Vec<String>,
    /// The storage class of each column's values: none while all are NULL.
    types: Vec<Class>,
    rows: Vec<Json>,
    cut: Option<String>,
    /// Rows that a statement has changed; `None` for a query.
    pub changes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Unknown,
    One(Type),
    Mixed,
}

impl Class {
    fn with(self, found: Type) -> Self {
        match self {
            _ if found == Type::Null => self,
            Self::Unknown => Self::One(found),
            Self::One(known) if known == found => self,
            _ => Self::Mixed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Unknown | Self::One(Type::Null) => "null",
            Self::One(Type::Integer) => "integer",
            Self::One(Type::Real) => "real",
            Self::One(Type::Text) => "text",
            Self::One(Type::Blob) => "blob",
            Self::Mixed => "mixed",
        }
    }
}

impl Rows {
    /// Run a statement, and encode at most `most` rows, of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn read(statement: &mut Statement<'_>, most: u32, bytes: usize) -> Result<Self> {
        let columns: Vec<String> =
            statement.column_names().into_iter().map(str::to_owned).collect();
        let types = vec![Class::Unknown; columns.len()];
        let mut all = Self { columns, types, rows: Vec::new(), cut: None, changes: None };
        let writes = !statement.readonly();
        let mut rows = statement.raw_query().read_whole();
        let mut used = 0_usize;
        while let Some(row) = rows.next()? {
            if all.cut.is_some() {
                continue;
            }
            let row = all.encode(row)?;
            used += row.to_string().len() + 1;
            if all.rows.len() >= most as usize {
                all.cut = Some(format!(
                    "cut after {most} rows: there are more; use LIMIT, OFFSET, WHERE or an aggregate"
                ));
            } else if used > bytes {
                all.cut = Some(format!(
                    "cut after {} rows at {bytes} bytes: there are more; name fewer columns, or use substr()",
                    all.rows.len()
                ));
            } else {
                all.rows.push(row);
            }
            // A statement that writes is run to its end.
            if all.cut.is_some() && !writes {
                break;
            }
        }
        Ok(all)
    }

    fn encode(&mut self, row: &Row<'_>) -> Result<Json> {
        let mut values = Vec::with_capacity(self.types.len());
        for (index, class) in self.types.iter_mut().enumerate() {
            let value = row.get_ref(index)?;
            *class = class.with(value.data_type());
            values.push(encoded(value));
        }
        Ok(Json::Array(values))
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.changes.unwrap_or(self.rows.len() as u64)
    }

    /// The values of a column that are texts.
    pub fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| row.get(column)?.as_str())
    }

    /// All as JSON.
    pub fn into_json(self) -> Json {
        let types: Vec<&str> = self.types.iter().map(|class| class.name()).collect();
        let mut json = json!({});
        if !self.columns.is_empty() {
            json = json!({ "columns": self.columns, "types": types });
            // `json!` would copy each value.
            json["rows"] = Json::Array(self.rows);
        }
        if let Some(changes) = self.changes {
            json["changes"] = changes.into();
        }
        if let Some(cut) = self.cut {
            json["cut"] = cut.into();
        }
        json
    }
}
