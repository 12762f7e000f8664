//! The hostile guest: tries what each argument says and prints what came of it.
//!
//! `read=PATH` and `write=PATH` try a file, `list=PATH` a folder,
//! `link=PATH::TARGET` makes a symbolic link and goes through it,
//! `hard-link=FROM::TO` and `move=FROM::TO` take a file in or out,
//! `connect=ADDRESS` tries the network, `run=PATH` a program, and `environment`
//! shows all of it.

use std::ffi::{CString, c_char, c_int};
use std::fmt::Debug;
use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::process::Command;
use std::{env, fs};

fn main() {
    for argument in env::args().skip(1) {
        let (deed, object) = argument.split_once('=').unwrap_or((&argument, ""));
        attempt(deed, object);
    }
}

fn attempt(deed: &str, object: &str) {
    match deed {
        "read" => report(deed, fs::read_to_string(object)),
        "write" => report(deed, fs::write(object, "written")),
        "list" => report(deed, fs::read_dir(object).map(Iterator::count)),
        "link" => link(object),
        "hard-link" => report(deed, fs::hard_link(pair(object).0, pair(object).1)),
        "move" => report(deed, fs::rename(pair(object).0, pair(object).1)),
        "connect" => connect(object),
        "run" => report(deed, Command::new(object).status()),
        "environment" => env::vars().for_each(|(name, value)| println!("{name}={value}")),
        _ => println!("{deed}: not understood"),
    }
}

fn report<T: Debug, E: Debug>(deed: &str, result: Result<T, E>) {
    match result {
        Ok(value) => println!("{deed}: done {value:?}"),
        Err(error) => println!("{deed}: refused {error:?}"),
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
