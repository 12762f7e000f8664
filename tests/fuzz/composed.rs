//! Composed files with random damage: each is refused, or what it says lies
//! inside it.

use std::fs;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;

use crate::support::attacker;
use crate::support::composed::{Composed, shipped};
use crate::support::generated::{Program, with_custom_section};
use crate::support::{self, Directory};
use crate::{damage, ended};

/// A composed program that is small, so that it is compiled at once: the list of
/// a real one behind a program that does nothing.
fn small() -> (Vec<u8>, usize) {
    let composed = Composed::with("list", &["uuid", "sha3query"]);
    let whole = fs::read(composed.portable()).expect("it was just made");
    let (json, _) = attacker::list_of(&whole);
    let program = Program::new(vec![]).encode();
    let bundled = fs::read(shipped("sha3query")).expect("it is there");
    let with_bundled = with_custom_section(&program, "sqlite-wasm:extension", &bundled);
    let mut list: serde_json::Value = serde_json::from_str(&json).expect("the list is JSON");
    list["component_bytes"] = program.len().into();
    list["cli"] = serde_json::json!({ "start": 0, "end": program.len() });
    let (end, length) = (with_bundled.len(), bundled.len());
    let extensions = list["extensions"].as_array_mut().expect("a list");
    extensions.retain(|one| one["placement"]["bundled"].is_object());
    extensions[0]["placement"]["bundled"]["range"] =
        serde_json::json!({ "start": end - length, "end": end });
    (attacker::with_list(&with_bundled, &list.to_string(), &whole), end)
}

/// Replace a value, text or list of the JSON by another one.
fn other_values(random: &mut Unstructured<'_>, json: &str) -> Result<String> {
    const VALUES: &[&str] = &[
        "0",
        "-1",
        "1e400",
        "18446744073709551615",
        "null",
        "[]",
        "{}",
        "\"\"",
        "\"\\u0000\"",
        "\"\\u001b[2J\"",
        "[[[[]]]]",
        "{\"start\":1,\"end\":0}",
        "true",
    ];
    let mut json = json.to_owned();
    for _ in 0..random.int_in_range(1..=3)? {
        let starts: Vec<usize> = json.match_indices(':').map(|(at, _)| at + 1).collect();
        let start = *random.choose(&starts)?;
        let end = json[start..].find([',', '}', ']']).map_or(json.len(), |length| start + length);
        json.replace_range(start..end, random.choose(VALUES)?);
    }
    Ok(json)
}

#[test]
fn damaged_compositions_are_refused_or_sound() {
    let directory = Directory::fresh("composed");
    let (whole, end) = small();
    let (json, _) = attacker::list_of(&whole);
    let other = fs::read(shipped("uuid")).expect("it is there");
    let path = directory.path().join("x.wasm");
    arbtest(|random| {
        let file = match random.int_in_range(0..=2)? {
            0 => damage(random, &whole, &other)?,
            _ => attacker::with_list(&whole[..end], &other_values(random, &json)?, &whole),
        };
        fs::write(&path, &file).expect("the directory is ours");
        for args in [
            &["--timeout", "5", "x.wasm"][..],
            &["extension", "inspect", "./x.wasm"],
            &["precompile", "x.wasm", "-o", "x.cwasm"],
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
