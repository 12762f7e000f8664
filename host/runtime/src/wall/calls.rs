//! The table of system calls that are allowed behind the wall, with reasons. It
//! covers x86-64 and aarch64, glibc and musl; a group for one architecture has
//! its name.
//!
//! A call in no group fails with ENOSYS, as on an old kernel, for which
//! libraries have a fallback. Calls that only an attack would make end the
//! process ([`trap`](super::trap)).

use nix::libc::{self, *};

use super::filter::{Check, Group, Refusal, Rule};

/// What a process does with the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// It accepts connections at sockets that it has bound before.
    Accepts,
}

/// All groups of a process.
pub fn groups(network: Network) -> Vec<Group> {
    let more: &[Group] = match network {
        Network::None => &[Group { calls: ACCEPT, rule: TRAP }],
        Network::Accepts => &[Group { calls: ACCEPT, rule: Rule::Allow }, CONNECTIONS],
    };
    [GROUPS, more].concat()
}

/// The groups of every process.
const GROUPS: &[Group] = &[
    MEMORY, MEMORY_FILES, DATA, NAMES, MODES, MODES_AT, TERMINAL, TIME, WAITING, THREADS,
    NO_CLONE3, NEW_THREAD, OWN_LIMITS, OWN_STATE, PAIRS, PAIRS_SEND, SIGNALS, HELPER, NEXT_WALL,
    NEXT_FILTER, IDENTITY, NETWORK, OTHER_PROCESSES, NAMESPACES, KERNEL, USERS, HANDLES,
    #[cfg(target_arch = "x86_64")]
    NAMES_X86,
    #[cfg(target_arch = "x86_64")]
    TIME_X86,
    #[cfg(target_arch = "x86_64")]
    WAITING_X86,
    #[cfg(target_arch = "x86_64")]
    THREADS_X86,
    #[cfg(target_arch = "x86_64")]
    HELPER_X86,
    #[cfg(target_arch = "x86_64")]
    KERNEL_X86,
    #[cfg(target_arch = "aarch64")]
    NAMES_AARCH64,
];

const TRAP: Rule = Rule::Refuse(Refusal::Trap);

/// Memory; code is mapped and made executable at run time, so PROT_EXEC stays possible.
const MEMORY: Group = Group {
    calls: &[
        SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_msync,
        SYS_mincore, SYS_membarrier,
    ],
    rule: Rule::Allow,
};

/// `MFD_NOEXEC_SEAL`. Kernels before 6.3 refuse the flag.
const NEVER_EXECUTABLE: u32 = 0x8;

/// Files in memory, for the helper; Landlock does not see them, so none may be executed.
const MEMORY_FILES: Group = Group {
    calls: &[SYS_memfd_create],
    rule: Rule::If(
        &[Check::Bits(1, NEVER_EXECUTABLE, NEVER_EXECUTABLE)],
        Refusal::Error(libc::ENOSYS),
    ),
};

/// Reading, writing, locking and syncing open files.
const DATA: Group = Group {
    calls: &[
        SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv,
        SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_fstat, SYS_fstatfs, SYS_ftruncate,
        SYS_fallocate, SYS_fadvise64, SYS_readahead, SYS_fsync, SYS_fdatasync, SYS_fcntl,
        SYS_flock, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_pipe2, SYS_copy_file_range,
        SYS_sendfile, SYS_fchown, SYS_getdents64,
    ],
    rule: Rule::Allow,
};

/// Names of files; Landlock says which.
const NAMES: Group = Group {
    calls: &[
        SYS_openat, SYS_openat2, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat,
        SYS_faccessat2, SYS_readlinkat, SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat,
        SYS_symlinkat, SYS_utimensat, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask,
    ],
    rule: Rule::Allow,
};

/// Set-user-ID, set-group-ID and sticky: Landlock does not rule permissions, and
/// a file with these bits acts outside the wall.
const SPECIAL_BITS: u32 = 0o7000;

/// Permissions of open files, as a journal gets its database's.
const MODES: Group = Group {
    calls: &[
        SYS_fchmod,
        #[cfg(target_arch = "x86_64")]
        SYS_chmod,
    ],
    rule: Rule::If(&[Check::Bits(1, SPECIAL_BITS, 0)], Refusal::Error(libc::EPERM)),
};

/// Permissions of files by name.
const MODES_AT: Group = Group {
    calls: &[SYS_fchmodat],
    rule: Rule::If(&[Check::Bits(2, SPECIAL_BITS, 0)], Refusal::Error(libc::EPERM)),
};

/// Permissions by name with older calls, which musl makes.
#[cfg(target_arch = "x86_64")]
const NAMES_X86: Group = Group {
    calls: &[
        SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir,
        SYS_unlink, SYS_rename, SYS_renameat, SYS_link, SYS_symlink, SYS_getdents, SYS_utimes,
        SYS_utime, SYS_dup2, SYS_pipe,
    ],
    rule: Rule::Allow,
};

/// `renameat`, which the crate `libc` does not define for glibc on aarch64.
#[cfg(target_arch = "aarch64")]
const NAMES_AARCH64: Group = Group { calls: &[38], rule: Rule::Allow };

/// Terminals, and what std does with descriptors; not TIOCSTI, TIOCLINUX or devices.
const TERMINAL: Group = Group {
    calls: &[SYS_ioctl],
    rule: Rule::If(&[Check::OneOf(1, TERMINAL_REQUESTS)], Refusal::Error(libc::ENOTTY)),
};

/// Request codes of `ioctl`: the same on both architectures, while the constants' types differ
/// between libraries.
const TERMINAL_REQUESTS: &[u32] = &[
    0x5401,      // TCGETS
    0x5402,      // TCSETS
    0x5403,      // TCSETSW
    0x5404,      // TCSETSF
    0x5409,      // TCSBRK
    0x540a,      // TCXONC
    0x540b,      // TCFLSH
    0x540f,      // TIOCGPGRP
    0x5410,      // TIOCSPGRP
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x802c_542a, // TCGETS2
    0x402c_542b, // TCSETS2
    0x402c_542c, // TCSETSW2
    0x402c_542d, // TCSETSF2
];

/// Clocks, sleeping, and the timer of a time limit.
const TIME: Group = Group {
    calls: &[
        SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
        SYS_times, SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime,
        SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_timerfd_create,
        SYS_timerfd_settime, SYS_timerfd_gettime,
    ],
    rule: Rule::Allow,
};

/// Older clocks.
#[cfg(target_arch = "x86_64")]
const TIME_X86: Group = Group { calls: &[SYS_time, SYS_alarm], rule: Rule::Allow };

/// Waiting for files, as the line editor and the asynchronous runtime do.
const WAITING: Group = Group {
    calls: &[
        SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
        SYS_epoll_pwait2, SYS_eventfd2, SYS_signalfd4,
    ],
    rule: Rule::Allow,
};

/// The same with older calls.
#[cfg(target_arch = "x86_64")]
const WAITING_X86: Group =
    Group { calls: &[SYS_poll, SYS_select, SYS_epoll_wait, SYS_pause], rule: Rule::Allow };

/// Threads, signals of this process, and its end.
const THREADS: Group = Group {
    calls: &[
        SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_rseq,
        SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
        SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getcpu,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending,
        SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_restart_syscall,
        SYS_getrandom, SYS_exit, SYS_exit_group,
    ],
    rule: Rule::Allow,
};

/// The thread's registers, which the loader and the libraries set, and the
/// older call for the process group, which identifies the terminal's owner.
#[cfg(target_arch = "x86_64")]
const THREADS_X86: Group = Group { calls: &[SYS_arch_prctl, SYS_getpgrp], rule: Rule::Allow };

/// Its flags are in memory, where a filter cannot check them; libraries fall
/// back to `clone`.
const NO_CLONE3: Group =
    Group { calls: &[SYS_clone3], rule: Rule::Refuse(Refusal::Error(libc::ENOSYS)) };

/// Flags that would give a new process its own namespaces. (`CLONE_NEWTIME` is
/// not a flag of `clone`.)
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// Threads and the helper process, without new namespaces.
const NEW_THREAD: Group = Group {
    calls: &[SYS_clone],
    rule: Rule::If(&[Check::Bits(0, NEW_NAMESPACES, 0)], Refusal::Trap),
};

/// Limits, of this process alone.
const OWN_LIMITS: Group = Group {
    calls: &[SYS_prlimit64],
    rule: Rule::If(&[Check::OneOf(0, &[0])], Refusal::Error(libc::EPERM)),
};

/// `PR_SET_VMA`: names for memory, which libraries set.
const PR_SET_VMA: u32 = 0x5356_4d41;

/// `PR_GET_AUXV`: the auxiliary vector of the process.
const PR_GET_AUXV: u32 = 0x4155_5856;

/// A thread's name, and options that only reduce privileges.
const OWN_STATE: Group = Group {
    calls: &[SYS_prctl],
    rule: Rule::If(
        &[Check::OneOf(
            0,
            &[
                libc::PR_SET_PDEATHSIG as u32,
                libc::PR_GET_DUMPABLE as u32,
                libc::PR_SET_NAME as u32,
                libc::PR_GET_NAME as u32,
                libc::PR_SET_NO_NEW_PRIVS as u32,
                libc::PR_GET_NO_NEW_PRIVS as u32,
                libc::PR_CAPBSET_READ as u32,
                PR_SET_VMA,
                PR_GET_AUXV,
            ],
        )],
        Refusal::Error(libc::EINVAL),
    ),
};

/// The line editor's pair of sockets, which a signal handler uses to wake it.
const PAIRS: Group = Group {
    calls: &[SYS_socketpair],
    rule: Rule::If(
        &[Check::OneOf(0, &[libc::AF_UNIX as u32]), Check::Bits(1, 0xf, libc::SOCK_STREAM as u32)],
        Refusal::Trap,
    ),
};

/// Its two ends, without an address.
const PAIRS_SEND: Group =
    Group { calls: &[SYS_sendto, SYS_recvfrom], rule: Rule::If(&[Check::Null(4)], Refusal::Trap) };

/// Signals; Landlock keeps them inside from 6.12 on.
const SIGNALS: Group = Group { calls: &[SYS_kill, SYS_tgkill, SYS_tkill], rule: Rule::Allow };

/// The helper process; Landlock refuses to execute anything else.
const HELPER: Group = Group { calls: &[SYS_execve, SYS_wait4, SYS_waitid], rule: Rule::Allow };

/// The same with older calls.
#[cfg(target_arch = "x86_64")]
const HELPER_X86: Group = Group { calls: &[SYS_fork, SYS_vfork], rule: Rule::Allow };

/// The helper's own wall, inside this one.
const NEXT_WALL: Group = Group {
    calls: &[SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self],
    rule: Rule::Allow,
};

/// A seccomp filter, without a listener.
const NEXT_FILTER: Group = Group {
    calls: &[SYS_seccomp],
    rule: Rule::If(
        &[Check::OneOf(0, &[libc::SECCOMP_SET_MODE_FILTER]), Check::OneOf(1, &[0])],
        Refusal::Error(libc::EINVAL),
    ),
};

/// Information about this process and machine.
const IDENTITY: Group = Group {
    calls: &[
        SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
        SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_getpgid, SYS_getsid, SYS_getrusage,
        SYS_sysinfo, SYS_uname,
    ],
    rule: Rule::Allow,
};

/// Sockets of every family. The calls for messages also pass descriptors.
const NETWORK: Group = Group {
    calls: &[
        SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg,
        SYS_recvmmsg,
    ],
    rule: TRAP,
};

/// Connections of others.
const ACCEPT: &[i64] = &[SYS_accept, SYS_accept4];

/// What a server does with an accepted connection, besides reading and writing.
const CONNECTIONS: Group = Group {
    calls: &[SYS_setsockopt, SYS_getsockopt, SYS_shutdown, SYS_getpeername, SYS_getsockname],
    rule: Rule::Allow,
};

/// Other processes: their memory, descriptors and signals.
const OTHER_PROCESSES: Group = Group {
    calls: &[
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise,
        SYS_process_mrelease, SYS_kcmp, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
        SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_migrate_pages, SYS_move_pages,
    ],
    rule: TRAP,
};

/// Namespaces, mounts and roots.
const NAMESPACES: Group = Group {
    calls: &[
        SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount,
        SYS_open_tree, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
    ],
    rule: TRAP,
};

/// Large and privileged parts of the kernel, where its own errors are found.
const KERNEL: Group = Group {
    calls: &[
        SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter,
        SYS_io_uring_register, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_memfd_secret,
        SYS_execveat, SYS_personality, SYS_init_module, SYS_finit_module, SYS_delete_module,
        SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, SYS_syslog,
        SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname,
        SYS_setdomainname, SYS_vhangup, SYS_fanotify_init, SYS_fanotify_mark,
    ],
    rule: TRAP,
};

/// Privileged x86 calls: ports and segments of the processor.
#[cfg(target_arch = "x86_64")]
const KERNEL_X86: Group =
    Group { calls: &[SYS_kexec_file_load, SYS_iopl, SYS_ioperm, SYS_modify_ldt], rule: TRAP };

/// Becoming another user.
const USERS: Group = Group {
    calls: &[
        SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid,
        SYS_setfsuid, SYS_setfsgid, SYS_setgroups, SYS_capset,
    ],
    rule: TRAP,
};

/// Files by handles, which bypass directories.
const HANDLES: Group = Group { calls: &[SYS_open_by_handle_at, SYS_name_to_handle_at], rule: TRAP };
