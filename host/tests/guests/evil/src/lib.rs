//! evil: what no honest extension does, for the tests in `host/tests/attacks`.
//! Not shipped. It is written without the kit, which would keep it honest.
//!
//! - `evil(DEED)`: does it, or returns what became of it
//! - `evil_value(N)`, `evil_error(CODE, N)`: a text, and an error, of N bytes
//! - `evil_group(MOMENT, DEED)`: in `step`, `inverse`, `current`, `finish` or
//!   `abandon`, for which its steps fail; `evil('start DEED')` has the next one
//!   do it in `start`
//! - the collation `evil_order`: does the deed that a text names
//! - `evil_table(MOMENT, DEED)`: a table that does it in one of its callbacks
//! - its manifest: what the bytes of [`MANIFEST`] in the file say

mod deeds;
mod manifest;
mod table;
mod wire;

use std::cell::RefCell;
use wire::exports::sqlite_wasm::extension as interfaces;
use wire::sqlite_wasm::extension::types::{Output, SqlError, Value};

/// Which manifest `describe` gives. A test writes another word here, in the
/// file, and so has another extension without building one.
static MANIFEST: [u8; 32] = *b"evil-manifest:honest............";

struct Evil;

wire::export_evil!(Evil with_types_in wire);

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

fn integer(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::Integer(number)) => *number,
        _ => 0,
    }
}

fn output(text: Vec<u8>) -> Result<Output, SqlError> {
    Ok(Output { value: Value::Text(text), subtype: 0 })
}

impl interfaces::extension::Guest for Evil {
    fn describe() -> wire::sqlite_wasm::extension::types::Manifest {
        let word = std::hint::black_box(&MANIFEST);
        let word = String::from_utf8_lossy(&word[14..]);
        manifest::manifest(word.trim_end_matches('.'))
    }

    fn connect() -> Result<(), SqlError> {
        let deed = std::hint::black_box(&MANIFEST);
        if let Some(deed) = deed.strip_prefix(b"evil-manifest:connect-") {
            deeds::perform(String::from_utf8_lossy(deed).trim_end_matches('.'));
        }
        Ok(())
    }

    fn disconnect() {
        let deed = std::hint::black_box(&MANIFEST);
        if let Some(deed) = deed.strip_prefix(b"evil-manifest:disconnect-") {
            deeds::perform(String::from_utf8_lossy(deed).trim_end_matches('.'));
        }
    }
}

impl interfaces::scalar::Guest for Evil {
    fn call(function: u32, arguments: Vec<Value>, _: Vec<u8>) -> Result<Output, SqlError> {
        let first = arguments.first();
        match function {
            0 => output(perform(&text(first)).into_bytes()),
            1 => output(vec![b'x'; integer(first) as usize]),
            _ => Err(SqlError {
                code: integer(first) as i32,
                message: "x".repeat(integer(arguments.get(1)) as usize),
            }),
        }
    }
}

thread_local! {
    /// The moment and the deed of each group.
    static GROUPS: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    /// The deed of the next group when it starts.
    static START: RefCell<String> = const { RefCell::new(String::new()) };
}

fn perform(deed: &str) -> String {
    match deed.strip_prefix("start ") {
        Some(later) => START.replace(later.to_owned()),
        None => deeds::perform(deed),
    }
}

fn group(group: u32, moment: &str) {
    let deed = GROUPS.with_borrow(|groups| groups[group as usize].clone());
    if deed.0 == moment {
        deeds::perform(&deed.1);
    }
}

impl interfaces::aggregate::Guest for Evil {
    fn start(_: u32) -> u32 {
        deeds::perform(&START.take());
        GROUPS.with_borrow_mut(|groups| {
            groups.push(Default::default());
            groups.len() as u32 - 1
        })
    }

    fn step(number: u32, _: u32, _: u32, rows: Vec<Value>, _: Vec<u8>) -> Result<(), SqlError> {
        let deed = (text(rows.first()), text(rows.get(1)));
        let is_to_fail = deed.0 == "abandon";
        GROUPS.with_borrow_mut(|groups| groups[number as usize] = deed);
        group(number, "step");
        match is_to_fail {
            true => Err(SqlError { code: 1, message: "told to fail".into() }),
            false => Ok(()),
        }
    }

    fn inverse(number: u32, _: u32, _: u32, _: Vec<Value>, _: Vec<u8>) -> Result<(), SqlError> {
        group(number, "inverse");
        Ok(())
    }

    fn value(number: u32) -> Result<Output, SqlError> {
        group(number, "value");
        output(b"value".to_vec())
    }

    fn finish(number: u32) -> Result<Output, SqlError> {
        group(number, "finish");
        output(b"finished".to_vec())
    }

    fn abandon(number: u32) {
        group(number, "abandon");
    }
}

impl interfaces::collation::Guest for Evil {
    fn compare(_: u32, left: Vec<u8>, right: Vec<u8>) -> i32 {
        for deed in [&left, &right] {
            if let Some(deed) = deed.strip_prefix(b"deed ") {
                deeds::perform(&String::from_utf8_lossy(deed));
            }
        }
        left.cmp(&right) as i32
    }
}
