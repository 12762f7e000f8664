//! Counting branches, and code that is made with the counts.

use native_code::profile::{Profile, counting, gathered};
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Module, Store, Val};

use crate::engines::{config, engine};

const TEXT: &str = r#"(module
  (memory (export "memory") 1)
  (func $odd (export "odd") (param i32) (result i32)
    (if (result i32) (i32.and (local.get 0) (i32.const 1))
      (then (i32.const 10)) (else (i32.const 20))))
  (func $sum (export "sum") (param $n i32) (result i32) (local $sum i32)
    (loop $again
      (local.set $sum (i32.add (local.get $sum) (call $odd (local.get $n))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $again (local.get $n)))
    (local.get $sum))
  (func $table (export "table") (param i32) (result i32)
    (block $c (block $b (block $a (br_table $a $b $c (local.get 0))) (return (i32.const 5)))
      (return (i32.const 6)))
    (i32.const 7))
  (func $choose (export "choose") (param i32) (result i32)
    (select (i32.const 1) (i32.const 2) (local.get 0)))
  (func $never (export "never") (param i32) (result i32) (local.get 0)))"#;

/// Calls with their results.
const CALLS: &[(&str, i32, i32)] = &[
    ("sum", 5, 70),
    ("table", 0, 5),
    ("table", 1, 6),
    ("table", 2, 7),
    ("table", 9, 7),
    ("table", -1, 7),
    ("choose", 7, 1),
    ("choose", -1, 1),
    ("choose", 0, 2),
];

fn encoded(text: &str) -> Vec<u8> {
    let buffer = wast::parser::ParseBuffer::new(text).unwrap();
    wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap()
}

fn call_all(store: &mut Store<()>, instance: &Instance) {
    for (name, argument, expected) in CALLS {
        let function = instance.get_typed_func::<i32, i32>(&mut *store, name).unwrap();
        assert_eq!(function.call(&mut *store, *argument).unwrap(), *expected, "{name}({argument})");
    }
}

/// What a run of the module counted, behind its hash and other output.
fn output(engine: &Engine, wasm: &[u8]) -> Vec<u8> {
    let module = Module::new(engine, counting(wasm).unwrap()).unwrap();
    let mut store = Store::new(engine, ());
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    call_all(&mut store, &instance);
    let memory = instance.get_memory(&mut store, "counters").unwrap();
    let hash = blake3::hash(wasm);
    [b"Error: something\n", &hash.as_bytes()[..], &memory.data(&store)[32..]].concat()
}

/// Lines of a profile without shapes.
fn lines(profile: &Profile) -> Vec<String> {
    let text = profile.to_string();
    let line = |line: &str| match line.split_once('\t') {
        Some((name, counts)) => format!("{name}: {}", counts.split_once(' ').unwrap().1),
        None => line.to_owned(),
    };
    text.lines().map(line).collect()
}

#[test]
fn a_module_counts_its_calls_and_branches() {
    let (engine, wasm) = (engine(), encoded(TEXT));
    let outputs = [output(&engine, &wasm), b"no counts".to_vec(), output(&engine, &wasm)];
    let (profile, missing) = gathered(&wasm, &outputs).unwrap();
    assert_eq!(missing, 1);
    let expected = ["choose: 6 4/2", "never", "odd: 10 6/4", "sum: 2 8/2", "table: 10 2/2/6"];
    assert_eq!(lines(&profile), expected);
    assert_eq!(Profile::parse(&profile.to_string()).unwrap(), profile);
}

#[test]
fn code_with_counts_computes_the_same() {
    let (engine, wasm) = (engine(), encoded(TEXT));
    let (profile, _) = gathered(&wasm, &[output(&engine, &wasm)]).unwrap();
    let made = native_code::of_module(&wasm, &profile, false).unwrap();
    assert_eq!((made.profiled.counted, made.profiled.stale), (5, 0));
    let without = native_code::of_module(&wasm, &Profile::default(), false).unwrap();
    assert_eq!((without.profiled.counted, without.profiled.stale), (0, 0));
    assert!(made.image.code != without.image.code, "the counts change nothing");
    let rewritten = sqlite_wasm_native::rewrite::rewritten(&wasm, &made.image).unwrap();
    let code = sqlite_wasm_native::inject::compile_module(&rewritten, &made.image, config).unwrap();
    // SAFETY: `code` is what this engine's compiler has returned just now, with LLVM's code of the
    // same module in it.
    let module = unsafe { Module::deserialize(&engine, code).unwrap() };
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    call_all(&mut store, &instance);
}

/// A command that ends in the way that `last` says.
fn command(last: &str) -> Vec<u8> {
    encoded(&format!(
        r#"(module
          (import "sqlite-wasm:host/console@0.1.0" "write"
            (func $write (param i32 i32 i32) (result i32)))
          (import "wasi:cli/exit@0.2.0" "exit" (func $exit (param i32)))
          (memory (export "memory") 1)
          (func $twice (if (i32.const 0) (then)) (if (i32.const 0) (then)))
          (func (export "wasi:cli/run@0.2.0#run") (result i32)
            (call $twice) (call $twice) {last}))"#
    ))
}

#[test]
fn a_command_writes_its_counts_when_it_ends() {
    for (last, status) in
        [("(i32.const 3)", Some(3)), ("(call $exit (i32.const 1)) (unreachable)", None)]
    {
        let (engine, wasm) = (engine(), command(last));
        let module = Module::new(&engine, counting(&wasm).unwrap()).unwrap();
        let mut linker = Linker::new(&engine);
        let write = |mut caller: Caller<'_, Vec<Vec<u8>>>, to: i32, at: i32, count: i32| {
            let memory = caller.get_export("memory").and_then(Extern::into_memory).unwrap();
            assert_eq!(to, 1);
            let written = memory.data(&caller)[at as usize..][..count as usize].to_vec();
            caller.data_mut().push(written);
            1
        };
        linker.func_wrap("sqlite-wasm:host/console@0.1.0", "write", write).unwrap();
        let exit = |_: i32| -> wasmtime::Result<()> { Err(wasmtime::Error::msg("exit")) };
        linker.func_wrap("wasi:cli/exit@0.2.0", "exit", exit).unwrap();
        let mut store = Store::new(&engine, Vec::new());
        let instance = linker.instantiate(&mut store, &module).unwrap();
        let run = instance.get_func(&mut store, "wasi:cli/run@0.2.0#run").unwrap();
        let mut result = [Val::I32(0)];
        let ended = run.call(&mut store, &[], &mut result).is_ok().then(|| result[0].unwrap_i32());
        assert_eq!(ended, status);
        assert_eq!(store.data().len(), 1, "{last}");
        let (profile, missing) = gathered(&wasm, store.data()).unwrap();
        assert_eq!((lines(&profile), missing), (vec!["twice: 2 f2".to_owned()], 0));
    }
}

#[test]
fn counts_of_another_module_are_refused() {
    let (engine, wasm) = (engine(), encoded(TEXT));
    let mut output = output(&engine, &wasm);
    let other = encoded(&TEXT.replace("(i32.const 20)", "(i32.const 21)"));
    assert!(gathered(&other, &[output.clone()]).is_err());
    // Not all counters are there.
    let counters = 32 + b"Error: something\n".len();
    output.truncate(counters + 40);
    assert!(gathered(&wasm, &[output]).is_err());
}
