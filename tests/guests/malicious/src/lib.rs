//! malicious: what no well-behaved extension does, for the tests in `tests/attacks`.
//! Not shipped. It is written without the kit, which would prevent most of it.
//!
//! - `malicious(ACTION)`: does it, or returns what became of it
//! - `malicious_value(N)`, `malicious_error(CODE, N)`: a text, and an error, of N bytes
//! - `malicious_group(MOMENT, ACTION)`: in `step`, `inverse`, `current`, `finish` or
//!   `abandon`, for which its steps fail; `malicious('start ACTION')` has the next one
//!   do it in `start`
//! - the collation `malicious_order`: does the action that a text names
//! - `malicious_table(MOMENT, ACTION)`: a table that does it in one of its callbacks
//! - the tokenizer `malicious_words ACTION`: returns tokens that no text has, or does the action
//! - its manifest: what the bytes of [`MANIFEST`] in the file say

mod actions;
mod manifest;
mod table;
mod wire;
mod words;

use std::cell::RefCell;
use wire::exports::sqlite_wasm::extension as interfaces;
use wire::sqlite_wasm::extension::types::{Output, SqlError, Value};

/// Which manifest `describe` gives. A test writes another word here, in the
/// file, and so has another extension without building one.
static MANIFEST: [u8; 37] = *b"malicious-manifest:valid.............";

struct Malicious;

wire::export_malicious!(Malicious with_types_in wire);

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

impl interfaces::extension::Guest for Malicious {
    fn describe() -> wire::sqlite_wasm::extension::types::Manifest {
        let word = std::hint::black_box(&MANIFEST);
        let word = String::from_utf8_lossy(&word[19..]);
        manifest::manifest(word.trim_end_matches('.'))
    }

    fn connect() -> Result<(), SqlError> {
        let action = std::hint::black_box(&MANIFEST);
        if let Some(action) = action.strip_prefix(b"malicious-manifest:connect-") {
            actions::perform(String::from_utf8_lossy(action).trim_end_matches('.'));
        }
        Ok(())
    }

    fn disconnect() {
        let action = std::hint::black_box(&MANIFEST);
        if let Some(action) = action.strip_prefix(b"malicious-manifest:disconnect-") {
            actions::perform(String::from_utf8_lossy(action).trim_end_matches('.'));
        }
    }
}

impl interfaces::scalar::Guest for Malicious {
    fn call(function: u32, arguments: Vec<Value>, _: Vec<u8>) -> Result<Output, SqlError> {
        let first = arguments.first();
        match function {
            0 => output(perform(&text(first)).into_bytes()),
            1 => output(vec![b'x'; integer(first) as usize]),
            4 => Ok(Output { value: words::tokens(&arguments), subtype: 0 }),
            _ => Err(SqlError {
                code: integer(first) as i32,
                message: "x".repeat(integer(arguments.get(1)) as usize),
            }),
        }
    }
}

thread_local! {
    /// The moment and the action of each group.
    static GROUPS: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    /// The action of the next group when it starts.
    static START: RefCell<String> = const { RefCell::new(String::new()) };
}

fn perform(action: &str) -> String {
    match action.strip_prefix("start ") {
        Some(later) => START.replace(later.to_owned()),
        None => actions::perform(action),
    }
}

fn group(group: u32, moment: &str) {
    let action = GROUPS.with_borrow(|groups| groups[group as usize].clone());
    if action.0 == moment {
        actions::perform(&action.1);
    }
}

impl interfaces::aggregate::Guest for Malicious {
    fn start(_: u32) -> u32 {
        actions::perform(&START.take());
        GROUPS.with_borrow_mut(|groups| {
            groups.push(Default::default());
            groups.len() as u32 - 1
        })
    }

    fn step(number: u32, _: u32, _: u32, rows: Vec<Value>, _: Vec<u8>) -> Result<(), SqlError> {
        let action = (text(rows.first()), text(rows.get(1)));
        let is_to_fail = action.0 == "abandon";
        GROUPS.with_borrow_mut(|groups| groups[number as usize] = action);
        group(number, "step");
        if is_to_fail { Err(SqlError { code: 1, message: "told to fail".into() }) } else { Ok(()) }
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

impl interfaces::collation::Guest for Malicious {
    fn compare(_: u32, left: Vec<u8>, right: Vec<u8>) -> i32 {
        for action in [&left, &right] {
            if let Some(action) = action.strip_prefix(b"action ") {
                actions::perform(&String::from_utf8_lossy(action));
            }
        }
        left.cmp(&right) as i32
    }
}
