//! Requests for SQL as bytes (`sql-work`), as an untrusted extension may write
//! them: each is done, or refused with an error.

use std::fs;

use wire::{Opcode, Operations, Sender};

use crate::support::guest::guest;
use crate::support::{self, Directory, Input};

/// An operation: its code, and all that follows.
fn operation(code: Opcode, parts: &[&[u8]]) -> Vec<u8> {
    [&[code as u8], parts.concat().as_slice()].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes(), &[0]].concat()
}

fn number(number: u32) -> [u8; 4] {
    number.to_le_bytes()
}

fn place(table: &str, row_id: i64) -> Vec<u8> {
    [&[0], row_id.to_le_bytes().as_slice(), &text("main"), &text(table), &text("b")].concat()
}

/// What the shell prints for each request, one after the other, in one
/// instance of the extension.
fn answers(requests: &[Vec<u8>]) -> Vec<String> {
    let directory = Directory::fresh("work");
    fs::copy(guest("querying"), directory.path().join("sql00.wasm"))
        .expect("the directory is ours");
    let args = ["--extension-dir", ".", "--grant", "sql00=sql", "--load", "sql00", "test.db"];
    let mut script =
        String::from("CREATE TABLE t(b BLOB); INSERT INTO t VALUES (x'010203'), (x'0405');\n");
    for request in requests {
        let hex: String = request.iter().map(|byte| format!("{byte:02x}")).collect();
        script += &format!("SELECT 'reply ' || hex(sql00_work(x'{hex}'));\n");
    }
    let outcome = support::run(
        &support::our_binary(),
        &args,
        &directory.path(),
        &Input::Bytes(script.as_bytes()),
    );
    let replies = [outcome.stdout, outcome.stderr].concat();
    let replies = String::from_utf8_lossy(&replies);
    assert_eq!(
        replies.lines().filter(|line| line.starts_with("reply") || line.contains("rror")).count(),
        requests.len(),
        "{replies}"
    );
    replies.lines().map(str::to_owned).collect()
}

#[test]
fn a_text_ends_at_a_nul_as_in_sqlite() {
    for sql in ["\0", "  \0SELECT 1", "DELETE FROM t WHERE 0;\0nonsense"] {
        let replies = answers(&[operation(Opcode::Execute, &[&text(sql)])]);
        assert_eq!(replies, ["reply "], "{sql:?}");
    }
}

fn refused(request: Vec<u8>, why: &str) {
    let replies = answers(std::slice::from_ref(&request)).join("\n");
    assert!(replies.contains(why), "{request:02x?}: {replies}");
}

#[test]
fn what_is_no_operation_is_refused() {
    const WHY: &str = "does not exist, or is incomplete";
    refused(vec![Opcode::Prepare as u8], WHY);
    refused(operation(Opcode::Prepare, &[&number(9), b"SELECT 1"]), WHY);
    refused(operation(Opcode::Prepare, &[&number(u32::MAX)]), WHY);
    refused(operation(Opcode::Bind, &[&number(0), &number(1), &[5]]), WHY);
    refused(operation(Opcode::BindNext, &[&[5]]), WHY);
    refused(operation(Opcode::BindNext, &[&[0]]), "no statement was bound before");
    refused(operation(Opcode::OpenBlobs, &[&number(u32::MAX), &place("t", 1)]), WHY);
    refused(operation(Opcode::Column, &[&[1], &text("t")]), WHY);
    refused(operation(Opcode::Column, &[&[0], &text("t")]), WHY);
    refused(operation(Opcode::Database, &[&[2]]), WHY);
    refused(operation(Opcode::Database, &[&[1], &number(0)]), WHY);
    refused(operation(Opcode::SetLastInsertRowId, &[&number(0)]), WHY);
}

#[test]
fn operations_of_programs_and_of_the_host_are_refused() {
    let is_refused = |code: &u8| Opcode::from_sender(*code, Sender::Extension).is_err();
    let begin = |code| [[code].as_slice(), &[0; 40]].concat();
    let mut requests: Vec<_> = (0..=255).filter(is_refused).map(begin).collect();
    let none = Operations::default;
    requests.extend(
        [none().close_connection(), none().call_interrupt(), none().ask_memory(0)]
            .map(Operations::into_bytes),
    );
    let replies = answers(&requests).join("\n");
    let refusals = replies.matches("does not exist, or is incomplete").count();
    assert_eq!(refusals, requests.len(), "{replies}");
}

#[test]
fn a_handle_of_nothing_is_refused() {
    const WHY: &str = "there is no such statement or blob";
    refused(operation(Opcode::Step, &[&number(0), &number(1)]), WHY);
    refused(operation(Opcode::Step, &[&number(u32::MAX), &number(1)]), WHY);
    refused(operation(Opcode::Read, &[&number(7), &number(0), &number(1)]), WHY);
    refused(operation(Opcode::Describe, &[&number(7)]), WHY);
    refused(operation(Opcode::Expand, &[&number(7)]), WHY);
}

#[test]
fn a_text_that_sqlite_cannot_take_is_refused() {
    refused(operation(Opcode::Execute, &[&number(2), b"\xff\xfe", &[0]]), "no UTF-8");
    refused(operation(Opcode::OpenBlobs, &[&number(1), &place("t\0u", 1)]), "a name has a NUL");
    refused(operation(Opcode::Execute, &[&text("SELEC 1")]), "syntax error");
    refused(
        operation(Opcode::Column, &[&[3], &text("ma\0in"), &text("t"), &[0]]),
        "a name has a NUL",
    );
    refused(
        operation(Opcode::Column, &[&[0], &text("t"), &[3], &text("z")]),
        "no such table column: t.z",
    );
}

#[test]
fn statements_columns_and_databases_say_what_they_are() {
    let named = |text: &str| {
        let hex: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
        format!("03{:02X}000000{hex}00", text.len())
    };
    let place = |number: i64| operation(Opcode::Database, &[&[1], &number.to_le_bytes()]);
    let replies = answers(&[
        operation(Opcode::Prepare, &[&text("EXPLAIN QUERY PLAN SELECT b FROM t WHERE b = ?")]),
        operation(Opcode::Prepare, &[&text("SELECT b, 1 FROM t WHERE b = ?")]),
        operation(Opcode::Describe, &[&number(1)]),
        operation(Opcode::Expand, &[&number(1)]),
        operation(Opcode::Column, &[&[0], &text("t"), &[3], &text("b")]),
        place(i64::MAX),
        place(0),
        operation(Opcode::State, &[]),
        operation(Opcode::SetLastInsertRowId, &[&77i64.to_le_bytes()]),
        operation(Opcode::State, &[]),
        operation(Opcode::Describe, &[&number(0)]),
    ]);
    assert_eq!(replies[2], format!("reply 0002000000{}00", named("BLOB")));
    assert_eq!(replies[3], format!("reply {}", named("SELECT b, 1 FROM t WHERE b = NULL")));
    assert_eq!(replies[4], format!("reply {}{}000000", named("BLOB"), named("BINARY")));
    assert_eq!(replies[5], "reply 0000FFFFFFFFFFFFFFFF");
    assert!(replies[6].starts_with(&format!("reply {}03", named("main"))), "{replies:?}");
    // No error and so no offset of one, no transaction, UTF-8.
    assert!(replies[7].starts_with("reply 0000000000000000FFFFFFFF01000100"), "{replies:?}");
    assert_eq!(replies[8], "reply ");
    assert!(replies[9].ends_with("4D00000000000000"), "{replies:?}");
    assert_eq!(replies[9].len(), "reply ".len() + 2 * wire::ReplyHead::BYTES);
    assert_eq!(replies[10], "reply 020400000000000000");
}

#[test]
fn operations_are_done_one_after_the_other() {
    let prepare = operation(Opcode::Prepare, &[&text("SELECT ?1, 'x'")]);
    let bound = [
        operation(Opcode::Bind, &[&number(0), &number(1), &[1], &7i64.to_le_bytes()]),
        operation(Opcode::Step, &[&number(0), &number(9)]),
    ];
    let replies = answers(&[prepare, bound.concat()]);
    // Handle plus one, used, read-only; a parameter, its name; two columns.
    let named = ["010000000E00000001", "01000000", "020000003F3100", "02000000"].concat();
    let columns = ["020000003F3100", "03000000277827", "00"].concat();
    assert_eq!(replies[0], format!("reply {named}{columns}"));
    // Done, one row, two columns: 7 and 'x'.
    let row = ["01", "01000000", "02000000", "010700000000000000", "03010000007800"].concat();
    assert_eq!(replies[1], format!("reply {row}"));
}

#[test]
fn after_a_failure_only_what_ends_something_is_done() {
    let prepare = operation(Opcode::Prepare, &[&text("SELECT 1")]);
    let failing = [
        operation(Opcode::Execute, &[&text("SELEC 1")]),
        operation(Opcode::Execute, &[&text("DELETE FROM t")]),
        operation(Opcode::Reset, &[&number(0)]),
        operation(Opcode::Close, &[&number(0)]),
    ];
    let count = operation(Opcode::Prepare, &[&text("SELECT count(*) FROM t")]);
    let step = operation(Opcode::Step, &[&number(0), &number(1)]);
    let replies = answers(&[prepare, failing.concat(), step.clone(), count, step]).join("\n");
    assert!(replies.contains("syntax error"), "{replies}");
    assert!(replies.contains("there is no such statement"), "{replies}");
    // Not done yet, one row, one column: 2.
    assert!(replies.contains("reply 000100000001000000010200000000000000"), "{replies}");
}

#[test]
fn a_blob_may_end_with_its_call_and_its_handle_stays_taken() {
    let mut place = place("t", 1);
    place[0] = 2;
    let open = operation(Opcode::OpenBlobs, &[&number(1), &place]);
    let read = |blob| operation(Opcode::Read, &[&number(blob), &number(1), &number(2)]);
    let close = |blob| operation(Opcode::Close, &[&number(blob)]);
    let replies = answers(&[
        open.clone(),
        [close(7), open.clone(), operation(Opcode::Keep, &[&number(1)])].concat(),
        read(1),
        [close(0), close(1), open].concat(),
        read(0),
    ]);
    let opened = |handle| format!("reply {handle:02}0000000300000003000000{}", "01020300");
    assert_eq!(replies[..3], [opened(1), opened(2), "reply 0203".to_owned()]);
    assert_eq!(replies[3], opened(1));
    assert!(replies[4..].join("").contains("it was closed with its connection or call"));
}

#[test]
fn of_blobs_that_are_opened_together_the_first_must_be_there() {
    let open = |places: &[Vec<u8>]| {
        operation(Opcode::OpenBlobs, &[&number(places.len() as u32), &places.concat()])
    };
    let replies = answers(&[
        open(&[place("t", 1), place("none", 1), place("t", 2)]),
        operation(Opcode::CloseAll, &[]),
        open(&[place("t", 2)]),
        open(&[place("none", 1), place("t", 1)]),
    ]);
    let [first, none, last] = [
        "0100000003000000030000000102",
        "00000000000000000000000000",
        "02000000020000000000000000",
    ];
    assert_eq!(replies[0], format!("reply {first}0300{none}{last}"));
    assert_eq!(replies[1], "reply ");
    assert!(replies[2].ends_with("0200000002000000040500"), "{replies:?}");
    assert!(replies[3..].join("").contains("no such table"), "{replies:?}");
}

/// The requests of the example in the documentation, and their replies.
fn documented() -> Vec<(Vec<u8>, String)> {
    let text = fs::read_to_string(support::repository().join("wit/extension/sql.wit"));
    let text = text.expect("it is there");
    let example = text.split("```").nth(1).and_then(|text| text.strip_prefix("text\n"));
    let mut all: Vec<(String, String)> = Vec::new();
    let mut is_reply = false;
    for line in example.expect("there is one").lines().filter_map(|line| line.strip_prefix("/// "))
    {
        if line.is_empty() {
            break;
        }
        let (label, hex) = line.split_at_checked(15).unwrap_or((line, ""));
        is_reply = label.starts_with("  ") && (is_reply || !label.trim().is_empty());
        if !label.starts_with(' ') {
            all.push(Default::default());
        }
        let (request, reply) = all.last_mut().expect("a request comes first");
        let to = if is_reply { reply } else { request };
        to.extend(hex.split_whitespace().flat_map(|part| part.chars()));
    }
    let byte = |hex: &[u8]| {
        let hex = std::str::from_utf8(hex).expect("two digits");
        u8::from_str_radix(hex, 16).expect("two digits")
    };
    all.into_iter()
        .map(|(request, reply)| {
            (
                request.as_bytes().chunks(2).map(byte).collect(),
                format!("reply {}", reply.to_uppercase()),
            )
        })
        .collect()
}

#[test]
fn the_documented_example_is_true() {
    let (requests, expected): (Vec<_>, Vec<_>) = documented().into_iter().unzip();
    assert_eq!((requests.len(), answers(&requests)), (3, expected));
}

#[test]
fn a_statement_whose_rows_are_read_is_not_bound() {
    let prepare = operation(Opcode::Prepare, &[&text("SELECT ? UNION ALL SELECT 2")]);
    let bind = operation(Opcode::Bind, &[&number(0), &number(1), &[1], &7i64.to_le_bytes()]);
    let step = operation(Opcode::Step, &[&number(0), &number(1)]);
    let reset = operation(Opcode::Reset, &[&number(0)]);
    let replies = answers(&[prepare, step, bind.clone(), [reset, bind].concat()]).join("\n");
    assert!(replies.contains("bad parameter or other API misuse"), "{replies}");
    assert!(replies.ends_with("reply ") || replies.contains("reply \n"), "{replies}");
}
