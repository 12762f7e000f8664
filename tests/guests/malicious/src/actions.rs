//! The actions.

use std::fmt::Debug;
use std::io::Read;
#[cfg(feature = "network")]
use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::process::Command;
use std::{env, fs, hint, thread, time};

/// Do it; what became of it, where that is something.
pub fn perform(action: &str) -> String {
    match action {
        "panic" => panic!("the malicious panic"),
        "loop" => endless(),
        "memory" => fill_memory(),
        "recursion" => recurse(1).to_string(),
        "log" => fill_log(),
        "escape" => panic!("\u{1b}[2J\nerror: not by malicious\r\u{7}"),
        "exit" => std::process::exit(3),
        "sleep" => {
            thread::sleep(time::Duration::from_secs(3600));
            "slept".into()
        }
        "files" => files(),
        #[cfg(feature = "network")]
        "network" => network(),
        "environment" => environment(),
        "program" => tell("run", Command::new("/bin/true").status()),
        _ => action.strip_prefix("read ").map_or_else(|| "valid".into(), read),
    }
}

fn read(path: &str) -> String {
    let mut byte = [0];
    match fs::File::open(path).and_then(|mut file| file.read(&mut byte)) {
        Ok(count) => format!("{count} bytes"),
        Err(error) => error.to_string(),
    }
}

fn endless() -> ! {
    let mut count = 0u64;
    loop {
        count = hint::black_box(count.wrapping_add(1));
    }
}

fn fill_memory() -> String {
    let mut all: Vec<Vec<u8>> = Vec::new();
    loop {
        all.push(hint::black_box(vec![1; 16 << 20]));
    }
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    let frame = hint::black_box([depth; 64]);
    recurse(depth + 1) + frame[0]
}

fn fill_log() -> String {
    loop {
        eprintln!("{}", "the malicious log ".repeat(100));
    }
}

fn tell<T: Debug, E: Debug>(action: &str, result: Result<T, E>) -> String {
    match result {
        Ok(value) => format!("{action}: done {value:?}"),
        Err(_) => format!("{action}: refused"),
    }
}

fn files() -> String {
    [
        tell("read", fs::read("/etc/passwd")),
        tell("relative", fs::read("test.db")),
        tell("write", fs::write("/tmp/malicious", "malicious")),
        tell("list", fs::read_dir("/").map(Iterator::count)),
        tell("remove", fs::remove_file("test.db")),
    ]
    .join(", ")
}

#[cfg(feature = "network")]
fn network() -> String {
    [
        tell("connect", TcpStream::connect("127.0.0.1:80").map(|_| ())),
        tell("lookup", "localhost:80".to_socket_addrs().map(Iterator::count)),
        tell("listen", TcpListener::bind("127.0.0.1:0").map(|_| ())),
        tell("datagram", UdpSocket::bind("127.0.0.1:0").map(|_| ())),
    ]
    .join(", ")
}

fn environment() -> String {
    let (variables, arguments) = (env::vars().count(), env::args().count());
    let directory = env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{variables} variables, {arguments} arguments, in `{directory}`")
}
