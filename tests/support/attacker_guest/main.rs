//! The attacker's component: does what each argument says by the runner's own
//! interfaces, and prints what came of it. `support/attacker.rs` builds it with
//! the WIT of the tree; paths are pointer and length there, whatever the type.
//!
//! `ACTION=OBJECT`, with `::` between the parts of an object. Actions that begin
//! with `wasi-` go through `wasi:filesystem`, `files-` through `files`.

use std::ffi::{CString, c_char, c_int};
use std::fmt::Debug;
use std::fs;

mod host;

use host::*;

fn main() {
    for argument in std::env::args().skip(1) {
        let (action, object) = argument.split_once('=').unwrap_or((&argument, ""));
        let parts: Vec<&str> = object.split("::").collect();
        perform(action, &parts);
    }
}

const READ_WRITE: u32 = 1;
const CREATE: u32 = 1 << 1;
const REWRITE: u32 = 1 << 6;

fn perform(action: &str, parts: &[&str]) {
    let first = parts[0];
    match action {
        "wasi-read" => report(action, fs::read_to_string(first)),
        "wasi-write" => report(action, fs::write(first, "written")),
        "wasi-remove" => report(action, fs::remove_file(first)),
        "wasi-remove-directory" => report(action, fs::remove_dir_all(first)),
        "wasi-create-directory" => report(action, fs::create_dir(first)),
        "wasi-move" => report(action, fs::rename(first, parts[1])),
        "wasi-hard-link" => report(action, fs::hard_link(first, parts[1])),
        "wasi-link" => report(action, link(first, parts[1])),
        "wasi-inside" => report(action, make_inside(first, parts[1])),
        "files-read" => report(action, read(first)),
        "files-write" => report(action, write(first, READ_WRITE)),
        "files-create" => report(action, write(first, READ_WRITE | CREATE)),
        "files-rewrite" => report(action, write(first, REWRITE)),
        "files-open" => report(action, open(first, number(parts[1])).map(drop)),
        "files-delete" => report(action, on_path(host_delete, first, 0)),
        "files-permissions" => report(action, on_path(host_set_permissions, first, 0o777)),
        "files-exists" => report(action, access(first).then_some(()).ok_or(())),
        "files-resolve" => report(action, text_of(host_resolve, first)),
        "files-target" => report(action, text_of(host_link_target, first)),
        "files-attributes" => report(action, attributes(first)),
        "startup" => report(action, startup_file(first)),
        "granted" => report(action, granted(first).then_some(()).ok_or(())),
        "load" => report(action, load(first)),
        "history" => history(parts),
        "remember-many" => remember_many(number(first), number(parts[1]) as usize),
        "refuse-many" => refuse_many(number(first)),
        "race" => race(parts),
        "call" => call(parts),
        _ => println!("{action}: not understood"),
    }
}

fn report<T: Debug, E: Debug>(action: &str, result: Result<T, E>) {
    match result {
        Ok(value) => println!("{action}: done {value:?}"),
        Err(error) => println!("{action}: refused {error:?}"),
    }
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or(0)
}

unsafe extern "C" {
    fn symlink(target: *const c_char, path: *const c_char) -> c_int;
    #[link_name = "open"]
    fn c_open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn openat(directory: c_int, path: *const c_char, flags: c_int, ...) -> c_int;
}

// As `fcntl.h` of wasi-libc has them.
const O_RDONLY: c_int = 0x0400_0000;
const O_RDWR: c_int = 0x1400_0000;
const O_NOFOLLOW: c_int = 0x0100_0000;
const O_CREAT: c_int = 1 << 12;
const O_DIRECTORY: c_int = 2 << 12;

/// Open a directory by what it is, no link followed, and a file below its
/// handle.
fn make_inside(directory: &str, file: &str) -> Result<(), std::io::Error> {
    let [directory, file] = [directory, file].map(|text| CString::new(text).expect("no NUL"));
    // SAFETY: both are C strings, and the handle was opened just before.
    let opened = unsafe {
        match c_open(directory.as_ptr(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW) {
            -1 => -1,
            directory => openat(directory, file.as_ptr(), O_RDWR | O_CREAT, 0o644),
        }
    };
    if opened < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

fn link(path: &str, target: &str) -> Result<(), c_int> {
    let [target, path] = [target, path].map(|text| CString::new(text).expect("no NUL"));
    // SAFETY: both are C strings.
    match unsafe { symlink(target.as_ptr(), path.as_ptr()) } {
        0 => Ok(()),
        error => Err(error),
    }
}

fn open(path: &str, how: u32) -> Result<u32, u8> {
    let mut reply = Reply::new();
    // SAFETY: the path is `length` bytes, and the reply outlives the call.
    unsafe { host_open(path.as_ptr(), path.len(), how, &mut reply) };
    reply.checked(4).map(|()| reply.word(4))
}

fn read(path: &str) -> Result<String, u8> {
    let file = open(path, 0)?;
    let mut reply = Reply::new();
    // SAFETY: the reply outlives the call.
    unsafe { host_read(file, 0, 4096, &mut reply) };
    reply.checked(4).map(|()| reply.text(4))
}

fn write(path: &str, how: u32) -> Result<(), u8> {
    let file = open(path, how)?;
    let (data, mut reply) = ("written", Reply::new());
    // SAFETY: the data is `length` bytes, and the reply outlives the call.
    unsafe { host_write(file, 0, data.as_ptr(), data.len(), &mut reply) };
    reply.checked(1)
}

fn on_path(function: OnPath, path: &str, argument: u32) -> Result<(), u8> {
    let mut reply = Reply::new();
    // SAFETY: the path is `length` bytes, and the reply outlives the call.
    unsafe { function(path.as_ptr(), path.len(), argument, &mut reply) };
    reply.checked(1)
}

fn text_of(function: TextOf, path: &str) -> Result<String, u8> {
    let mut reply = Reply::new();
    // SAFETY: the path is `length` bytes, and the reply outlives the call.
    unsafe { function(path.as_ptr(), path.len(), &mut reply) };
    reply.checked(4).map(|()| reply.text(4))
}

fn attributes(path: &str) -> Result<u32, u8> {
    let mut reply = Reply::new();
    // SAFETY: the path is `length` bytes, and the reply outlives the call.
    unsafe { host_attributes(path.as_ptr(), path.len(), &mut reply) };
    reply.checked(4).map(|()| reply.word(4))
}

fn access(path: &str) -> bool {
    // SAFETY: the path is `length` bytes.
    unsafe { host_access(path.as_ptr(), path.len(), 0) != 0 }
}

fn granted(path: &str) -> bool {
    // SAFETY: the path is `length` bytes.
    unsafe { host_check_granted(path.as_ptr(), path.len()) != 0 }
}

fn startup_file(path: &str) -> Result<String, ()> {
    let mut reply = Reply::new();
    // SAFETY: the path is `length` bytes, and the reply outlives the call.
    unsafe { host_startup_file(path.as_ptr(), path.len(), &mut reply) };
    if reply.0[0] == 0 { Err(()) } else { Ok(reply.text(4)) }
}

/// The extension's handle, or the host's message.
fn load(name: &str) -> Result<u32, String> {
    let mut reply = Reply::new();
    // SAFETY: the name is `length` bytes, and the reply outlives the call.
    unsafe { host_load(name.as_ptr(), name.len(), &mut reply) };
    if reply.0[0] == 0 { Ok(reply.word(4)) } else { Err(reply.text(4)) }
}

/// `LIMIT::LINE::LINE…`: what a shell does at its end, without any user.
fn history(parts: &[&str]) {
    // SAFETY: each line is `length` bytes.
    unsafe {
        host_load_history();
        for line in &parts[1..] {
            host_remember(line.as_ptr(), line.len());
        }
        host_save_history(number(parts[0]));
    }
    println!("history: done");
}

fn remember_many(count: u32, bytes: usize) {
    let mut line = vec![b'x'; bytes];
    for index in 0..count {
        line[..4].copy_from_slice(&(index | 0x6060_6060).to_le_bytes().map(|byte| byte & 0x7f));
        // SAFETY: the line is `length` bytes.
        unsafe { host_remember(line.as_ptr(), line.len()) };
    }
    println!("remember-many: done");
}

/// Directories that are there, each in another way.
fn refuse_many(count: u32) {
    const BITS: u32 = 20;
    for index in 0..count {
        let way = |bit: u32| if index >> bit & 1 == 1 { "/usr/.." } else { "/etc/.." };
        let path: String = (0..BITS).map(way).chain(["/etc/hidden"]).collect();
        let _ = (open(&path, 0), granted(&path));
    }
    println!("refuse-many: done");
}

/// `DATABASE::LENGTH::ROUNDS`: checks whether a path exists that is in shared
/// memory, where another process changes it. Prints how often it did.
fn race(parts: &[&str]) {
    const UNIT: usize = 64 << 10;
    let memory = vec![0_u8; 2 * UNIT].leak();
    let start = memory.as_ptr().align_offset(UNIT);
    let place = memory[start..].as_ptr();
    let mut reply = Reply::new();
    let mut found = 0;
    let mut unsound = 0;
    // SAFETY: the memory is one unit of ours, and the reply outlives each call.
    unsafe {
        let file = open(parts[0], READ_WRITE | CREATE).expect("the database is granted");
        host_shm_open(file, 0, &mut reply);
        reply.checked(1).expect("shared memory can be opened");
        host_shm_reach(file, UNIT as u64, 1, &mut reply);
        host_shm_map(file, 0, place, UNIT, &mut reply);
        reply.checked(1).expect("shared memory can be mapped");
        println!("race: ready");
        let (path, length) = (place.add(UNIT / 2), number(parts[1]) as usize);
        for round in 0..number(parts[2]) {
            found += u32::from(host_access(path, length, 0) != 0);
            if round % 16 == 0 {
                host_resolve(path, length, &mut reply);
                unsound += u32::from(reply.0[0] == 0 && reply.bytes(4).len() > 4096);
            }
        }
    }
    println!("race: done {found} {unsound}");
}

/// `NAME::TEXT::NUMBER::NUMBER::NUMBER`: any function with any arguments.
fn call(parts: &[&str]) {
    let text = parts.get(1).copied().unwrap_or_default();
    let numbers: Vec<u64> = parts[2..].iter().map(|part| part.parse().unwrap_or(0)).collect();
    let [a, b, c] = [0, 1, 2].map(|place| numbers.get(place).copied().unwrap_or(0));
    let (a32, b32, c32) = (a as u32, b as u32, c as u32);
    let (start, length) = (text.as_ptr(), text.len());
    let mut reply = Reply::new();
    let reply = &mut reply;
    // SAFETY: the host must check all of it: the test passes wrong handles on purpose. The reply
    // outlives each call, and is larger than any result.
    unsafe {
        match parts[0] {
            "open" => host_open(start, length, a32 & 0x7f, reply),
            "open-descriptor" => host_open_descriptor(a32, reply),
            "open-temporary" => host_open_temporary(reply),
            "close" => host_close(a32),
            "read" => host_read(a32, b, c32, reply),
            "write" => host_write(a32, b, start, length, reply),
            "write-anywhere" => host_write(a32, b, c as usize as *const u8, length, reply),
            "truncate" => host_truncate(a32, b, reply),
            "sync" => host_sync(a32, reply),
            "size" => host_size(a32, reply),
            "reserve" => host_reserve(a32, b, reply),
            "lock" => host_lock(a32, b32 % 5, reply),
            "unlock" => host_unlock(a32, b32 % 5, reply),
            "delete" => host_delete(start, length, a32 & 1, reply),
            "access" => drop(host_access(start, length, a32 & 1)),
            "resolve" => host_resolve(start, length, reply),
            "target" => host_link_target(start, length, reply),
            "attributes" => host_attributes(start, length, reply),
            "permissions" => host_set_permissions(start, length, a32, reply),
            "shm-open" => host_shm_open(a32, b32 & 1, reply),
            "shm-reach" => host_shm_reach(a32, b, c32 & 1, reply),
            "shm-map" => host_shm_map(a32, b, c as usize as *const u8, 64 << 10, reply),
            "shm-lock" => host_shm_lock(a32, b32, c32, 1, reply),
            "shm-close" => host_shm_close(a32, b32 & 1),
            "map-file" => host_map_file(a32, b, c as usize as *const u8, 64 << 10, reply),
            "unmap-file" => host_unmap_file(a32),
            "load" => host_load(start, length, reply),
            "attach" => host_attach(a32, reply),
            "disconnect" => host_disconnect(a32, reply),
            "resume-nothing" => {
                host_resume_nothing(a32, b32 & 1, start as usize, length, c as usize, reply);
            }
            "resume-output" => {
                host_resume_output(a32, b32 & 1, start as usize, length, c as usize, reply);
            }
            "connect" => host_connect(a32, reply),
            "scalar-call" => {
                // The text holds values of 16 bytes each.
                host_scalar_call(a32, b32, start.next_aligned(), length / 16, start, 0, reply);
            }
            "inline-call" => host_inline_call(a32, b32, c, c, c, c, c, c, c, c, c, reply),
            "inline-pending-result" => host_inline_pending_result(a32, b32, reply),
            "aggregate-start" => host_aggregate_start(a32, b32, reply),
            "aggregate-finish" => host_aggregate_finish(a32, b32, reply),
            "aggregate-abandon" => host_aggregate_abandon(a32, b32, reply),
            "table-open" => host_table_open(a32, b32, reply),
            "table-close" => host_table_close(a32, b32, reply),
            "table-fetch-batch" => host_table_fetch_batch(a32, b32, c32, reply),
            "table-destroy" => host_table_destroy(a32, b32, reply),
            name => println!("{name}: not understood"),
        }
    }
    println!("{}: {} {}", parts[0], reply.0[0], reply.word(4));
}

trait Aligned {
    /// The next address that is a multiple of eight.
    fn next_aligned(self) -> Self;
}

impl Aligned for *const u8 {
    fn next_aligned(self) -> Self {
        self.wrapping_add(self.align_offset(8))
    }
}
