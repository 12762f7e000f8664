//! File systems that are interfaces of the kernel. Their files are not data:
//! `/proc/self/mem` is the runner's own memory.

use std::os::fd::AsFd;

use rustix::fs::fstatfs;

/// The types of these file systems, from `linux/magic.h`.
const KERNEL: &[u32] = &[
    0x0000_9fa0, // PROC
    0x6265_6572, // SYSFS
    0x6462_6720, // DEBUGFS
    0x7472_6163, // TRACEFS
    0x7363_6673, // SECURITYFS
    0xf97c_ff8c, // SELINUX
    0x0027_e0eb, // CGROUP
    0x6367_7270, // CGROUP2
    0xcafe_4a11, // BPF_FS
    0x6265_6570, // CONFIGFS
    0xde5e_81e4, // EFIVARFS
    0x0000_1cd1, // DEVPTS
];

/// Whether this file or directory is on such a file system.
///
/// # Errors
///
/// The system's.
pub fn is_kernels(file: impl AsFd) -> rustix::io::Result<bool> {
    let kind = u32::try_from(fstatfs(file)?.f_type);
    Ok(kind.is_ok_and(|kind| KERNEL.contains(&kind)))
}
