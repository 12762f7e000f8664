//! The host's own memory, output and files count too: what a component makes
//! the host keep is bounded.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::measured::{Measured, measured};
use crate::support::terminal::{CTRL_D, Terminal};
use crate::support::{self, Directory, End, flooding};
use wasm_encoder::{
    CanonicalFunctionSection, CodeSection, Component, ComponentAliasSection, ComponentExportKind,
    ComponentExportSection, ComponentInstanceSection, ComponentTypeSection, ComponentValType,
    ExportKind, ExportSection, Function, FunctionSection, InstanceSection, Instruction, Module,
    ModuleArg, ModuleSection, RefType, TableSection, TableType, TypeSection, ValType,
};

/// The limit of each attack here, and what the host may use above it.
const LIMIT: &str = "--max-memory=16M";
const LIMIT_BYTES: u64 = 16 << 20;
const ABOVE_BYTES: u64 = 32 << 20;

fn ours(directory: &Path, args: &[&str]) -> Measured {
    measured(support::command(&support::our_binary(), args, directory))
}

/// Fails unless `attack` took no more than `control` and the limit, and a
/// little.
#[track_caller]
fn is_bounded(attack: &Measured, control: &Measured) {
    let most = control.peak_bytes + LIMIT_BYTES + ABOVE_BYTES;
    assert!(attack.peak_bytes <= most, "{} MB", attack.peak_bytes >> 20);
}

/// A program with `count` tables of one element each, which each grow by
/// `more`, and all of which must grow if the program is to succeed.
fn growing_tables(count: u32, more: i32) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut tables = TableSection::new();
    for _ in 0..count {
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: 1,
            maximum: None,
            shared: false,
        });
    }
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, 0);
    let mut run = Function::new([]);
    for table in 0..count {
        run.instruction(&Instruction::RefNull(wasm_encoder::HeapType::FUNC));
        run.instruction(&Instruction::I32Const(more));
        run.instruction(&Instruction::TableGrow(table));
        run.instruction(&Instruction::I32Const(0));
        run.instruction(&Instruction::I32LtS);
        run.instruction(&Instruction::If(wasm_encoder::BlockType::Empty));
        run.instruction(&Instruction::I32Const(1));
        run.instruction(&Instruction::Return);
        run.instruction(&Instruction::End);
    }
    run.instruction(&Instruction::I32Const(0));
    run.instruction(&Instruction::End);
    let mut code = CodeSection::new();
    code.function(&run);
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&tables).section(&exports).section(&code);
    program(&module)
}

/// A component that exports the function `run` of `module` as `wasi:cli/run`.
fn program(module: &Module) -> Vec<u8> {
    let mut instances = InstanceSection::new();
    instances.instantiate(0, Vec::<(&str, ModuleArg)>::new());
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(wasm_encoder::Alias::CoreInstanceExport {
        instance: 0,
        kind: ExportKind::Func,
        name: "run",
    });
    let mut types = ComponentTypeSection::new();
    types.defined_type().result(None, None);
    types
        .function()
        .params(Vec::<(&str, ComponentValType)>::new())
        .result(Some(ComponentValType::Type(0)));
    let mut functions = CanonicalFunctionSection::new();
    functions.lift(0, 1, []);
    let mut run = ComponentInstanceSection::new();
    run.export_items([("run", ComponentExportKind::Func, 0)]);
    let mut exports = ComponentExportSection::new();
    exports.export("wasi:cli/run@0.2.0", ComponentExportKind::Instance, 0, None);
    let mut component = Component::new();
    component.section(&ModuleSection(module)).section(&instances).section(&aliases);
    component.section(&types).section(&functions).section(&run).section(&exports);
    component.finish()
}

/// Writes and compiles a program; where it is.
fn compiled(directory: &Path, name: &str, wasm: &[u8]) -> PathBuf {
    let path = directory.join(name).with_extension("wasm");
    fs::write(&path, wasm).expect("the directory is ours");
    support::ours(directory, &["precompile", path.to_str().expect("UTF-8")]).exits_with(0);
    path.with_extension("cwasm")
}

#[test]
fn tables_count_as_memory() {
    let directory = Directory::fresh("tables");
    let run = |name: &str, limit: &str, wasm: &[u8]| {
        let program = compiled(&directory.path(), name, wasm);
        ours(&directory.path(), &[limit, program.to_str().expect("UTF-8")])
    };
    let control = run("few", LIMIT, &growing_tables(100, 1000));
    assert_eq!(control.end, End::Exited(0), "{control:?}");
    // More elements than all tables may have: none of them grows.
    let attack = run("many", LIMIT, &growing_tables(100, 1 << 20));
    assert_eq!(attack.end, End::Exited(1), "{attack:?}");
    is_bounded(&attack, &control);
    let attack = run("some", "--max-memory=8M", &growing_tables(100, 100_000));
    assert_eq!(attack.end, End::Exited(123), "{attack:?}");
    is_bounded(&attack, &control);
}

#[test]
fn lines_that_nobody_typed_are_not_kept() {
    let directory = Directory::fresh("remember");
    let control = ours(&directory.path(), &[LIMIT, flooding::component(), "remember-large=1"]);
    assert_eq!(control.out, "remember-large: done\n", "{control:?}");
    let actions = ["remember-large=600", "offer=20", "load=100000"];
    let attack = ours(&directory.path(), &[&[LIMIT, flooding::component()], &actions[..]].concat());
    assert_eq!(attack.out, "remember-large: done\noffer: done\nload: done\n", "{attack:?}");
    is_bounded(&attack, &control);
}

#[test]
fn refusals_are_reported_a_few_times() {
    let directory = Directory::fresh("refusals");
    for number in 0..100 {
        fs::create_dir(directory.path().join(format!("d{number}"))).expect("the directory is ours");
    }
    let run = |count: usize| {
        let action = format!("refused={count}:{}", directory.path().display());
        ours(&directory.path(), &["--no-default-dirs", LIMIT, flooding::component(), &action])
    };
    let few = run(5);
    assert_eq!(few.err.lines().count(), 5, "{few:?}");
    assert!(few.err.lines().all(|line| line.contains("grants it")), "{few:?}");
    assert!(few.err.contains(r"file\n\u{1b}[2J` is outside"), "{few:?}");
    let many = run(100);
    let lines: Vec<_> = many.err.lines().collect();
    assert_eq!(lines.len(), 33, "{many:?}");
    assert_eq!(lines[32], "sqlite-wasm-run: further refusals are not reported");
    is_bounded(&many, &few);
}

/// A component at a terminal with the given history; the history afterwards.
fn history_after(actions: &[&str], typed: Option<&str>) -> String {
    let directory = Directory::fresh("history");
    let history = directory.path().join(".sqlite_history");
    fs::write(&history, "SELECT 'precious';\n").expect("the directory is ours");
    let args = [&["--no-default-dirs", flooding::component()], actions].concat();
    let command = support::command(&support::our_binary(), &args, &directory.path());
    let mut terminal = Terminal::open(command);
    if let Some(typed) = typed {
        terminal.shows("? ");
        terminal.enters(typed);
    }
    terminal.shows("save: done");
    assert_eq!(terminal.ends().0, End::Exited(0));
    fs::read_to_string(&history).expect("it is there")
}

#[test]
fn a_component_neither_empties_nor_forges_the_history() {
    for actions in [
        &["save=0"][..],
        &["load=1", "save=0"],
        &["remember=forged", "save=2000"],
        &["load=1", "remember=forged", "save=1"],
    ] {
        assert_eq!(history_after(actions, None), "SELECT 'precious';\n", "{actions:?}");
    }
    // The control: what is typed is kept, once, whatever the limit.
    let kept = history_after(&["load=1", "type", "save=0"], Some("typed"));
    assert_eq!(kept, "SELECT 'precious';\ntyped\n");
}

#[test]
fn without_a_terminal_the_history_is_not_touched() {
    let directory = Directory::fresh("no-terminal");
    let history = directory.path().join(".sqlite_history");
    let actions = ["load=1", "remember=forged", "save=0"];
    let args = [&["--no-default-dirs", flooding::component()], &actions[..]].concat();
    assert_eq!(ours(&directory.path(), &args).end, End::Exited(0));
    assert!(!history.exists());
    fs::write(&history, "precious\n").expect("the directory is ours");
    assert_eq!(ours(&directory.path(), &args).end, End::Exited(0));
    assert_eq!(fs::read_to_string(&history).expect("it is there"), "precious\n");
}

#[test]
fn the_shell_at_a_terminal_appends_to_the_history() {
    let directory = Directory::fresh("appends");
    let history = directory.path().join(".sqlite_history");
    fs::write(&history, "SELECT 'before';\n").expect("the directory is ours");
    let command = support::command(&support::our_binary(), &[":memory:"], &directory.path());
    let mut terminal = Terminal::open(command);
    terminal.shows("sqlite> ");
    // Another shell, meanwhile.
    fs::write(&history, "SELECT 'before';\nSELECT 'other';\n").expect("the directory is ours");
    terminal.enters("SELECT 'typed';");
    terminal.shows("typed\n");
    terminal.shows("sqlite> ");
    terminal.types(CTRL_D);
    terminal.ends();
    let kept = fs::read_to_string(&history).expect("it is there");
    assert_eq!(kept, "SELECT 'before';\nSELECT 'other';\nSELECT 'typed';\n");
}
