//! Small functions that are proved, and planted violations that are not. `cases.rs` has their code
//! with what an assembler made it of.

use std::collections::BTreeMap;

use crate::{Facts, Global, Import, Piece, Role, Subject, verify};

include!("tests/cases.rs");
include!("tests/pieces.rs");

/// The name, why it is not proved, where the second piece starts and what that is, and the code.
type PieceCase = (&'static str, Option<&'static str>, u32, Role, &'static str, &'static str);

fn facts() -> Facts {
    Facts {
        memory_base: Some(56),
        memory_length: 64,
        memory_reservation: 4 << 30,
        guard: 32 << 20,
        table_base: Some(80),
        table_elements: 88,
        table_slots: Some(10),
        store_context: 8,
        stack_limit: 24,
        clock: Some((16, 40)),
        type_ids: 40,
        reference_code: 8,
        reference_context: 24,
        reference_type: 16,
        imports: vec![
            Import { code: 96, context: 112, on_stack: 0 },
            Import { code: 160, context: 176, on_stack: 0 },
        ],
        globals: vec![
            Global { offset: 128, bytes: 4, mutable: true },
            Global { offset: 144, bytes: 8, mutable: false },
        ],
        types: BTreeMap::from([(0, 0), (4, 0), (8, 2)]),
    }
}

fn bytes(code: &str) -> Vec<u8> {
    let digits = code.as_bytes().as_chunks::<2>().0;
    let digits = digits.iter().map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// The function at the start of the code.
const FUNCTION: (u32, Role) = (0, Role::Function { index: 7, outside: Some(0) });

/// Why the function is not proved; none if it is.
fn reason(code: &str, text: usize, pieces: &[(u32, Role)]) -> Option<String> {
    let (code, facts) = (bytes(code), facts());
    let piece = |&(start, role): &(u32, Role)| Piece { name: format!("at {start}"), start, role };
    let pieces: Vec<_> = pieces.iter().map(piece).collect();
    let subject = Subject { code: &code, text, pieces: &pieces, facts: &facts };
    match verify(&subject) {
        Ok(report) => {
            assert_eq!(report.proved.contains(&7), report.unproved.is_empty());
            report.unproved.get(&7).cloned()
        }
        Err(error) => Some(format!("{error:#}")),
    }
}

#[test]
fn what_functions_do_is_proved() {
    for (name, text, code, assembler) in PROVED {
        assert_eq!(reason(code, *text, &[FUNCTION]), None, "{name}: {assembler}");
    }
}

#[test]
fn each_planted_violation_is_found() {
    let wrong = REFUSED.iter().filter_map(|(name, expected, text, code, assembler)| {
        let found = reason(code, *text, &[FUNCTION]).unwrap_or_else(|| "it is proved".to_owned());
        (!found.contains(expected)).then(|| format!("{name}: {found}, not {expected}: {assembler}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn pieces_are_what_they_are_to_be() {
    for (name, expected, start, role, code, assembler) in PIECES {
        let found = reason(code, code.len() / 2, &[FUNCTION, (*start, *role)]);
        let is_right = match (expected, &found) {
            (Some(expected), Some(found)) => found.contains(expected),
            (expected, found) => expected.is_none() && found.is_none(),
        };
        assert!(is_right, "{name}: {found:?}, not {expected:?}: {assembler}");
    }
}
