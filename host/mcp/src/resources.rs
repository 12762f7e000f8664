//! Resources: the schema of each database, and the saved queries.

use rmcp::model::{Resource, ResourceContents};

use crate::calls::{Call, Failure};
use crate::databases::{Access, Databases};
use crate::options::Limits;
use crate::{saved, tools};

const SCHEMA: &str = "sqlite://schema/";
const QUERY: &str = "sqlite://query/";

/// All resources.
pub fn list(databases: &Databases, saved: &saved::All) -> Vec<Resource> {
    let schemas = databases.iter().map(|offered| {
        let name = &offered.named.name;
        let resource =
            Resource::new(format!("{SCHEMA}{}", encoded(name)), format!("schema of {name}"));
        resource
            .with_description("Tables, views and their columns")
            .with_mime_type("application/json")
    });
    let queries = saved.iter().map(|(name, saved)| {
        let resource = Resource::new(format!("{QUERY}{}", encoded(name)), name.clone());
        resource.with_description(saved.description.clone()).with_mime_type("application/sql")
    });
    schemas.chain(queries).collect()
}

/// A resource by its URI; `None` if it does not exist.
///
/// # Errors
///
/// Where the schema cannot be read.
pub fn read(
    uri: &str,
    databases: &Databases,
    saved: &saved::All,
    limits: Limits,
) -> Result<Option<ResourceContents>, Failure> {
    if let Some(name) = uri.strip_prefix(SCHEMA) {
        let Some(offered) = databases.iter().find(|offered| encoded(&offered.named.name) == name)
        else {
            return Ok(None);
        };
        let call = Call::begin(databases, offered, Access::ReadOnly, limits, |_| ())?;
        let text = tools::schema(call.catalog()).to_string();
        return Ok(Some(ResourceContents::text(text, uri).with_mime_type("application/json")));
    }
    let name = uri.strip_prefix(QUERY).unwrap_or_default();
    let found = saved.iter().find(|(other, _)| encoded(other) == name);
    Ok(found.map(|(_, saved)| {
        ResourceContents::text(saved.sql.clone(), uri).with_mime_type("application/sql")
    }))
}

/// A name as a part of a URI.
fn encoded(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_uris() {
        assert_eq!(encoded("a-b.c"), "a-b.c");
        assert_eq!(encoded("a/é %"), "a%2F%C3%A9%20%25");
    }
}
