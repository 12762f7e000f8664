//! The names of functions in a trap: those that Cranelift's code has.

use sqlite_wasm_runtime::artifact::{perf, trace};
use wasmtime::{Engine, Module, Store};

use crate::engines::{self, artifact, by_llvm};

/// Functions that LLVM does not inline, as they are called through the table; traps of a function, a helper, an import and
/// Cranelift's code. `$copy` calls first, since LLVM sets up no frame before that, and wasmtime does not find the caller of a
/// function that traps without.
const TEXT: &str = r#"(module $engine
  (import "host" "fail" (func $fail))
  (type $leaf (func (param i32) (result i32)))
  (type $pair (func (param i32 i32) (result i32)))
  (type $many (func (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (memory 1)
  (table 8 8 funcref)
  (elem (i32.const 0) $divide $load $copy $imported $grown $nothing $recursive $same)
  (func $divide (type $leaf) (i32.div_u (i32.const 7) (i32.const 0)))
  (func $load (type $leaf) (i32.load (i32.const -1)))
  (func $same (type $leaf) (local.get 0))
  (func $copy (type $leaf)
    (drop (call_indirect (type $leaf) (local.get 0) (i32.const 7)))
    (memory.copy (local.get 0) (i32.const -1) (i32.const 70000))
    (i32.const 1))
  (func $imported (type $leaf) (call $fail) (i32.const 2))
  (func $grown (type $leaf)
    (drop (memory.grow (i32.const 0)))
    (i32.add (call_indirect (type $pair) (i32.const 2) (i32.const 5) (i32.const 6)) (i32.const 1)))
  (func $nothing (type $leaf) unreachable)
  (func $recursive (type $pair)
    (i32.mul (i32.const 3)
      (if (result i32) (local.get 0)
        (then (call_indirect (type $pair)
          (i32.sub (local.get 0) (i32.const 1)) (local.get 1) (i32.const 6)))
        (else (call_indirect (type $leaf) (local.get 0) (local.get 1))))))
  (func $_ZN4core3fmt9Formatter3pad17h0123456789abcdefE (export "run") (type $many)
    (i32.add (call_indirect (type $pair) (i32.const 3) (local.get 6) (i32.const 6)) (local.get 5))))"#;

fn encoded() -> Vec<u8> {
    let buffer = wast::parser::ParseBuffer::new(TEXT).unwrap();
    wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap()
}

/// The names in the trap of `run`, and its message.
fn trapped(engine: &Engine, module: &Module, which: i32) -> (Vec<String>, String) {
    let mut store = Store::new(engine, ());
    let mut linker = wasmtime::Linker::new(engine);
    linker
        .func_wrap("host", "fail", || Err::<(), _>(wasmtime::Error::msg("the import failed")))
        .unwrap();
    let instance = linker.instantiate(&mut store, module).unwrap();
    type Many = (i32, i32, i32, i32, i32, i32, i32);
    let run = instance.get_typed_func::<Many, i32>(&mut store, "run").unwrap();
    let error = run.call(&mut store, (1, 2, 3, 4, 5, 6, which)).unwrap_err();
    (trace::functions(&error), trace::message(&error))
}

/// A message without positions in the module, which only Cranelift's code has.
fn without_positions(message: &str) -> String {
    let lines = message.split('\n').map(|line| match line.split_once(" - ") {
        Some((number, name)) => format!("{}: {name}", number.split(':').next().unwrap()),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn traps_name_the_functions_that_cranelift_s_code_names() {
    let engine = engines::engine();
    let wasm = encoded();
    let (cranelift, llvm) =
        (Module::new(&engine, &wasm).unwrap(), by_llvm(&engine, &wasm).unwrap());
    for (which, name) in
        ["divide", "load", "copy", "imported", "grown", "nothing"].into_iter().enumerate()
    {
        let (names, message) = trapped(&engine, &cranelift, which as i32);
        let (by_llvm, by_llvm_message) = trapped(&engine, &llvm, which as i32);
        assert_eq!(by_llvm, names, "{by_llvm_message}");
        if name != "grown" {
            let recursive = vec!["recursive"; 4];
            let expected =
                [vec![name], recursive, vec!["core::fmt::Formatter::pad::h0123456789abcdef"]]
                    .concat();
            assert_eq!(names, expected);
        }
        assert_eq!(without_positions(&by_llvm_message), without_positions(&message));
    }
}

/// The functions in the map for `perf`, with the sizes of their code.
fn mapped(artifact: &[u8]) -> Vec<(String, u64)> {
    const ADDRESS: u64 = 0x7000_0000;
    let map = perf::map(artifact, ADDRESS).unwrap();
    let mut end = ADDRESS;
    let functions = map.lines().map(|line| {
        let [start, size, name] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let [start, size] = [start, size].map(|it| u64::from_str_radix(it, 16).unwrap());
        assert!(start >= end, "{line}");
        end = start + size;
        (name.to_owned(), size)
    });
    functions.collect()
}

#[test]
fn perf_s_map_has_the_functions_of_llvm_s_code() {
    let wasm = encoded();
    let by_cranelift = mapped(&engines::engine().precompile_module(&wasm).unwrap());
    let by_llvm = mapped(&artifact(&wasm).unwrap());
    for (name, _) in by_cranelift.iter().filter(|(name, _)| name.starts_with("wasm[0]::function["))
    {
        // A function's own code is more than a jump to it.
        let is_there = by_llvm.iter().any(|(other, size)| other == name && *size > 8);
        assert!(is_there, "{name} in {by_llvm:?}");
    }
}
