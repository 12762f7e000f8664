//! Claims about an extension, in its own custom sections and in files of grants:
//! any bytes.

use std::fs;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;

use crate::ended;
use crate::support::attacker;
use crate::support::composed::shipped;
use crate::support::generated::with_custom_section;
use crate::support::{self, Directory};

/// Words of JSON and TOML, and of neither.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "\n",
    "\"name\"",
    "\"functions\"",
    "\"needs\"",
    "grants",
    "\"sql\"",
    "\"uuid\"",
    "\"dir:/\"",
    "null",
    "true",
    "-1",
    "1e999",
    "\"\\u001b[2J\"",
    "\u{1b}",
    "\u{9b}2J",
    "\u{202e}",
    "\"",
    "'",
    "\0",
    "[x]",
    "[[extension]]",
    "sha256",
    "\"version\"",
    "\"description\"",
    "\"arguments\"",
    "18446744073709551616",
];

fn text(random: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..random.int_in_range(0..=40)? {
        text.push_str(random.choose(WORDS)?);
    }
    Ok(text)
}

#[test]
fn random_claims_are_refused_or_shown_as_text() {
    let directory = Directory::fresh("claims");
    let uuid = fs::read(shipped("uuid")).expect("it is there");
    arbtest(|random| {
        let claims = text(random)?;
        let name = random.choose(&["sqlite-wasm:manifest", "sqlite-wasm:composition", "name"])?;
        let file = with_custom_section(&uuid, name, claims.as_bytes());
        fs::write(directory.path().join("x.wasm"), file).expect("the directory is ours");
        fs::write(directory.path().join("grants.toml"), &claims).expect("the directory is ours");
        for args in [
            &["extension", "inspect", "./x.wasm"][..],
            &["extension", "inspect", "--json", "./x.wasm"],
            &["--grants", "grants.toml", ":memory:", "SELECT 1"],
        ] {
            let run = support::ours(&directory.path(), args);
            ended(&run);
            attacker::is_escaped(&run.stdout, "\u{1b}", &run);
            attacker::is_escaped(&run.stderr, "\u{1b}", &run);
        }
        Ok(())
    })
    .budget_ms(support::budget_ms());
}
