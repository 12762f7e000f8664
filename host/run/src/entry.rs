//! Where the kernel starts the program: one system call makes the pages present that relocation
//! is about to write, which would be seventy page faults.
//!
//! It runs before relocation, so it is assembly that uses neither memory nor the stack. A kernel
//! before Linux 5.14 refuses the call, and the pages are faulted in one by one.

use std::arch::global_asm;

// From `__init_array_start`, as relocated data follow it, to `_edata`, after which memory is
// zero. The kernel rounds the length up. `rdx` is the only register that the C library's
// `_start` is given.
#[cfg(target_arch = "x86_64")]
global_asm!(
    ".globl populated_start",
    ".hidden populated_start",
    ".hidden __init_array_start",
    ".hidden _edata",
    "populated_start:",
    "mov r8, rdx",
    "lea rdi, [rip + __init_array_start]",
    "and rdi, -{least_page}",
    "lea rsi, [rip + _edata]",
    "sub rsi, rdi",
    "mov edx, {populate_write}",
    "mov eax, {madvise}",
    "syscall",
    "mov rdx, r8",
    "jmp _start",
    least_page = const LEAST_PAGE,
    populate_write = const POPULATE_WRITE,
    madvise = const 28,
);

// As above; `_start` is given no register.
#[cfg(target_arch = "aarch64")]
global_asm!(
    ".globl populated_start",
    ".hidden populated_start",
    ".hidden __init_array_start",
    ".hidden _edata",
    "populated_start:",
    "adrp x0, __init_array_start",
    "adrp x1, _edata",
    "add x1, x1, :lo12:_edata",
    "sub x1, x1, x0",
    "mov x2, #{populate_write}",
    "mov x8, #{madvise}",
    "svc #0",
    "b _start",
    populate_write = const POPULATE_WRITE,
    madvise = const 233,
);

/// In bytes. Where pages are larger the kernel refuses the call.
#[cfg(target_arch = "x86_64")]
const LEAST_PAGE: u32 = 4096;

/// `MADV_POPULATE_WRITE` of Linux.
const POPULATE_WRITE: u32 = 23;
