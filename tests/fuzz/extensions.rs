//! Random values through an extension, and random damage to extensions.
//!
//! Each test takes some seconds; `make fuzz FUZZ_MS=3600000` is the long form. A failure names
//! a seed, with which it happens again.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::guest::{Loaded, guest};
use crate::support::{self, Directory, End};
use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use sqlite_wasm_runtime::artifact::compiler::Compiler;
use sqlite_wasm_runtime::extensions::inspect::{Describe, Inspection};
use sqlite_wasm_runtime::extensions::{ExtensionsCtx, Limits};
use wire::Opcode;

/// Values in one run of the program.
const VALUES: usize = 200;

/// A value as SQL.
fn value(random: &mut Unstructured<'_>) -> Result<String> {
    Ok(match random.int_in_range(0..=6)? {
        0 => "NULL".into(),
        1 => random.arbitrary::<i64>()?.to_string(),
        2 => random.choose(&["-9223372036854775808", "9223372036854775807", "0"])?.to_string(),
        3 => real(random.arbitrary()?),
        4 => real(f64::from(random.arbitrary::<f32>()?)),
        5 => format!("CAST(x'{}' AS TEXT)", bytes(random)?),
        _ => format!("x'{}'", bytes(random)?),
    })
}

fn real(number: f64) -> String {
    match number {
        number if number.is_nan() => "NULL".into(),
        number if number.is_infinite() => format!("{}9e999", if number < 0.0 { "-" } else { "" }),
        number => format!("{number:e}"),
    }
}

fn bytes(random: &mut Unstructured<'_>) -> Result<String> {
    let count = random.int_in_range(0..=40)?;
    let bytes = random.bytes(count.min(random.len()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[test]
fn values_come_back_as_they_went() {
    let loaded = Loaded::guest("conformance", "values");
    arbtest(|random| {
        let mut script = "CREATE TEMP TABLE plain AS SELECT b FROM conf_scan;\n".to_owned();
        for _ in 0..VALUES {
            let value = value(random)?;
            // Scalar, aggregate and plan; a line for each that is not the same.
            let _ = writeln!(
                script,
                "WITH v(x) AS MATERIALIZED (SELECT {value}) SELECT quote(x) FROM v
                 WHERE conf_echo(x) IS NOT x OR typeof(conf_echo(x)) <> typeof(x)
                   OR hex(conf_echo(x)) <> hex(x)
                   OR conf_written(x) IS NOT iif(typeof(x) IN ('integer', 'real'), CAST(x AS TEXT), x)
                   OR (SELECT conf_list(y) FROM (SELECT x AS y)) <> '[' || conf_join(x) || ']'
                   OR (SELECT count(*) FROM conf_scan s WHERE s.b IS x) <> (SELECT count(*)
                         FROM plain WHERE plain.b IS x);"
            );
        }
        loaded.answers(&script, &[]);
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

/// Fails unless the refusal is one line, or all that is registered keeps the
/// host's rules.
fn is_sound(inspection: &Inspection) {
    if let Some(refusal) = &inspection.refusal {
        assert!(!refusal.contains(char::is_control), "{refusal:?}");
        assert!((1..4000).contains(&refusal.len()), "{refusal:?}");
        return;
    }
    let offer = inspection.offer.as_ref().expect("it is refused, or offers something");
    let functions = offer.functions.iter().map(|function| &function.name);
    let modules = offer.modules.iter().map(|module| &module.name);
    for name in functions.chain(modules).chain(&offer.collations).chain([&offer.name]) {
        assert!((1..=255).contains(&name.len()) && !name.contains(char::is_control), "{name:?}");
    }
    assert!(offer.functions.iter().all(|function| function.arguments >= -1));
}

fn inspect(path: &Path) -> Inspection {
    let limits = Limits { call_time: Duration::from_millis(200), ..Limits::default() };
    let mut extensions = ExtensionsCtx::new(vec![])
        .limits(limits)
        .compiler(Compiler::default().helper(support::helper()));
    extensions.inspect("damaged", path, Describe::Run).expect("the file can be read")
}

#[test]
fn damaged_extensions_are_refused_or_sound() {
    let directory = Directory::fresh("damaged");
    let path = directory.path().join("damaged.wasm");
    let whole = fs::read(guest("malicious")).expect("it is there");
    arbtest(|random| {
        let mut damaged = whole.clone();
        for _ in 0..random.int_in_range(1..=8)? {
            let place = random.int_in_range(8..=damaged.len() - 1)?;
            damaged[place] = random.arbitrary()?;
        }
        fs::write(&path, &damaged).expect("the directory is ours");
        is_sound(&inspect(&path));
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

/// Damage the texts and integers of the manifest: they are in the data at the end of the memory's
/// image, found by the names in them.
#[test]
fn damaged_manifests_are_refused_or_sound() {
    let directory = Directory::fresh("manifest");
    let path = directory.path().join("damaged.wasm");
    let whole = fs::read(guest("malicious")).expect("it is there");
    let names: Vec<usize> =
        (0..whole.len()).filter(|&place| whole[place..].starts_with(b"malicious_")).collect();
    assert!(!names.is_empty(), "the names are in the file");
    arbtest(|random| {
        let mut damaged = whole.clone();
        for _ in 0..random.int_in_range(1..=8)? {
            let name = *random.choose(&names)?;
            let place = name + random.int_in_range(0..=60)?;
            if let Some(byte) = damaged.get_mut(place) {
                *byte = random.arbitrary()?;
            }
        }
        fs::write(&path, &damaged).expect("the directory is ours");
        is_sound(&inspect(&path));
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

/// Operations of `sql-work`: those that are known, with fields of random bytes.
fn operations(random: &mut Unstructured<'_>) -> Result<String> {
    let mut all = String::new();
    for _ in 0..random.int_in_range(1..=6)? {
        let code = random.choose_index(Opcode::of_extensions().count())? as u8;
        all.push_str(&format!("{code:02x}"));
        for _ in 0..random.int_in_range(0..=5)? {
            match random.int_in_range(0..=5)? {
                0 => all.push_str("00"),
                1 => all.push_str("01000000"),
                2 => all.push_str(&format!("{:02x}000000", random.int_in_range(0..=8)?)),
                3 => all.push_str("ffffffff"),
                // A text with its length and its zero.
                4 => {
                    let text =
                        random.choose(&["SELECT 1", "SELECT ?", "main", "plain", "a", ""])?;
                    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                    all.push_str(&format!("{:02x}000000{hex}00", text.len()));
                }
                _ => all.push_str(&bytes(random)?),
            }
        }
    }
    Ok(all)
}

#[test]
fn random_operations_are_answered_or_refused() {
    let loaded = Loaded::guest("querying", "operations").with(&["--grant", "querying=sql"]);
    arbtest(|random| {
        let mut script =
            "CREATE TABLE IF NOT EXISTS plain(a); DELETE FROM plain; INSERT INTO plain VALUES (x'00');\n"
                .to_owned();
        for _ in 0..VALUES {
            let function = random.choose(&["sql00_work", "sql00_work_later"])?;
            let operations = operations(random)?;
            let _ = writeln!(script, "SELECT length({function}(x'{operations}')) AND 0;");
        }
        // None is kept open, nothing waits, and all is as it was.
        let close_all = Opcode::CloseAll as u8;
        let _ = writeln!(script, "SELECT sql00_work(x'{close_all:02x}') IS NULL;");
        script.push_str("SELECT count(*) FROM plain; PRAGMA integrity_check;\n");
        let run = loaded.run(&script);
        assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
        assert!(run.out().ends_with("1\nok\n"), "{run}");
        assert!(!run.err().contains("trapped"), "{run}");
        Ok(())
    })
    .budget_ms(support::budget_ms());
}
