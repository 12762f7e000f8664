//! Each function of each shipped extension with values that tend to be forgotten: none of them panics
//! or takes its time, whatever it gets.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::shipped::shipped;
use crate::support::{self, Directory, Input, Outcome};

/// Expressions of SQL for one argument.
const VALUES: &[&str] = &[
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775806",
    "0.0",
    "-0.0",
    "0.5",
    "-1.5",
    "1e308",
    "-1e308",
    "9e999",
    "-9e999",
    "5e-324",
    "1e18",
    "9.3e18",
    "3.0",
    "''",
    "' '",
    "'a'",
    "'abc'",
    "'0'",
    "'-1'",
    "'1e5'",
    "'1e999'",
    "'nan'",
    "'ä'",
    "'ß€😀'",
    "char(0)",
    "char(0x301)",
    "'e' || char(0x301) || 'x'",
    "char(0x10ffff)",
    "CAST(x'ff' AS TEXT)",
    "CAST(x'c3' AS TEXT)",
    "CAST(x'e282' AS TEXT)",
    "'%'",
    "'[1,2'",
    "'[1,2,3]'",
    "'{}'",
    "'{\"a\":[1e999]}'",
    "'((((((((((a*)*)*)*)*)*)*)*)*)*'",
    "'1970-01-01'",
    "'192.168.0.1/33'",
    "hex(zeroblob(5000))",
    "x''",
    "x'00'",
    "x'ff'",
    "x'0000803f'",
    "x'0000c07f0000807f'",
    "zeroblob(10000)",
    "zeroblob(3)",
    "'99999999999999999999999999999999999.999'",
    "'-'",
    "'1-2-3-4'",
    "'\\'",
];

/// The other arguments: one list of texts, and one of integers and lists.
const OTHERS: [[&str; 4]; 2] = [["'abc'", "1", "'2'", "x'01'"], ["1", "'a,b'", "2", "3"]];

/// How many arguments a variadic function gets at most.
const MOST: usize = 4;

/// A function, and how many arguments it takes; -1 if it is variadic.
type Signature = (String, i32);

fn run(name: &str, script: &str) -> Outcome {
    let directory = Directory::fresh(&format!("nasty-{name}"));
    // A directory for those that cannot be loaded without one.
    let grant = format!("{name}=dir:.:ro");
    let needs = ["csv", "ann_read"].contains(&name);
    let mut args = vec!["--extension-timeout", "3s", "--extension-memory", "256M", "--load", name];
    if needs {
        args.extend(["--grant", &grant]);
    }
    args.push(":memory:");
    support::run(&support::our_binary(), &args, &directory.path(), &Input::Bytes(script.as_bytes()))
}

fn functions(outcome: &Outcome) -> BTreeSet<Signature> {
    let out = outcome.out();
    let signature = |line: &str| {
        let (name, count) = line.split_once('|')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    out.lines().filter_map(signature).collect()
}

fn script(functions: &BTreeSet<Signature>) -> String {
    let mut script = ".bail off\n".to_owned();
    for (name, count) in functions {
        let counts = match usize::try_from(*count) {
            Ok(count) => count..=count,
            Err(_) => 0..=MOST,
        };
        for count in counts {
            calls(&mut script, name, count);
        }
    }
    script.push_str("SELECT 'the end';\n");
    script
}

fn calls(script: &mut String, name: &str, count: usize) {
    for others in OTHERS {
        for place in 0..count.max(1) {
            for value in VALUES.iter().take(if count == 0 { 1 } else { VALUES.len() }) {
                let argument =
                    |at: usize| if at == place { value } else { others[(at + place) % 4] };
                let arguments: Vec<_> = (0..count).map(argument).collect();
                let _ = writeln!(script, "SELECT length(\"{name}\"({}));", arguments.join(", "));
            }
        }
    }
}

#[test]
fn no_function_panics_on_nasty_values() {
    const LIST: &str = "SELECT name, narg FROM pragma_function_list;\n";
    let directory = Directory::fresh("nasty");
    let own = functions(&support::ours(&directory.path(), &[":memory:", LIST]));
    let mut called = 0;
    for name in shipped() {
        let all = functions(&run(&name, LIST));
        let functions: BTreeSet<_> = all.difference(&own).cloned().collect();
        called += functions.len();
        let outcome = run(&name, &script(&functions));
        let errors = outcome.err();
        let trapped: Vec<_> =
            errors.lines().filter(|line| line.contains("trapped")).take(5).collect();
        assert!(trapped.is_empty(), "{name}: {trapped:#?}");
        assert!(outcome.out().ends_with("the end\n"), "{name}: {}", outcome.out());
    }
    assert!(called > 150, "{called} functions");
}
