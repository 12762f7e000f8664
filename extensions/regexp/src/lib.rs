//! regexp: regular expressions in linear time.
//!
//! - `X REGEXP PATTERN`, `regexp(PATTERN, X)`, `regexp_like(X, PATTERN)`:
//!   whether X contains a match of PATTERN
//! - `regexp_substr(X, PATTERN)`: the first match, or NULL
//! - `regexp_capture(X, PATTERN, N)`: group N of the first match, or NULL. N is 0,
//!   the whole match, if omitted
//! - `regexp_replace(X, PATTERN, REPLACEMENT)`: X with all matches replaced; `$1` to
//!   `$9`, `${12}` and `${name}` stand for groups, `$$` for `$`
//!
//! The names are sqlean's. The syntax is that of the Rust crate regex, without
//! backreferences and look-around, so every pattern takes linear time. NULL gives
//! NULL; an invalid pattern is an error.

mod cache;

use cache::with_regex;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar};

const SCALARS: &[Scalar] = &[
    Scalar::new("regexp", 2, Stable, Innocuous, |a| a.apply(regexp)),
    Scalar::new("regexp_like", 2, Stable, Innocuous, |a| a.apply(like)),
    Scalar::new("regexp_substr", 2, Stable, Innocuous, |a| a.apply(substr)),
    Scalar::new("regexp_capture", 2, Stable, Innocuous, |a| a.apply(capture)),
    Scalar::new("regexp_capture", 3, Stable, Innocuous, |a| a.apply(capture)),
    Scalar::new("regexp_replace", 3, Stable, Innocuous, |a| a.apply(replace)),
];

sqlite_wasm_kit::extension! {
    name: "regexp",
    description: "regular expressions in linear time",
    scalars: SCALARS,
}

/// The operator's function has the pattern first.
fn regexp(pattern: String, text: String) -> Result<bool> {
    with_regex(&pattern, |regex| regex.is_match(&text))
}

fn like(text: String, pattern: String) -> Result<bool> {
    regexp(pattern, text)
}

fn substr(text: String, pattern: String) -> Result<Option<String>> {
    with_regex(&pattern, |regex| regex.find(&text).map(|found| found.as_str().into()))
}

fn capture(text: String, pattern: String, group: Option<i64>) -> Result<Option<String>> {
    let Ok(group) = usize::try_from(group.unwrap_or(0)) else {
        return Err("regexp_capture: the group must be 0 or more".into());
    };
    with_regex(&pattern, |regex| {
        let found = regex.captures(&text)?;
        found.get(group).map(|group| group.as_str().into())
    })
}

fn replace(text: String, pattern: String, replacement: String) -> Result<String> {
    let replacement = numbered(&replacement);
    with_regex(&pattern, |regex| regex.replace_all(&text, replacement).into_owned())
}

/// `$1a` is the group 1 and an `a`; the crate would look for a group `1a`.
fn numbered(replacement: &str) -> String {
    let mut result = String::with_capacity(replacement.len());
    let mut letters = replacement.chars().peekable();
    while let Some(letter) = letters.next() {
        result.push(letter);
        if letter != '$' {
            continue;
        }
        match letters.next_if(|next| *next == '$' || next.is_ascii_digit()) {
            Some('$') => result.push('$'),
            Some(digit) => result.extend(['{', digit, '}']),
            None => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{capture, like, regexp, replace, substr};

    #[test]
    fn matches_anywhere_and_in_unicode() {
        assert_eq!(regexp("b+".into(), "abbc".into()), Ok(true));
        assert_eq!(like("größe".into(), r"^\w{5}$".into()), Ok(true));
        assert_eq!(like("abc".into(), "^b".into()), Ok(false));
        assert_eq!(like("".into(), "".into()), Ok(true));
    }

    #[test]
    fn parts_are_taken_out() {
        let text = || String::from("the year is 2021");
        assert_eq!(substr(text(), "[0-9]+".into()), Ok(Some("2021".into())));
        assert_eq!(substr(text(), "x".into()), Ok(None));
        let groups = || String::from(r"\d\d(\d)(x)?");
        assert_eq!(capture(text(), groups(), Some(1)), Ok(Some("2".into())));
        assert_eq!(capture(text(), groups(), None), Ok(Some("202".into())));
        assert_eq!(capture(text(), groups(), Some(2)), Ok(None));
        assert_eq!(capture(text(), groups(), Some(9)), Ok(None));
        assert!(capture(text(), groups(), Some(-1)).is_err());
    }

    #[test]
    fn all_matches_are_replaced() {
        let text = "a1b22".into();
        assert_eq!(replace(text, r"(\d+)".into(), "<$1>".into()), Ok("a<1>b<22>".into()));
        let cases = [("$1st", "7st"), ("$$1", "$1"), ("${1}0", "70"), ("$0$", "7$"), ("$12", "72")];
        for (replacement, result) in cases {
            let replaced = replace("7".into(), "(7)".into(), replacement.into());
            assert_eq!(replaced.as_deref(), Ok(result), "{replacement}");
        }
    }

    #[test]
    fn a_wrong_pattern_is_a_named_error_on_one_line() {
        let error = regexp("a(".into(), "a".into()).unwrap_err();
        assert_eq!(error.message, "regexp: unclosed group in `a(`");
    }
}
