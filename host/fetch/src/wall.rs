//! The rights that this process gives up before it reads a byte of the network: all files, all
//! programs, and all sockets but TCP to its ports.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use landlock::{
    ABI, Access, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// The newest rights that are handled; older kernels know fewer.
const NEWEST: ABI = ABI::V7;

/// System calls that fail: they start programs, reach others, or undo a wall.
const REFUSED: [i64; 14] = [
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_open_by_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_mount,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
];

/// The bits of a socket's type without its flags.
const TYPE_BITS: u64 = 0xf;

/// Restrict this thread to TCP connections to these ports, irrevocably. An older kernel restricts
/// less.
pub fn raise(ports: impl Iterator<Item = u16>) -> Result<()> {
    nix::sys::prctl::set_no_new_privs().context("failed to set no_new_privs")?;
    restrict_access(ports).context("failed to restrict files and ports (Landlock)")?;
    let filter = filter().context("failed to make the filter of system calls")?;
    apply_filter(&filter).context("failed to restrict system calls (seccomp)")
}

fn restrict_access(ports: impl Iterator<Item = u16>) -> Result<()> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for port in ports {
        rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    rules.restrict_self()?;
    Ok(())
}

fn filter() -> Result<BpfProgram> {
    let is_not = |number: u8, operation, value: i32| {
        SeccompCondition::new(number, SeccompCmpArgLen::Dword, operation, value as u64)
    };
    let families = SeccompRule::new(vec![
        is_not(0, SeccompCmpOp::Ne, libc::AF_INET)?,
        is_not(0, SeccompCmpOp::Ne, libc::AF_INET6)?,
    ])?;
    let kind = |kind: i32| -> Result<SeccompRule> {
        Ok(SeccompRule::new(vec![is_not(1, SeccompCmpOp::MaskedEq(TYPE_BITS), kind)?])?)
    };
    let sockets = vec![families, kind(libc::SOCK_DGRAM)?, kind(libc::SOCK_RAW)?];
    let mut rules: BTreeMap<_, _> = REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets);
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let target = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refuse, target)?.try_into()?)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    use super::*;

    /// What a process can do that was not restricted, and one that was.
    fn reached(port: u16, other_port: u16) -> [bool; 7] {
        [
            TcpStream::connect(("127.0.0.1", port)).is_ok(),
            TcpStream::connect(("127.0.0.1", other_port)).is_ok(),
            TcpListener::bind("127.0.0.1:0").is_ok(),
            UdpSocket::bind("127.0.0.1:0").is_ok(),
            UnixStream::pair().is_ok(),
            File::open("/etc/passwd").is_ok(),
            Command::new("/bin/true").status().is_ok(),
        ]
    }

    #[test]
    fn only_the_ports_of_the_source_are_reached() {
        let [one, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [port, other_port] = [&one, &other].map(|it| it.local_addr().unwrap().port());
        assert_eq!(reached(port, other_port), [true; 7]);
        // The walls bind this thread alone.
        let walled = std::thread::spawn(move || {
            raise([port].into_iter()).unwrap();
            reached(port, other_port)
        });
        let [own, others @ ..] = walled.join().unwrap();
        assert!(own);
        // A socket pair reaches nobody.
        assert_eq!(others, [false, false, false, true, false, false]);
    }
}
