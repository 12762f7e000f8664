//! Compiles the table of system calls to a filter for the kernel (classic BPF).
//!
//! The kernel runs a new filter once for each system call, to cache which are
//! always allowed. The crate `seccompiler` makes a linear chain of comparisons,
//! which is longer to run and to translate than this binary search; the two
//! were not measured against each other. The crate still installs the filter.

use seccompiler::sock_filter;

/// The rule for a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Allow it.
    Allow,
    /// Allow it if all checks hold; otherwise refuse it.
    If(&'static [Check], Refusal),
    /// Refuse it.
    Refuse(Refusal),
}

/// How a system call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// With this error.
    Error(i32),
    /// By SIGSYS, whose handler ends the process.
    Trap,
}

/// A condition on an argument. The kernel uses only the lower 32 bits of the
/// compared arguments, except of pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The argument is one of these.
    OneOf(u32, &'static [u32]),
    /// Argument, mask, value: the bits of the argument that the mask selects equal the value.
    Bits(u32, u32, u32),
    /// The argument is a null pointer.
    Null(u32),
}

/// System calls with one rule.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The calls, as this machine's `SYS_` constants.
    pub calls: &'static [i64],
    /// Their rule.
    pub rule: Rule,
}

/// The rule for a call in no group: the error of an old kernel, which every
/// library handles.
pub const UNKNOWN: Rule = Rule::Refuse(Refusal::Error(nix::libc::ENOSYS));

// Instructions (linux/bpf_common.h) and results (linux/seccomp.h).
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;
const TRAP: u32 = 0x0003_0000;
const KILL_PROCESS: u32 = 0x8000_0000;

// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// `AUDIT_ARCH_X86_64`.
#[cfg(target_arch = "x86_64")]
const THIS_ARCHITECTURE: u32 = 0xc000_003e;
/// `AUDIT_ARCH_AARCH64`.
#[cfg(target_arch = "aarch64")]
const THIS_ARCHITECTURE: u32 = 0xc000_00b7;

/// A rule from this system call up to the next range.
type Range = (u32, Rule);

/// The filter for `groups`.
pub fn program(groups: &[Group]) -> Vec<sock_filter> {
    let mut program = Reversed::default();
    let tree = program.tree(&ranges(groups));
    program.jump(tree);
    program.push(load(NUMBER));
    // Another architecture has other `SYS_` constants.
    program.push(result(KILL_PROCESS));
    program.push(instruction(IF_EQUAL, 1, 0, THIS_ARCHITECTURE));
    program.push(load(ARCHITECTURE));
    program.instructions.reverse();
    program.instructions
}

/// The rules for all system calls, in order. Neighbours with the same rule are
/// one range.
fn ranges(groups: &[Group]) -> Vec<Range> {
    let mut calls: Vec<(u32, Rule)> = groups
        .iter()
        .flat_map(|group| group.calls.iter().map(|call| (*call as u32, group.rule)))
        .collect();
    calls.sort_by_key(|(number, _)| *number);
    let mut ranges: Vec<Range> = vec![(0, UNKNOWN)];
    for (number, rule) in calls {
        // Remove the default range that begins after the last call.
        if ranges.last().is_some_and(|(start, _)| *start == number) {
            ranges.pop();
        }
        push(&mut ranges, (number, rule));
        push(&mut ranges, (number + 1, UNKNOWN));
    }
    ranges
}

fn push(ranges: &mut Vec<Range>, range: Range) {
    if ranges.last().is_none_or(|(_, rule)| *rule != range.1) {
        ranges.push(range);
    }
}

/// A program, built backwards: jumps only lead forward, so the target of each
/// is known when it is written. Each comparison is one instruction, and each
/// rule is written once, since the kernel translates the whole filter at each
/// start.
#[derive(Default)]
struct Reversed {
    instructions: Vec<sock_filter>,
    /// The position of each rule.
    rules: Vec<(Rule, usize)>,
}

impl Reversed {
    /// Prepend an instruction; returns its position.
    fn push(&mut self, instruction: sock_filter) -> usize {
        self.instructions.push(instruction);
        self.instructions.len() - 1
    }

    /// The jump distance from the next instruction to `position`.
    fn distance(&self, position: usize) -> usize {
        self.instructions.len() - 1 - position
    }

    /// Prepend a jump to `position`, unless that comes next anyway.
    fn jump(&mut self, position: usize) {
        let distance = self.distance(position);
        if distance > 0 {
            self.push(instruction(JUMP, 0, 0, distance as u32));
        }
    }

    /// A position within the reach of 255 instructions that leads to `position`;
    /// adds a jump if `position` is further. `margin` instructions are prepended
    /// before its use.
    fn reachable(&mut self, position: usize, margin: usize) -> usize {
        if self.distance(position) + margin <= u8::MAX.into() {
            return position;
        }
        self.jump(position);
        self.instructions.len() - 1
    }

    /// Search the range of the loaded system call.
    fn tree(&mut self, ranges: &[Range]) -> usize {
        let [(_, rule)] = ranges else {
            let (lower, upper) = ranges.split_at(ranges.len() / 2);
            let start = upper[0].0;
            let upper = self.tree(upper);
            let lower = self.tree(lower);
            let upper = self.reachable(upper, 1);
            let lower = self.reachable(lower, 0);
            let [upper, lower] = [upper, lower].map(|position| self.distance(position) as u8);
            return self.push(instruction(IF_AT_LEAST, upper, lower, start));
        };
        self.rule(*rule)
    }

    fn rule(&mut self, rule: Rule) -> usize {
        if let Some((_, position)) = self.rules.iter().find(|(other, _)| *other == rule) {
            return *position;
        }
        let position = match rule {
            Rule::Allow => self.push(result(ALLOW)),
            Rule::Refuse(Refusal::Trap) => self.push(result(TRAP)),
            Rule::Refuse(Refusal::Error(error)) => self.push(result(ERROR | error as u32)),
            Rule::If(checks, refusal) => {
                let refused = self.rule(Rule::Refuse(refusal));
                let mut passed = self.rule(Rule::Allow);
                for check in checks.iter().rev() {
                    passed = self.check(*check, passed, refused);
                }
                passed
            }
        };
        self.rules.push((rule, position));
        position
    }

    fn check(&mut self, check: Check, passed: usize, refused: usize) -> usize {
        let argument = match check {
            Check::OneOf(argument, values) => {
                // Built backwards: the last comparison comes first, and
                // refuses.
                let mut otherwise = refused;
                for value in values.iter().rev() {
                    otherwise = self.compare(*value, passed, otherwise);
                }
                argument
            }
            Check::Bits(argument, mask, value) => {
                self.compare(value, passed, refused);
                self.push(instruction(AND, 0, 0, mask));
                argument
            }
            Check::Null(argument) => {
                self.compare(0, passed, refused);
                let upper = self.push(load(low(argument) + 4));
                self.compare(0, upper, refused);
                argument
            }
        };
        self.push(load(low(argument)))
    }

    fn compare(&mut self, value: u32, equal: usize, other: usize) -> usize {
        let equal = self.reachable(equal, 1);
        let other = self.reachable(other, 0);
        let [equal, other] = [equal, other].map(|position| self.distance(position) as u8);
        self.push(instruction(IF_EQUAL, equal, other, value))
    }
}

/// The lower half of an argument; both machines are little endian.
const fn low(argument: u32) -> u32 {
    ARGUMENTS + 8 * argument
}

fn load(offset: u32) -> sock_filter {
    instruction(LOAD, 0, 0, offset)
}

fn result(result: u32) -> sock_filter {
    instruction(RETURN, 0, 0, result)
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::super::calls::{self, Network};
    use super::*;

    /// Runs a filter as the kernel does.
    fn run(program: &[sock_filter], number: u32, arguments: [u64; 6]) -> u32 {
        let (mut at, mut value) = (0, 0u32);
        for _ in 0..program.len() {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            at += 1;
            match code {
                LOAD if k == NUMBER => value = number,
                LOAD if k == ARCHITECTURE => value = THIS_ARCHITECTURE,
                LOAD => {
                    let argument = arguments[(k - ARGUMENTS) as usize / 8];
                    value = (argument >> (if k % 8 == 4 { 32 } else { 0 })) as u32;
                }
                AND => value &= k,
                JUMP => at += k as usize,
                IF_EQUAL => at += usize::from(if value == k { jt } else { jf }),
                IF_AT_LEAST => at += usize::from(if value >= k { jt } else { jf }),
                RETURN => return k,
                _ => panic!("instruction {code:#x}"),
            }
        }
        panic!("the filter has no end");
    }

    const CHECKS: &[Check] =
        &[Check::OneOf(1, &[3, 5, 7]), Check::Bits(0, 0xff, 2), Check::Null(4)];

    fn groups() -> Vec<Group> {
        let group = |calls, rule| Group { calls, rule };
        vec![
            group(&[0, 1, 2, 9, 400], Rule::Allow),
            group(&[3, 10, 401], Rule::Refuse(Refusal::Trap)),
            group(&[11], Rule::If(CHECKS, Refusal::Error(1))),
        ]
    }

    #[test]
    fn every_number_gets_its_rule() {
        let program = program(&groups());
        for number in 0..1000 {
            let expected = match number {
                0..=2 | 9 | 400 => ALLOW,
                3 | 10 | 401 => TRAP,
                11 => ERROR | 1,
                _ => ERROR | nix::libc::ENOSYS as u32,
            };
            assert_eq!(run(&program, number, [0; 6]), expected, "{number}");
        }
    }

    #[test]
    fn arguments_decide() {
        let program = program(&groups());
        for value in [3, 5, 7] {
            assert_eq!(run(&program, 11, [0xf02, value, 0, 0, 0, 0]), ALLOW);
        }
        for wrong in
            [[2, 4, 0, 0, 0, 0], [3, 3, 0, 0, 0, 0], [2, 3, 0, 0, 1, 0], [2, 3, 0, 0, 1 << 40, 0]]
        {
            assert_eq!(run(&program, 11, wrong), ERROR | 1, "{wrong:?}");
        }
    }

    #[test]
    fn the_real_table_names_each_call_once_and_fits() {
        for network in [Network::None, Network::Accepts] {
            let groups = calls::groups(network);
            let mut all: Vec<i64> = groups.iter().flat_map(|group| group.calls).copied().collect();
            all.sort_unstable();
            let doubled: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
            assert!(doubled.is_empty(), "{doubled:?}");
            // The kernel's limit.
            assert!(program(&groups).len() <= 4096);
        }
    }

    #[test]
    fn a_server_accepts_and_does_not_connect() {
        use nix::libc;
        let server = program(&calls::groups(Network::Accepts));
        let other = program(&calls::groups(Network::None));
        for (call, expected) in [
            (libc::SYS_accept4, ALLOW),
            (libc::SYS_shutdown, ALLOW),
            (libc::SYS_socket, TRAP),
            (libc::SYS_connect, TRAP),
            (libc::SYS_bind, TRAP),
            (libc::SYS_sendmsg, TRAP),
        ] {
            assert_eq!(run(&server, call as u32, [0; 6]), expected, "{call}");
            assert_ne!(run(&other, call as u32, [0; 6]), ALLOW, "{call}");
        }
    }

    #[test]
    fn the_real_table_decides_as_it_reads() {
        use nix::libc;
        let program = program(&calls::groups(Network::None));
        let get = |call: i64, arguments| run(&program, call as u32, arguments);
        assert_eq!(get(libc::SYS_pread64, [0; 6]), ALLOW);
        assert_eq!(get(libc::SYS_socket, [0; 6]), TRAP);
        assert_eq!(
            get(libc::SYS_ioctl, [0, libc::TIOCSTI as _, 0, 0, 0, 0]),
            ERROR | libc::ENOTTY as u32
        );
        assert_eq!(get(libc::SYS_ioctl, [0, libc::TIOCGWINSZ as _, 0, 0, 0, 0]), ALLOW);
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD) as u64;
        assert_eq!(get(libc::SYS_clone, [thread, 0, 0, 0, 0, 0]), ALLOW);
        let namespace = libc::CLONE_NEWUSER as u64;
        assert_eq!(get(libc::SYS_clone, [namespace, 0, 0, 0, 0, 0]), TRAP);
        assert_eq!(get(libc::SYS_clone3, [0; 6]), ERROR | libc::ENOSYS as u32);
    }
}
