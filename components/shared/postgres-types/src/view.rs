//! The types of the columns that a view computes, which SQLite does not know: the view has them in a comment after AS.

/// What the comment begins with.
pub const BEGIN: &str = "/* types: ";

/// The names and types in the definition of a view.
pub fn types(sql: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Some(at) = sql.find(BEGIN) else { return found };
    let mut rest = &sql[at + BEGIN.len()..];
    while let Some((name, after)) = name(rest) {
        let end = after.find(" */").unwrap_or(after.len());
        let end = after[..end].find("; ").unwrap_or(end);
        found.push((name, after[..end].trim().to_owned()));
        rest = after[end..].strip_prefix("; ").unwrap_or_default();
    }
    found
}

/// The name in quotes that a text begins with, and what follows.
fn name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, after)),
        }
    }
}
