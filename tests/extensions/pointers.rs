//! Pointers that SQL hands from one function of an extension to another. That
//! they are as natively is for `parity/probes_pointers.sql`.

use std::path::PathBuf;

use crate::support::composed::Composed;
use crate::support::{self, Directory, Input, Outcome};

fn c_extensions() -> PathBuf {
    let directory = support::repository().join("target/c-sources/wasm");
    support::existing(directory, "`make c-extensions` builds it")
}

/// A script with `pointing` loaded, behind other options.
fn run(options: &[&str], script: &str) -> Outcome {
    let directory = Directory::fresh("pointers");
    let c_extensions = c_extensions();
    let found = ["--extension-dir", c_extensions.to_str().expect("UTF-8")];
    let args = [&found[..], options, &["--load", "pointing", ":memory:"]].concat();
    let input = Input::Bytes(script.as_bytes());
    support::run(&support::our_binary(), &args, &directory.path(), &input)
}

const SCRIPT: &str = "\
SELECT p_pointed(p_point('here'), p_constant()), typeof(p_point('x'));
SELECT sum(p_pointed(p_point(value)) = '[5 ' || value || ' 0]') FROM generate_series(1, 2000);
SELECT p_pointed(p_gather(p_point(value))) FROM generate_series(1, 5);
SELECT p_living();
";
const ANSWERS: &str = "[5 here 0][5 a constant 0]|null\n2000\n[5  1 2 3 4 5 0]\n0\n";

#[test]
fn they_lead_from_one_function_to_another() {
    run(&[], SCRIPT).prints(ANSWERS).keeps_quiet();
}

#[test]
fn they_do_so_inside_of_a_composed_program() {
    let file = c_extensions().join("pointing.wasm");
    let composed = Composed::with("pointers", &[file.to_str().expect("UTF-8")]);
    composed.run_script(&[":memory:"], SCRIPT).prints(ANSWERS).keeps_quiet();
}

#[test]
fn to_other_extensions_they_are_null() {
    let script = "SELECT p_value(p_point('x')) LIKE '%type 5%', p_pointed(p_point('x'));\n";
    let grants = ["--grant", "probes=sql", "--load", "probes"];
    run(&grants, script).prints("1|[5 x 0]\n").keeps_quiet();
}

#[test]
fn those_of_an_instance_that_broke_down_are_none_of_the_next() {
    let script = "\
SELECT p_pointed(p_point('before'), p_break());
SELECT p_pointed(p_point('after'), p_point('that')), p_living();
SELECT p_living();
";
    let run = run(&[], script);
    assert_eq!(run.out(), "[5 after 0][5 that 0]|2\n0\n", "{run}");
    assert!(run.err().contains("`pointing` trapped"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn connections_that_share_an_instance_do_not_mix_them_up() {
    let script = "\
SELECT p_pointed(p_point('first'));
.connection 1
.open :memory:
.load pointing
SELECT p_pointed(p_point('second'));
.connection 0
.connection close 1
SELECT p_pointed(p_point('third')), p_living();
SELECT p_living();
";
    let answers = "[5 first 0]\n[5 second 0]\n[5 third 0]|1\n0\n";
    run(&[], script).prints(answers).keeps_quiet();
}
