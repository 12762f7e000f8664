//! The flooding guest: does what each argument says, as often as it says, and
//! more than SQLite's shell would.
//!
//! `remember=TEXT`, `remember-large=COUNT`, `load=COUNT` and `save=LIMIT` are
//! for the history; `type` edits a line and remembers it, and `offer=COUNT`
//! gives candidates without a request; `refused=COUNT:DIRECTORY` opens files
//! in its directories `dNUMBER`.

use std::env;

fn main() {
    for argument in env::args().skip(1) {
        let (action, object) = argument.split_once('=').unwrap_or((&argument, ""));
        act(action, object);
        println!("{action}: done");
    }
}

fn act(action: &str, object: &str) {
    let count = || object.parse::<usize>().expect("a number");
    match action {
        "remember" => remember(object),
        "remember-large" => {
            let line = "x".repeat(1 << 20);
            (0..count()).for_each(|_| remember(&line));
        }
        // SAFETY: the host takes nothing from memory here.
        "load" => (0..count()).for_each(|_| unsafe { host_load() }),
        // SAFETY: as above; every value is a valid limit.
        "save" => unsafe { host_save(count() as u32) },
        "type" => {
            let line = edit("? ");
            remember(&line);
            remember(&line);
            remember("never typed");
        }
        "offer" => {
            let candidate = "y".repeat(1 << 20);
            let candidates = vec![(candidate.as_ptr(), candidate.len()); 8];
            for _ in 0..count() {
                let mut answer = Answer { tag: 0, text: std::ptr::null(), length: 0 };
                // SAFETY: the candidates and the answer outlive the call.
                unsafe { host_offer(candidates.as_ptr().cast(), candidates.len(), &mut answer) };
            }
        }
        "refused" => {
            let (count, directory) = object.split_once(':').expect("a number and a directory");
            for number in 0..count.parse().expect("a number") {
                let path = format!("{directory}/d{number}/file\n\u{1b}[2J");
                // SAFETY: the path has `len` bytes and outlives the call.
                unsafe { host_check(path.as_ptr(), path.len()) };
            }
        }
        _ => panic!("{action} is not understood"),
    }
}

/// `edited`, as the canonical ABI has it.
#[repr(C)]
struct Answer {
    tag: u32,
    text: *const u8,
    length: usize,
}

#[link(wasm_import_module = "sqlite-wasm:host/console@0.1.0")]
unsafe extern "C" {
    #[link_name = "remember"]
    fn host_remember(line: *const u8, length: usize);
    #[link_name = "load-history"]
    fn host_load();
    #[link_name = "save-history"]
    fn host_save(limit: u32);
    #[link_name = "edit"]
    fn host_edit(prompt: *const u8, length: usize, answer: *mut Answer);
    #[link_name = "offer"]
    fn host_offer(candidates: *const u8, count: usize, answer: *mut Answer);
}

#[link(wasm_import_module = "sqlite-wasm:host/process@0.1.0")]
unsafe extern "C" {
    #[link_name = "check-granted"]
    fn host_check(path: *const u8, length: usize) -> u32;
}

fn remember(line: &str) {
    // SAFETY: the line is `length` bytes.
    unsafe { host_remember(line.as_ptr(), line.len()) };
}

fn edit(prompt: &str) -> String {
    let mut answer = Answer { tag: 0, text: std::ptr::null(), length: 0 };
    // SAFETY: the prompt is `length` bytes, and `answer` outlives the call.
    unsafe { host_edit(prompt.as_ptr(), prompt.len(), &mut answer) };
    assert_eq!(answer.tag, 0, "a line was typed");
    // SAFETY: the host put the text there, by `cabi_realloc`.
    let text = unsafe { std::slice::from_raw_parts(answer.text, answer.length) };
    String::from_utf8_lossy(text).into_owned()
}
