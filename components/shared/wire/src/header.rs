//! Operations, callbacks and tags as a C header.

use alloc::format;
use alloc::string::String;

use crate::documents::{joined, words, wrapped};
use crate::{
    Event, Group, Kind, Method, Opcode, POINTER_SUBTYPE, PREPARE_COUNTED, PREPARE_LEGACY, Plan,
    Row, tag,
};

/// The columns of a line.
const COLUMNS: usize = 100;

/// All constants of this crate that C uses:
///
/// - `WORK_…`: opcodes of [`Operation`](crate::Operation) and
///   [`ProgramOperation`](crate::ProgramOperation); `CALL_…`: those of calls, and the list
///   `CALLS(X)` of those that C performs, with the names of their functions
/// - `EVENT_…`, `METHOD_…`, `KIND_…`, `PLAN_…`, `TAG_…`
pub fn c_header() -> String {
    let mut text = String::from("/* Generated from components/shared/wire. */\n#pragma once\n");
    text += &list("WORK", Opcode::ROWS.iter().filter(|row| !is_call(row)).map(opcode));
    text += &list("", Opcode::ROWS.iter().filter(|row| is_call(row)).map(opcode));
    text += "#define CALLS(X)";
    for row in Opcode::ROWS.iter().filter(|row| row.group == Group::Calls) {
        let name = words(row.name, '_');
        text += &format!(" \\\n  X({}, {name})", name.to_ascii_uppercase());
    }
    text.push('\n');
    text += &list("EVENT", Event::ALL.iter().map(|row| (row.0, row.1 as u8, joined(row.2))));
    text += &list("METHOD", Method::ALL.iter().map(|row| (row.0, row.1 as u8, joined(row.2))));
    text += &list("KIND", Kind::ALL.iter().map(|row| (row.0, row.1 as u8, joined(row.2))));
    text += &list("PLAN", Plan::ALL.iter().map(|row| (row.0, row.1 as u8, joined(row.2))));
    text += &list("TAG", tag::ALL.iter().map(|row| (row.0, row.1, joined(row.2))));
    text += &format!("#define PREPARE_LEGACY {PREPARE_LEGACY:#x}\n");
    text += &format!("#define PREPARE_COUNTED {PREPARE_COUNTED:#x}\n");
    text + &format!("#define POINTER_SUBTYPE {POINTER_SUBTYPE}\n")
}

fn is_call(row: &Row) -> bool {
    matches!(row.group, Group::Objects | Group::Calls)
}

fn opcode(row: &Row) -> (&str, u8, String) {
    (row.name, row.opcode as u8, row.text())
}

/// An enum of names with their prefix, values and descriptions.
fn list<'a>(prefix: &str, rows: impl Iterator<Item = (&'a str, u8, String)>) -> String {
    let mut text = String::from("enum {\n");
    for (name, number, description) in rows {
        let name = if name.bytes().all(|letter| letter.is_ascii_uppercase()) {
            String::from(name)
        } else {
            words(name, '_').to_ascii_uppercase()
        };
        let separator = if prefix.is_empty() { "" } else { "_" };
        // The description of a call names SQLite's functions, and none ends a comment of C.
        text += &wrapped(&description, "  //", COLUMNS);
        text += &format!("  {prefix}{separator}{name} = {number},\n");
    }
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_each_number() {
        let header = c_header();
        for line in [
            "  WORK_WRITE = 0,\n",
            "  WORK_SET_LAST_INSERT_ROW_ID = 16,\n",
            "  WORK_LOAD_EXTENSION = 130,\n",
            "  CALL_BIND_NEXT = 163,\n",
            "  X(CALL_LIMIT, call_limit)",
            "#define PREPARE_COUNTED 0x20000000\n",
            "  EVENT_SCALAR = 0,\n",
            "  METHOD_ROLLBACK_TO = 19,\n",
            "  PLAN_RIGHT = 3,\n",
            "  KIND_WINDOW = 3,\n",
            "  TAG_LIST = 9,\n",
        ] {
            assert!(header.contains(line), "{line}");
        }
        assert!(!header.contains("X(CALL_BIND_NEXT"));
        assert!(header.ends_with("#define POINTER_SUBTYPE 112\n"));
        assert_eq!(header.matches(" = ").count(), numbers());
    }

    fn numbers() -> usize {
        let callbacks = Event::ALL.len() + Method::ALL.len() + Plan::ALL.len() + Kind::ALL.len();
        Opcode::ROWS.len() + callbacks + tag::ALL.len()
    }
}
