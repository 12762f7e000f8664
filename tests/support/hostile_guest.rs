//! The hostile guest: tries what each argument says and prints what came of it.
//!
//! `read=PATH` and `write=PATH` try a file, `files-read=PATH` and
//! `files-write=PATH` the same by the interface that databases have, `list=PATH` a directory,
//! `link=PATH::TARGET` makes a symbolic link and goes through it,
//! `hard-link=FROM::TO` and `move=FROM::TO` take a file in or out,
//! `connect=ADDRESS` tries the network, `run=PATH` a program, `environment`
//! shows all of it, and `map=PATH` maps a file where it must not.

use std::ffi::{CString, c_char, c_int};
use std::fmt::Debug;
use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::process::Command;
use std::{env, fs};

fn main() {
    for argument in env::args().skip(1) {
        let (action, object) = argument.split_once('=').unwrap_or((&argument, ""));
        attempt(action, object);
    }
}

fn attempt(action: &str, object: &str) {
    match action {
        "read" => report(action, fs::read_to_string(object)),
        "write" => report(action, fs::write(object, "written")),
        "files-read" => report(action, opened(object, 0)),
        "files-write" => report(action, opened(object, READ_WRITE | CREATE)),
        "remove" => report(action, fs::remove_file(object)),
        "make-directory" => report(action, fs::create_dir(object)),
        "remove-directory" => report(action, fs::remove_dir(object)),
        "open-all" => open_all(object),
        "list" => report(action, fs::read_dir(object).map(Iterator::count)),
        "link" => link(object),
        "hard-link" => report(action, fs::hard_link(pair(object).0, pair(object).1)),
        "move" => report(action, fs::rename(pair(object).0, pair(object).1)),
        "connect" => connect(object),
        "run" => report(action, Command::new(object).status()),
        "map" => map(object),
        "environment" => env::vars().for_each(|(name, value)| println!("{name}={value}")),
        _ => println!("{action}: not understood"),
    }
}

fn report<T: Debug, E: Debug>(action: &str, result: Result<T, E>) {
    match result {
        Ok(value) => println!("{action}: done {value:?}"),
        Err(error) => println!("{action}: refused {error:?}"),
    }
}

unsafe extern "C" {
    fn symlink(target: *const c_char, path: *const c_char) -> c_int;
}

/// The two names in `FROM::TO`.
fn pair(object: &str) -> (&str, &str) {
    object.split_once("::").expect("two names with `::` between")
}

/// Makes a link `PATH::TARGET`, and looks through it.
fn link(object: &str) {
    let (path, target) = pair(object);
    let [target, place] = [target, path].map(|text| CString::new(text).expect("no NUL"));
    // SAFETY: both are C strings.
    let result = unsafe { symlink(target.as_ptr(), place.as_ptr()) };
    report("link", if result == 0 { Ok(()) } else { Err(result) });
    if result == 0 {
        report("read", fs::read_to_string(path));
        report("write", fs::write(path, "written"));
    }
}

fn connect(address: &str) {
    report("connect", TcpStream::connect(address).map(|_| ()));
    report("lookup", "localhost:80".to_socket_addrs().map(Iterator::count));
    report("listen", TcpListener::bind("127.0.0.1:0").map(|_| ()));
    report("datagram", UdpSocket::bind("127.0.0.1:0").map(|_| ()));
}

/// The shape of the results below, as the canonical ABI has it.
#[repr(C)]
#[derive(Default)]
struct Answer {
    is_error: u8,
    /// An error's code, or a file's handle, after the alignment of each.
    error: u8,
    rest: [u16; 1],
    file: u32,
    flags: u32,
}

#[link(wasm_import_module = "sqlite-wasm:host/files@0.1.0")]
unsafe extern "C" {
    #[link_name = "open"]
    fn host_open(path: *const u8, length: usize, how: u32, answer: *mut Answer);
    #[link_name = "close"]
    fn host_close(file: u32);
}

#[link(wasm_import_module = "sqlite-wasm:host/shared-memory@0.1.0")]
unsafe extern "C" {
    #[link_name = "map-file"]
    fn host_map(file: u32, offset: u64, place: *const u8, length: usize, answer: *mut Answer);
    #[link_name = "unmap-file"]
    fn host_unmap(file: u32);
}

/// Flags of `open`, by their positions in the interface.
const READ_WRITE: u32 = 1;
const CREATE: u32 = 1 << 1;

/// Opens a file by our own interface; an error is its code.
fn opened(path: &str, how: u32) -> Result<(), u8> {
    let mut answer = Answer::default();
    // SAFETY: the path is `length` bytes, and `answer` outlives the call.
    unsafe { host_open(path.as_ptr(), path.len(), how, &mut answer) };
    if answer.is_error != 0 {
        // The payload is as wide as a record's alignment.
        return Err(answer.file as u8);
    }
    // Bit 0 of the flags, which follow the handle: the file can only be read.
    if how & READ_WRITE != 0 && answer.flags & 1 != 0 { Err(u8::MAX) } else { Ok(()) }
}

/// Opens a file again and again, and keeps all.
fn open_all(path: &str) {
    let files: Vec<_> = (0..5000).map_while(|_| fs::File::open(path).ok()).collect();
    println!("opened: {}", if files.len() < 1000 { "few" } else { "many" });
    drop(files);
    report("read", fs::read_to_string(path));
}

/// Maps to ranges that are not whole pages, or that are in use, and reads what is left of a file
/// after it was unmapped or closed.
fn map(path: &str) {
    const UNIT: usize = 64 << 10;
    let memory = vec![1_u8; 4 * UNIT].leak();
    let start = memory.as_ptr().align_offset(UNIT);
    let mut answer = Answer::default();
    let file = open(path);
    let mut attempt = |what: &str, file, offset: usize, place: usize, length| {
        let place = memory.as_ptr().wrapping_add(place);
        // SAFETY: the host is to check all of it; `answer` outlives the call.
        unsafe { host_map(file, offset as u64, place, length, &mut answer) };
        let result = if answer.is_error == 0 { Ok(()) } else { Err(answer.error) };
        report(what, result);
    };
    attempt("half a page", file, 0, start, UNIT / 32);
    attempt("beside a page", file, 0, start + 1, UNIT);
    attempt("nothing", file, 0, start, 0);
    attempt("beside an offset", file, UNIT / 2, start, UNIT);
    attempt("a page", file, 0, start, UNIT);
    attempt("the same page", file, 0, start, UNIT);
    attempt("another part of the file", file, UNIT, start, UNIT);
    let other = open(path);
    attempt("another file", other, 0, start, UNIT);
    attempt("a page too many", other, 0, start, 2 * UNIT);
    println!("mapped: {}", String::from_utf8_lossy(&memory[start..start + 6]));
    // Memory for the host's own replies.
    let answer = memory[start..].as_mut_ptr().cast();
    // SAFETY: the memory is ours, and large enough.
    unsafe { host_map(file, 1, memory.as_ptr(), 1, answer) };
    // SAFETY: both are open.
    unsafe {
        host_unmap(file);
        host_close(other);
    }
    println!("unmapped: {:?}", &memory[start..start + 6]);
    // SAFETY: it is open.
    unsafe { host_close(file) };
}

fn open(path: &str) -> u32 {
    let mut answer = Answer::default();
    // SAFETY: the path is `length` bytes, and `answer` outlives the call.
    unsafe { host_open(path.as_ptr(), path.len(), 0, &mut answer) };
    assert_eq!(answer.is_error, 0, "the file can be opened");
    answer.file
}
