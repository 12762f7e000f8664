//! What a component makes the host keep or compute, under limits: the host has
//! little more memory than the limit allows.

use std::fs;
use std::path::Path;
use std::time::Duration;

use wasm_encoder::{HeapType, Instruction};

use crate::support::attacker::{self, Used, measured};
use crate::support::generated::{Program, bomb};
use crate::support::{Directory, End};

/// The limit that each attack has.
const LIMIT: [&str; 2] = ["--max-memory", "16M"];

/// Most memory of the process: the limit, and what the host may have above it.
const MAX_BYTES: u64 = (16 + 64) << 20;

/// Most processor time with `--timeout 1`: the limit, the time that the program
/// has to end by itself, and what a busy machine adds.
const MAX_TIME: Duration = Duration::from_secs(5);

/// Most bytes that an attack may bring onto the terminal.
const MAX_STDERR_BYTES: usize = 64 << 10;

#[track_caller]
fn is_bounded(used: &Used) {
    let run = &used.run;
    assert!(matches!(run.end, End::Exited(_)), "it crashed or hung\n{run}");
    assert_ne!(run.end, End::Exited(101), "it panicked\n{run}");
    let (peak, err) = (used.peak_bytes >> 20, run.stderr.len());
    assert!(err <= MAX_STDERR_BYTES, "{err} bytes on stderr, {peak} MB\n{}", run.command);
    assert!(used.peak_bytes <= MAX_BYTES, "the process had {peak} MB\n{run}");
}

fn attack(directory: &Path, action: &str) -> Used {
    measured(directory, &[&LIMIT[..], &[attacker::component(), action]].concat(), "")
}

#[test]
fn tables_count_against_the_limit() {
    const ELEMENTS: i32 = 1_000_000;
    let directory = Directory::fresh("tables");
    let tables = 100;
    let grow = |table| {
        [
            Instruction::RefNull(HeapType::FUNC),
            Instruction::I32Const(ELEMENTS),
            Instruction::TableGrow(table),
            Instruction::Drop,
        ]
    };
    let run = (0..tables).flat_map(grow).collect();
    let program = Program { tables: vec![1; tables as usize], ..Program::new(run) };
    fs::write(directory.path().join("tables.wasm"), program.encode()).expect("it is ours");
    is_bounded(&measured(&directory.path(), &[&LIMIT[..], &["tables.wasm"]].concat(), ""));
    // Minimum sizes are as good.
    let program = Program { tables: vec![1_000_000; 100], ..Program::new(vec![]) };
    fs::write(directory.path().join("tables.wasm"), program.encode()).expect("it is ours");
    is_bounded(&measured(&directory.path(), &[&LIMIT[..], &["tables.wasm"]].concat(), ""));
    let program = Program { tables: vec![100; 2], ..Program::new(vec![]) };
    fs::write(directory.path().join("small.wasm"), program.encode()).expect("it is ours");
    let used = measured(&directory.path(), &[&LIMIT[..], &["small.wasm"]].concat(), "");
    is_bounded(&used);
    used.run.exits_with(0);
}

#[test]
fn lines_to_remember_are_bounded() {
    let directory = Directory::fresh("remember");
    let used = attack(&directory.path(), "remember-many=150000::4000");
    is_bounded(&used);
    let used = attack(&directory.path(), "remember-many=200::1000000");
    is_bounded(&used);
}

#[test]
fn refusals_are_bounded() {
    let directory = Directory::fresh("refusals");
    let used = attack(&directory.path(), "refuse-many=500000");
    is_bounded(&used);
    // The first ones are reported.
    assert!(used.run.err().contains("/etc/hidden"), "{}", used.run);
}

/// A list of a composed file that is short as text and long in memory.
#[test]
fn a_list_in_a_file_is_bounded() {
    let directory = Directory::fresh("list");
    let like = b"sqwascp2";
    let program = Program::new(vec![]).encode();
    let entry = "{\"name\":\"a\",\"version\":\"1\",\"file\":\"a\",\"sha256\":\"\",\"registers\":[],\
                 \"inside\":null,\"beside\":null,\"manifest\":null}";
    let entries = |count: usize| vec![entry; count].join(",");
    let names = vec!["\"\""; 5_000_000].join(",");
    let lists = [
        entries(140_000),
        entry.replace("[]", &format!("[{names}]")),
        format!("{}{}", "[".repeat(7_000_000), "]".repeat(7_000_000)),
    ];
    for extensions in lists {
        let length = program.len();
        let json = format!(
            "{{\"component_bytes\":{length},\"cli\":{{\"start\":0,\"end\":{length}}},\
             \"extensions\":[{extensions}]}}"
        );
        let file = attacker::with_list(&program, &json, like);
        fs::write(directory.path().join("list.wasm"), file).expect("it is ours");
        for args in [
            &["list.wasm", ":memory:", "SELECT 1"][..],
            &["extension", "inspect", "./list.wasm"],
            &["precompile", "list.wasm", "-o", "list.cwasm"],
        ] {
            let limits: &[&str] = if args[0] == "list.wasm" { &LIMIT } else { &[] };
            let used = measured(&directory.path(), &[limits, args].concat(), "");
            // The file itself is read once: it is the user's.
            let above = used.peak_bytes.saturating_sub(16 << 20);
            assert!(above <= MAX_BYTES, "{args:?}: {} MB", used.peak_bytes >> 20);
            assert!(matches!(used.run.end, End::Exited(0..=100 | 120..=125)), "{}", used.run);
        }
    }
}

#[test]
fn compiling_what_sql_chose_is_bounded() {
    let directory = Directory::fresh("bomb");
    let bomb = bomb(878_000);
    assert!((800_000..1_000_000).contains(&bomb.len()), "{} bytes", bomb.len());
    fs::write(directory.path().join("bomb.wasm"), bomb).expect("it is ours");
    let args = [&LIMIT[..], &["--timeout", "1", "--no-cache", ":memory:"]].concat();
    let used = measured(&directory.path(), &args, ".load ./bomb\nSELECT 'alive';\n");
    is_bounded(&used);
    assert!(used.processor <= MAX_TIME, "it computed for {:?}\n{}", used.processor, used.run);
}

#[test]
fn compiling_a_program_is_part_of_its_time() {
    let directory = Directory::fresh("program");
    fs::write(directory.path().join("bomb.wasm"), bomb(1_400_000)).expect("it is ours");
    let args = [&LIMIT[..], &["--timeout", "1", "--no-cache", "bomb.wasm"]].concat();
    let used = measured(&directory.path(), &args, "");
    is_bounded(&used);
    assert!(used.processor <= MAX_TIME, "it computed for {:?}\n{}", used.processor, used.run);
    assert_ne!(used.run.end, End::Exited(0), "it was compiled in time\n{}", used.run);
}

#[test]
fn shipped_extensions_are_compiled_within_the_same_limits() {
    let directory = Directory::fresh("shipped");
    fs::copy(crate::support::composed::shipped("uuid"), directory.path().join("x.wasm"))
        .expect("the directory is ours");
    let args = ["--max-memory", "64M", "--no-cache", ":memory:"];
    let used = measured(&directory.path(), &args, ".load ./x\nSELECT length(uuid4());\n");
    assert!(used.peak_bytes <= (64 + 64) << 20, "{} MB", used.peak_bytes >> 20);
    used.run.keeps_quiet().prints("36\n");
}
