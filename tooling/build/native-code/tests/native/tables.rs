//! Jumps by tables of all kinds: comparisons, an index that is bounded, and one that is a byte.

use std::fmt::Write;

use wasmtime::Val;

use crate::engines::Pair;

/// How many targets there are that differ.
const TARGETS: usize = 7;

/// A loop that jumps by a table of `count` entries until its index, a byte of the memory or a number, leads to the end.
/// What each target adds to the result depends on the one before.
fn module(count: usize) -> Vec<u8> {
    let entries: String =
        (0..count).fold(String::new(), |text, entry| format!("{text} {}", entry % TARGETS));
    let jump = |index: &str| {
        let mut text = format!("(br_table {entries} {TARGETS} {index})");
        for target in 0..TARGETS {
            text = format!(
                "(block {text}) (local.set $r (i32.add (i32.mul (local.get $r) (i32.const 31))
                   (i32.add (local.get $last) (i32.const {target}))))
                 (local.set $last (i32.const {})) (br $next)",
                target * target
            );
        }
        format!(
            "(param $i i32) (result i32) (local $r i32) (local $last i32)
             (block $end (loop $again (block $next (block {text}) (br $end))
               (local.set $i (i32.add (local.get $i) (i32.const 3))) (br $again)))
             (local.get $r)"
        )
    };
    let bytes: String = (0..=255).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "\\{byte:02x}");
        text
    });
    let text = format!(
        r#"(module (memory (export "memory") 1) (data (i32.const 0) "{bytes}") (data (i32.const 256) "\ff\ff\ff\ff\ff")
             (func (export "byte") {})
             (func (export "number") {}))"#,
        jump("(i32.load8_u (local.get $i))"),
        jump("(local.get $i)"),
    );
    let buffer = wast::parser::ParseBuffer::new(&text).unwrap();
    wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap()
}

#[test]
fn each_index_leads_to_its_target() {
    for count in [1, 3, 4, 47, 48, 185, 254] {
        let mut pair = Pair::new();
        assert_eq!(pair.instantiate(&module(count)), Some(true));
        for index in (0..=255).chain([256, 300, -1, i32::MIN, i32::MAX]) {
            pair.call("number", &[Val::I32(index)]).unwrap();
        }
        for at in 0..=255 {
            pair.call("byte", &[Val::I32(at)]).unwrap();
        }
    }
}

#[test]
fn a_byte_that_is_in_the_table_does_not_lead_to_the_default() {
    for count in [255, 256, 300] {
        let mut pair = Pair::new();
        assert_eq!(pair.instantiate(&module(count)), Some(true));
        // Without the default the loop goes on to the end of the memory, which traps.
        let ended = pair.call("byte", &[Val::I32(0)]);
        assert_eq!(ended.is_err(), count > 255, "{count}");
    }
}
