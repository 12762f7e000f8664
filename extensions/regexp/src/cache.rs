//! Compiled patterns, which cost far more to make than to use.

use regexes::Regex;
use sqlite_wasm_kit::Result;
use std::cell::RefCell;

/// How many compiled patterns are kept: as many as a statement may well have.
/// A pattern can come from a column, each row with another.
const KEPT: usize = 32;

thread_local! {
    /// The last used at the end.
    static COMPILED: RefCell<Vec<Regex>> = const { RefCell::new(Vec::new()) };
}

/// Use a pattern, compiled now or before.
pub fn with_regex<R>(pattern: &str, act: impl FnOnce(&Regex) -> R) -> Result<R> {
    COMPILED.with_borrow_mut(|compiled| {
        let place = compiled.iter().rposition(|regex| regex.as_str() == pattern);
        match place {
            Some(place) if place + 1 == compiled.len() => {}
            Some(place) => compiled[place..].rotate_left(1),
            None => {
                let regex = compile(pattern)?;
                if compiled.len() == KEPT {
                    compiled.remove(0);
                }
                compiled.push(regex);
            }
        }
        Ok(act(&compiled[compiled.len() - 1]))
    })
}

fn compile(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| {
        // The crate's text draws the pattern on several lines; its last says why.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        let reason = reason.trim_start_matches("error: ");
        format!("regexp: {reason} in `{pattern}`").into()
    })
}

#[cfg(test)]
mod tests {
    use super::{COMPILED, KEPT, with_regex};

    #[test]
    fn the_last_used_are_kept() {
        for number in 0..KEPT + 1 {
            with_regex("first", |_| ()).unwrap();
            with_regex(&format!("x{number}"), |_| ()).unwrap();
        }
        COMPILED.with_borrow(|compiled| {
            assert_eq!(compiled.len(), KEPT);
            let kept = |pattern| compiled.iter().any(|regex| regex.as_str() == pattern);
            assert!(kept("first") && kept("x32") && !kept("x0"));
        });
    }
}
