//! `.cwasm` files with random damage: none is run that is not a file that was
//! sealed.

use std::fs;

use arbtest::arbtest;
use wasm_encoder::Instruction;

use crate::support::attacker;
use crate::support::generated::Program;
use crate::support::{self, Directory, End};
use crate::{damage, ended};

#[test]
fn a_damaged_artifact_is_never_run() {
    let directory = Directory::fresh("seals");
    let make = |name: &str, run: Vec<Instruction<'static>>| {
        let path = directory.path().join(name);
        fs::write(&path, Program::new(run).encode()).expect("the directory is ours");
        attacker::precompiled(&path)
    };
    let good = make("good.wasm", vec![]);
    let other = make("other.wasm", vec![Instruction::Nop, Instruction::Unreachable]);
    let crossed =
        |code: &[u8], seal: &[u8]| [attacker::parts(code).0, attacker::parts(seal).1].concat();
    let run = |bytes: &[u8]| {
        fs::write(directory.path().join("x.cwasm"), bytes).expect("the directory is ours");
        support::ours(&directory.path(), &["x.cwasm"])
    };
    run(&good).exits_with(0);
    arbtest(|random| {
        let damaged = match random.int_in_range(0..=9)? {
            3 => attacker::signed_with(&good, &random.arbitrary()?),
            0 => crossed(&good, &other),
            1 => crossed(&other, &good),
            2 => attacker::resealed(&good, |code| code[code.len() / 2] ^= 1),
            _ => damage(random, &good, &other)?,
        };
        let outcome = run(&damaged);
        ended(&outcome);
        let same = damaged == good || damaged == other;
        assert!(same || outcome.end == End::Exited(121), "it was taken\n{outcome}");
        Ok(())
    })
    .budget_ms(support::budget_ms());
}
