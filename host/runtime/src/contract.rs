//! The contract with extensions: its types, its versions, and what a manifest must keep to.

pub(crate) mod bindings;
pub(crate) mod check;
pub mod composition;
pub mod script;
pub mod types;
mod values;
pub(crate) mod version;

use types::Need;
pub(crate) use values::{Filled, Source};

/// A capability as the option `--grant` names it.
pub(crate) fn need(need: &Need) -> String {
    match need {
        Need::Sql => "sql".into(),
        Need::SqlReadOnly => "sql:ro".into(),
        Need::Directory(purpose) => format!("dir ({purpose})"),
        Need::Environment(name) => format!("env:{name}"),
    }
}
