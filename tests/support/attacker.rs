//! What an attacker has: a component that calls the runner's interfaces as it
//! likes, native code that nobody should run, seals made without the key,
//! composed files with any list, and other processes that change files.
//!
//! What may change with the runner (the layout of seals and lists, the WIT) is
//! known here and nowhere else in the attacks.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;

use super::{Directory, End, Input, Outcome};

/// The exit code of [`native_payload`]: machine code that the attacker chose ran.
pub const PAYLOAD_RAN: i32 = 77;

/// What a seal begins with, in any version.
const SEAL_MAGIC: &[u8] = b"sqwasm0";

/// Most bytes of a seal.
const MAX_SEAL_BYTES: usize = 256;

/// Bytes of a composed file behind its list: the list's length, and a magic.
const LIST_TAIL_BYTES: usize = 12;

/// The custom section that holds the list.
const LIST_SECTION: &str = "sqlite-wasm:composition";

/// The attacker's component, compiled and sealed by this user.
pub fn component() -> &'static str {
    &both().1
}

/// The attacker's component as `.wasm`.
pub fn portable() -> &'static str {
    &both().0
}

fn both() -> &'static (String, String) {
    static BOTH: OnceLock<(String, String)> = OnceLock::new();
    BOTH.get_or_init(|| super::hostile::prepared("attacker", build))
}

const WORLD: &str = "package attacks:guest;
    world guest {
        import sqlite-wasm:host/files@0.1.0;
        import sqlite-wasm:host/shared-memory@0.1.0;
        import sqlite-wasm:host/console@0.1.0;
        import sqlite-wasm:host/process@0.1.0;
        import sqlite-wasm:host/dispatch@0.1.0;
    }";

/// Builds `attacker_guest` on the WIT of the tree.
fn build(directory: &Path) -> Outcome {
    let interfaces = directory.join("wit");
    fs::create_dir_all(interfaces.join("deps")).expect("the directory is ours");
    fs::write(interfaces.join("world.wit"), WORLD).expect("the directory is ours");
    for package in ["host", "extension"] {
        let source = super::repository().join("wit").join(package);
        symlink(source, interfaces.join("deps").join(package)).expect("the directory is ours");
    }
    // The toolchain that builds these tests has the target: the CLI needs it.
    let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
    rustc
        .args(["--edition=2024", "-O", "-Cstrip=symbols", "--target=wasm32-wasip2"])
        .arg(super::repository().join("tests/support/attacker_guest/main.rs"))
        .arg(format!("-Clink-arg=--component-type={}", interfaces.display()))
        .arg("-o")
        .arg(directory.join("attacker.wasm"));
    super::finish(rustc, &Input::Nothing)
}

/// Runs the attacker's component in `directory` with options of the runner.
pub fn attack(directory: &Path, options: &[&str], actions: &[impl AsRef<str>]) -> Outcome {
    let mut args = options.to_vec();
    args.push(component());
    args.extend(actions.iter().map(AsRef::as_ref));
    super::ours(directory, &args)
}

/// Fails unless each action was refused.
#[track_caller]
pub fn all_refused(run: Outcome) -> Outcome {
    let run = run.exits_with(0);
    assert!(run.out().lines().all(|line| line.contains(": refused")), "something was done\n{run}");
    assert!(!run.out().is_empty(), "nothing was tried\n{run}");
    run
}

/// Fails unless each action was done.
#[track_caller]
pub fn all_done(run: Outcome) -> Outcome {
    let run = run.exits_with(0);
    assert!(run.out().lines().all(|line| line.contains(": done")), "something was refused\n{run}");
    assert!(!run.out().is_empty(), "nothing was tried\n{run}");
    run
}

/// Compiles `component`, and returns the sealed file's bytes.
pub fn precompiled(component: &Path) -> Vec<u8> {
    let directory = Directory::fresh("precompiled");
    let text = component.to_str().expect("the path is UTF-8");
    super::ours(&directory.path(), &["precompile", text, "-o", "made.cwasm"]).exits_with(0);
    fs::read(directory.path().join("made.cwasm")).expect("it was just made")
}

/// A `.cwasm` whose functions all end the process with [`PAYLOAD_RAN`], sealed
/// as well as somebody can who has not the key.
pub fn native_payload(component: &Path) -> Vec<u8> {
    resealed(&precompiled(component), overwrite_code)
}

/// The code of a sealed file, and its seal.
pub fn parts(sealed: &[u8]) -> (&[u8], &[u8]) {
    let start = sealed.len() - MAX_SEAL_BYTES;
    let mut windows = sealed[start..].windows(SEAL_MAGIC.len());
    let magic = windows.rposition(|window| window == SEAL_MAGIC);
    sealed.split_at(start + magic.expect("it has a seal"))
}

/// The file with other code, and a seal that an attacker can make: all but what
/// the key signs.
pub fn resealed(sealed: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let (code, seal) = parts(sealed);
    let (mut code, mut seal) = (code.to_vec(), seal.to_vec());
    change(&mut code);
    let place = code_hash(&seal);
    seal[place..place + blake3::OUT_LEN].copy_from_slice(blake3::hash(&code).as_bytes());
    [code, seal].concat()
}

/// The same file, signed with another key.
pub fn signed_with(sealed: &[u8], key: &[u8; 32]) -> Vec<u8> {
    let (code, seal) = parts(sealed);
    let (signed, signature) = seal.split_at(seal.len() - blake3::OUT_LEN);
    // Without its own signature, only the code's hash identifies it.
    let message = if code_hash(seal) == signed.len() { code } else { signed };
    let other = blake3::keyed_hash(key, message);
    assert_ne!(other.as_bytes(), signature);
    [code, signed, other.as_bytes()].concat()
}

/// Where the hash of the code is in a seal.
fn code_hash(seal: &[u8]) -> usize {
    // Magic, length, two hashes of the `.wasm`; the first version had no hashes.
    const OFFSET: usize = 8 + 8 + 32 + 32;
    if seal.len() > OFFSET { OFFSET } else { 16 }
}

/// Instructions that end the process, and one that does nothing.
#[cfg(target_arch = "x86_64")]
const PAYLOAD: (&[u8], &[u8]) =
    (&[0xbf, PAYLOAD_RAN as u8, 0, 0, 0, 0xb8, 231, 0, 0, 0, 0x0f, 0x05], &[0x90]);
#[cfg(target_arch = "aarch64")]
const PAYLOAD: (&[u8], &[u8]) = (
    &[0xa0, 0x09, 0x80, 0xd2, 0xc8, 0x0b, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4],
    &[0x1f, 0x20, 0x03, 0xd5],
);

/// Replaces all machine code of an ELF file: whatever is called slides to the
/// payload at the end.
fn overwrite_code(elf: &mut [u8]) {
    let (exit, nothing) = PAYLOAD;
    let text = section(elf, b".text\0");
    let end = text.end - exit.len() - (text.len() - exit.len()) % nothing.len();
    for place in elf[text.start..end].chunks_exact_mut(nothing.len()) {
        place.copy_from_slice(nothing);
    }
    elf[end..end + exit.len()].copy_from_slice(exit);
}

/// Where a section is in a 64-bit little-endian ELF file.
fn section(elf: &[u8], name: &[u8]) -> std::ops::Range<usize> {
    let number = |place: usize, bytes: usize| {
        elf[place..place + bytes].iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    };
    let header = |index: usize| number(0x28, 8) + index * number(0x3a, 2);
    let names = number(header(number(0x3e, 2)) + 0x18, 8);
    let found = (0..number(0x3c, 2))
        .map(header)
        .find(|&header| elf[names + number(header, 4)..].starts_with(name));
    let header = found.expect("the file has the section");
    let start = number(header + 0x18, 8);
    start..start + number(header + 0x20, 8)
}

/// The list of a composed `.wasm`, and the bytes in front of the custom
/// section that holds it.
pub fn list_of(composed: &[u8]) -> (String, usize) {
    let end = composed.len() - LIST_TAIL_BYTES;
    let length = composed[end..end + 4].try_into().expect("four bytes");
    let start = end - u32::from_le_bytes(length) as usize;
    let json = String::from_utf8(composed[start..end].to_vec()).expect("the list is JSON");
    // In front of the list are the section's id, its length, and its name.
    let name =
        composed[..start].windows(LIST_SECTION.len()).rposition(|at| at == LIST_SECTION.as_bytes());
    let content = name.expect("the list is in a section") - 1;
    let length = leb128(composed.len() - content);
    (json, content - length.len() - 1)
}

/// A composed `.wasm` with any list: `like` shows the magic.
pub fn with_list(component: &[u8], json: &str, like: &[u8]) -> Vec<u8> {
    let magic = &like[like.len() - 8..];
    let length = u32::try_from(json.len()).expect("a list is short").to_le_bytes();
    let name = [&[LIST_SECTION.len() as u8], LIST_SECTION.as_bytes()].concat();
    let content = [&name, json.as_bytes(), &length, magic].concat();
    [component, &[0], &leb128(content.len()), &content].concat()
}

/// An unsigned integer as WebAssembly encodes it.
pub fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// Does something again and again, in a thread, while `meanwhile` runs: at most
/// for as long as a test may take.
pub fn while_changing<T>(mut change: impl FnMut() + Send, meanwhile: impl FnOnce() -> T) -> T {
    const AT_MOST: Duration = Duration::from_secs(20);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            while !done.load(Ordering::Relaxed) && start.elapsed() < AT_MOST {
                change();
            }
        });
        let result = meanwhile();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// How a program used the machine.
pub struct Used {
    /// What came of it.
    pub run: Outcome,
    /// Most memory that it had, with that of its children.
    pub peak_bytes: u64,
    /// Processor time, with that of the processes that it waited for.
    pub processor: Duration,
}

/// Runs our program, and measures it.
pub fn measured(directory: &Path, args: &[impl AsRef<str>], input: &str) -> Used {
    let file = |name: &str, content: &str| {
        let path = directory.join(name);
        fs::write(&path, content).expect("the directory is ours");
        File::options().read(true).append(true).open(path).expect("it was just made")
    };
    let (out, err) = (file("measured.out", ""), file("measured.err", ""));
    let mut command = super::command(&super::our_binary(), args, directory);
    let read = |mut file: File| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).expect("it is a file");
        file.take(MAX_KEPT_BYTES).read_to_end(&mut bytes).expect("it can be read");
        bytes
    };
    let shared = |file: &File| file.try_clone().expect("a file can be shared");
    command.stdin(file("measured.in", input)).stdout(shared(&out)).stderr(shared(&err));
    let (end, peak_bytes, usage) = waited(&super::spawn(&mut command));
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    Used {
        run: Outcome {
            command: format!("{command:?}"),
            directory: directory.into(),
            end,
            stdout: read(out),
            stderr: read(err),
        },
        peak_bytes,
        processor: time(usage.ru_utime) + time(usage.ru_stime),
    }
}

/// Most bytes of output that are looked at.
const MAX_KEPT_BYTES: u64 = 8 << 20;

/// Waits for a child, and kills it when it takes too long; its peak memory
/// together with that of its children. (What `wait4` has as the peak counts this
/// process as well, which the child was forked from.)
fn waited(child: &Child) -> (End, u64, libc::rusage) {
    let process = i32::try_from(child.id()).expect("process numbers are small");
    let deadline = Instant::now() + super::TIME_LIMIT;
    let (mut killed, mut peak_bytes) = (false, 0);
    loop {
        peak_bytes = peak_bytes.max(tree_peak_bytes(child.id()));
        let mut status = 0;
        // SAFETY: a rusage of zeros is one.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both variables may be written; the child is ours, and nobody else waits for it.
        let result = unsafe { libc::wait4(process, &mut status, libc::WNOHANG, &mut usage) };
        assert!(result >= 0, "our own child can be waited for");
        if result == process {
            let end = End::from(ExitStatus::from_raw(status));
            return (if killed { End::TimedOut } else { end }, peak_bytes, usage);
        }
        if Instant::now() > deadline && !killed {
            super::session::signal(child, libc::SIGKILL);
            killed = true;
        }
        thread::sleep(super::POLL_INTERVAL);
    }
}

/// The peaks of a process and its children, as far as they still run: each is
/// read again and again.
fn tree_peak_bytes(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children: u64 = tasks
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .map(tree_peak_bytes)
        .sum();
    (peak.unwrap_or(0) << 10) + children
}

/// Fails unless no control character but the line's end is in a text, and no
/// line begins with one of the attacker's.
#[track_caller]
pub fn is_escaped(text: &[u8], forged: &str, run: &Outcome) {
    let is_control = |byte: &u8| (byte.is_ascii_control() && *byte != b'\n') || *byte == 0x7f;
    assert!(!text.iter().any(is_control), "control characters\n{run}");
    let text = String::from_utf8_lossy(text);
    assert!(!text.lines().any(|line| line.starts_with(forged)), "a forged line\n{run}");
    let turns = |letter: char| ('\u{80}'..='\u{9f}').contains(&letter) || letter == '\u{202e}';
    assert!(!text.contains(turns), "characters that turn the text\n{run}");
}
