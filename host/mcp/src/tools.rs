//! The tools: what each is for, its arguments, and what it does in a call.

mod execute;
mod query;
mod schema;
mod search;

use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::{Value as Json, json};

use crate::calls::{Call, Failure};
use crate::databases::Access;
use crate::saved;

pub use schema::schema;

/// A tool.
pub struct Tool {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The properties of its arguments, and the names of those that must be there.
    arguments: fn() -> (Json, &'static [&'static str]),
    pub access: Access,
    pub run: fn(&mut Call<'_>, &Arguments<'_>) -> Result<Json, Failure>,
}

/// All of them.
pub const TOOLS: [Tool; 6] = [
    Tool {
        name: "query",
        title: "Query",
        description: "Run one SQL statement of SQLite that reads, with parameters. Returns columns, the types of \
            their values, and rows; `cut` says that there are more rows. Integers that JSON cannot keep are \
            {\"integer\": \"…\"}, blobs {\"hex\": \"…\"}.",
        arguments: query::query_arguments,
        access: Access::ReadOnly,
        run: query::query,
    },
    Tool {
        name: "schema",
        title: "Schema",
        description: "The tables and views, their columns with types and keys, and what can be searched. Call it before \
            the first query.",
        arguments: schema::arguments,
        access: Access::ReadOnly,
        run: schema::run,
    },
    Tool {
        name: "explain",
        title: "Explain",
        description: "How SQLite would run a statement: the order of tables, and their indexes. The statement does not run.",
        arguments: query::explain_arguments,
        access: Access::ReadOnly,
        run: query::explain,
    },
    Tool {
        name: "sample",
        title: "Sample",
        description: "Some rows of a table or view, to see what its values look like.",
        arguments: query::sample_arguments,
        access: Access::ReadOnly,
        run: query::sample,
    },
    Tool {
        name: "search",
        title: "Search",
        description: "Search a table by words (a full-text index), or by a vector (its nearest neighbours). `schema` says \
            which tables can be searched.",
        arguments: search::arguments,
        access: Access::ReadOnly,
        run: search::search,
    },
    Tool {
        name: "execute",
        title: "Execute",
        description: "Run SQL statements that change rows or the schema, in one transaction: all of them, or none. BEGIN, \
            COMMIT and ROLLBACK are not needed.",
        arguments: execute::arguments,
        access: Access::ReadWrite,
        run: execute::execute,
    },
];

impl Tool {
    /// The description for clients; `databases` are the names to choose from.
    pub fn described(&self, databases: &[&str]) -> Described {
        let (mut properties, required) = (self.arguments)();
        let mut required = required.to_vec();
        if databases.len() > 1 {
            required.push("database");
        }
        properties["database"] =
            json!({ "type": "string", "enum": databases, "description": "The database" });
        let schema = json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let reads = self.access == Access::ReadOnly;
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(reads)
            .destructive(!reads)
            .open_world(false);
        let hints = if reads { hints.idempotent(true) } else { hints };
        Described::new(self.name, self.description, schema)
            .with_title(self.title)
            .with_annotations(hints)
    }

    /// Whether it has an argument of this name.
    fn takes(&self, name: &str) -> bool {
        name == "database" || (self.arguments)().0.get(name).is_some()
    }
}

/// The arguments of a call.
pub struct Arguments<'a> {
    json: &'a JsonObject,
    pub saved: &'a saved::All,
}

impl<'a> Arguments<'a> {
    /// # Errors
    ///
    /// For an argument that the tool does not have.
    pub fn new(tool: &Tool, json: &'a JsonObject, saved: &'a saved::All) -> Result<Self, Failure> {
        match json.keys().find(|name| !tool.takes(name)) {
            Some(name) => {
                Err(Failure::argument(format!("the tool `{}` has no argument `{name}`", tool.name)))
            }
            None => Ok(Self { json, saved }),
        }
    }

    /// An argument as it is.
    fn get(&self, name: &str) -> Option<&'a Json> {
        self.json.get(name).filter(|value| !value.is_null())
    }

    /// A text that may be missing.
    ///
    /// # Errors
    ///
    /// If it is not a text.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        let text = |json: &'a Json| {
            json.as_str().ok_or_else(|| Failure::argument(format!("`{name}` is a string")))
        };
        self.get(name).map(text).transpose()
    }

    /// A text that must be there.
    fn needed(&self, name: &str) -> Result<&'a str, Failure> {
        self.text(name)?
            .ok_or_else(|| Failure::argument(format!("the argument `{name}` is missing")))
    }

    /// A count of rows, which may be missing.
    fn count(&self, name: &str) -> Result<Option<u32>, Failure> {
        let count = |json: &Json| {
            let count = json.as_u64().and_then(|count| u32::try_from(count).ok());
            count.ok_or_else(|| Failure::argument(format!("`{name}` is a number of rows")))
        };
        self.get(name).map(count).transpose()
    }
}
