//! Patterns of LIKE, for operators that have several of them: SQLite has GLOB and its own LIKE for one.

use sqlite_wasm_kit::Result;

use super::syntax::Options;
use super::with;

/// `text operator pattern`.
pub fn matches(text: &str, operator: &str, pattern: &str) -> Result<bool> {
    let (is_not, name) = operator.strip_prefix('!').map_or((false, operator), |name| (true, name));
    let is_match = match name {
        "~~" => like(text, pattern)?,
        "~~*" => like(&text.to_ascii_lowercase(), &pattern.to_ascii_lowercase())?,
        _ => {
            let flags = if name == "~*" { "i" } else { "" };
            with(pattern, Options::of(flags)?, |pattern| Ok(pattern.is_match(text)))?
        }
    };
    Ok(is_match != is_not)
}

/// A part of a pattern.
#[derive(PartialEq)]
enum Part {
    /// `%`
    Any,
    /// `_`
    One,
    Character(char),
}

fn parts(pattern: &str) -> Result<Vec<Part>> {
    let (mut found, mut characters) = (Vec::new(), pattern.chars());
    while let Some(character) = characters.next() {
        found.push(match character {
            '%' if found.last() == Some(&Part::Any) => continue,
            '%' => Part::Any,
            '_' => Part::One,
            '\\' => Part::Character(
                characters
                    .next()
                    .ok_or("22025: LIKE pattern must not end with escape character")?,
            ),
            other => Part::Character(other),
        });
    }
    Ok(found)
}

/// The last `%` takes one character more where the parts after it do not fit.
fn like(text: &str, pattern: &str) -> Result<bool> {
    let parts = parts(pattern)?;
    let (mut rest, mut at) = (text.chars(), 0);
    let mut again: Option<(std::str::Chars<'_>, usize)> = None;
    loop {
        if parts.get(at) == Some(&Part::Any) {
            at += 1;
            again = Some((rest.clone(), at));
            continue;
        }
        let is_other = match (rest.next(), parts.get(at)) {
            (None, None) => return Ok(true),
            (Some(_), Some(Part::One)) => false,
            (Some(own), Some(Part::Character(wanted))) => own != *wanted,
            // No more of the text can help.
            (None, Some(_)) => return Ok(false),
            _ => true,
        };
        at += 1;
        if is_other {
            let Some((from, after)) = &mut again else { return Ok(false) };
            if from.next().is_none() {
                return Ok(false);
            }
            (rest, at) = (from.clone(), *after);
        }
    }
}
