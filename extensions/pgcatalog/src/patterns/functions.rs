//! Functions of regular expressions.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar, Value};

use super::syntax::{self, Options};
use super::{Pattern, check_length, with, with_source};
use crate::arrays;
use crate::texts::{MAX_BYTES, too_long};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_regex", 3, |text: String, pattern: String, flags: String| {
        with(&pattern, Options::of(&flags)?, |pattern| Ok(pattern.is_match(&text)))
    }),
    function!("pg_bool_similar", 2, |text: String, pattern: String| {
        similar(&text, &pattern, Some('\\'))
    }),
    function!("pg_bool_similar", 3, similar_escaped),
    function!("pg_bool_regexp_like", 2, |text: String, pattern: String| {
        with(&pattern, Options::default(), |pattern| Ok(pattern.is_match(&text)))
    }),
    function!("pg_bool_regexp_like", 3, |text: String, pattern: String, flags: String| {
        with(
            &pattern,
            without_global(&flags, "regexp_like")?,
            |pattern| Ok(pattern.is_match(&text)),
        )
    }),
    function!("pg_int4_regexp_count", 2, |text: String, pattern: String| {
        count(&text, &pattern, 1, "")
    }),
    function!("pg_int4_regexp_count", 3, |text: String, pattern: String, from: i64| {
        count(&text, &pattern, from, "")
    }),
    function!("pg_int4_regexp_count", 4, |text: String,
                                          pattern: String,
                                          from: i64,
                                          flags: String| {
        count(&text, &pattern, from, &flags)
    }),
    function!("pg_text_regexp_replace", 3, |text: String, pattern: String, with: String| {
        replace(&text, &pattern, &with, "")
    }),
    function!(
        "pg_text_regexp_replace",
        4,
        |text: String, pattern: String, with: String, flags: String| {
            replace(&text, &pattern, &with, &flags)
        }
    ),
    function!("pg_text_regexp_substr", 2, |text: String, pattern: String| {
        with(&pattern, Options::default(), |pattern| {
            Ok(pattern.find(&text, 0)?.map(|found| text[found].to_owned()))
        })
    }),
    function!("pg_text_regexp_part", 2, |text: String, pattern: String| {
        with(&pattern, Options::default(), |pattern| {
            let place = pattern.group_count().min(1);
            let Some(groups) = pattern.groups(&text, 0)? else { return Ok(None) };
            Ok(groups.get(place).map(|found| found.as_str().to_owned()))
        })
    }),
    function!("pg_array_regexp_match", 4, first_match),
    function!("pg_array_regexp_split", 4, split),
];

/// The groups of the first match, or the whole of it, as an array.
fn first_match(text: String, pattern: String, flags: String, _: String) -> Result<Option<String>> {
    with(&pattern, without_global(&flags, "regexp_match")?, |pattern| {
        let Some(groups) = pattern.groups(&text, 0)? else { return Ok(None) };
        let skipped = pattern.group_count().min(1);
        let group = |group: Option<regexes::Match<'_>>| {
            group.map_or(Value::Null, |group| Value::text(group.as_str()))
        };
        Ok(Some(arrays::json(&groups.iter().skip(skipped).map(group).collect::<Vec<_>>())))
    })
}

/// The parts between the matches. An empty match at either end, or right behind another, does not split.
fn split(text: String, pattern: String, flags: String, _: String) -> Result<String> {
    let mut parts = Vec::new();
    with(&pattern, without_global(&flags, "regexp_split_to_array")?, |pattern| {
        let mut begin = 0;
        each(&text, 0, true, |at| {
            let found = pattern.find(&text, at)?;
            if let Some(found) = &found
                && !(found.is_empty() && (found.start == begin || found.end == text.len()))
            {
                if parts.len() == arrays::MAX_ELEMENTS {
                    return Err(arrays::too_many());
                }
                parts.push(Value::text(&text[begin..found.start]));
                begin = found.end;
            }
            Ok(found)
        })?;
        parts.push(Value::text(&text[begin..]));
        Ok(())
    })?;
    Ok(arrays::json(&parts))
}

fn similar(text: &str, pattern: &str, escape: Option<char>) -> Result<bool> {
    check_length(pattern)?;
    with_source(syntax::of_similar(pattern, escape)?, |pattern| Ok(pattern.is_match(text)))
}

fn similar_escaped(text: String, pattern: String, escape: Value) -> Result<Option<bool>> {
    if escape.is_null() {
        return Ok(None);
    }
    let escape = escape.into_bytes();
    let escape = String::from_utf8_lossy(&escape);
    let mut letters = escape.chars();
    match (letters.next(), letters.next()) {
        (first, None) => similar(&text, &pattern, first).map(Some),
        _ => Err("22025: invalid escape string".into()),
    }
}

/// The options of a function that finds all matches by itself.
fn without_global(flags: &str, name: &str) -> Result<Options> {
    let options = Options::of(flags)?;
    if options.is_global {
        Err(format!("22023: {name}() does not support the \"global\" option").into())
    } else {
        Ok(options)
    }
}

/// All matches, or the first, one after the other. An empty one is followed by the next letter.
fn each(
    text: &str,
    from: usize,
    is_global: bool,
    mut act: impl FnMut(usize) -> Result<Option<std::ops::Range<usize>>>,
) -> Result<()> {
    let mut at = from;
    while at <= text.len() {
        let Some(found) = act(at)? else { break };
        if !is_global {
            break;
        }
        at = if found.is_empty() {
            found.end + text[found.end..].chars().next().map_or(1, char::len_utf8)
        } else {
            found.end
        };
    }
    Ok(())
}

fn count(text: &str, pattern: &str, from: i64, flags: &str) -> Result<i64> {
    let options = without_global(flags, "regexp_count")?;
    let Some(place) = usize::try_from(from).ok().and_then(|from| from.checked_sub(1)) else {
        return Err(format!("22023: invalid value for parameter \"start\": {from}").into());
    };
    let start = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(place);
    let Some(start) = start else { return Ok(0) };
    let mut number = 0;
    with(pattern, options, |pattern| {
        each(text, start, true, |at| {
            let found = pattern.find(text, at)?;
            number += i64::from(found.is_some());
            Ok(found)
        })
    })?;
    Ok(number)
}

fn replace(text: &str, pattern: &str, by: &str, flags: &str) -> Result<String> {
    if let Some(first) = flags.chars().next().filter(char::is_ascii_digit) {
        let message = format!("22023: invalid regular expression option: \"{first}\"");
        return Err(message.into());
    }
    let options = Options::of(flags)?;
    with(pattern, options, |pattern| {
        let (mut out, mut copied) = (String::new(), 0);
        let has_groups = has_groups(by);
        each(text, 0, options.is_global, |at| {
            let found = pattern.find(text, at)?;
            if let Some(found) = &found {
                out.push_str(&text[copied..found.start]);
                copied = found.end;
                push(&mut out, by, text, found, has_groups.then_some((&mut *pattern, at)))?;
            }
            Ok(found)
        })?;
        out.push_str(&text[copied..]);
        Ok(out)
    })
}

/// Whether a replacement names a group.
fn has_groups(by: &str) -> bool {
    let mut letters = by.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' && letters.next().is_some_and(|next| matches!(next, '1'..='9')) {
            return true;
        }
    }
    false
}

/// A replacement: `\1` is a group, `\&` the match, and `\\` a backslash.
fn push(
    out: &mut String,
    by: &str,
    text: &str,
    found: &std::ops::Range<usize>,
    of_groups: Option<(&mut Pattern, usize)>,
) -> Result<()> {
    let groups = match of_groups {
        Some((pattern, at)) => pattern.groups(text, at)?,
        None => None,
    };
    let mut letters = by.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = if letter == '\\' { letters.peek().copied() } else { None };
        match next {
            Some('&') => out.push_str(&text[found.clone()]),
            Some('\\') => out.push('\\'),
            Some(digit @ '1'..='9') => {
                let place = digit.to_digit(10).unwrap_or_default() as usize;
                let group = groups.as_ref().and_then(|groups| groups.get(place));
                out.push_str(group.map_or("", |group| group.as_str()));
            }
            _ => {
                out.push(letter);
                continue;
            }
        }
        letters.next();
    }
    if out.len() <= MAX_BYTES { Ok(()) } else { Err(too_long()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As PostgreSQL 15 answers.
    #[test]
    fn matches_are_the_longest_and_replaced() {
        for (text, pattern, by, flags, wanted) in [
            ("abcab", "a|ab", "-", "g", "-c-"),
            ("baab", "a*", "-", "g", "-b--b-"),
            ("abc", "x*", "-", "g", "-a-b-c-"),
            ("Hello World", "(\\w+) (\\w+)", "\\2 \\1", "", "World Hello"),
            ("aXbX", "x", "[\\&]", "gi", "a[X]b[X]"),
            ("a\nb", "a.b", "z", "", "z"),
            ("abc", "b", "\\\\\\q", "", "a\\\\qc"),
            ("the cat catalog", "\\ycat\\y", "dog", "g", "the dog catalog"),
        ] {
            let found = replace(text, pattern, by, flags);
            assert_eq!(found.as_deref(), Ok(wanted), "{text} {pattern}");
        }
        assert!(replace("a", "(a|b)", "\\1", "").is_err());
        assert!(replace("a", "a*?", "x", "").is_err());
        assert_eq!(count("abcabc", "b", 3, ""), Ok(1));
        assert!(count("a", "a", 0, "").is_err() && count("a", "a", 1, "g").is_err());
    }

    #[test]
    fn similar_patterns() {
        let is = |text, pattern| similar(text, pattern, Some('\\')).unwrap();
        assert!(
            is("abc", "%(b|d)%") && !is("abc", "(b|d)%") && is("a.c", "a.c") && !is("abc", "a.c")
        );
        assert!(is("a%", "a\\%") && is("aaa", "a{3}") && is("x\ny", "x_y"));
    }
}
