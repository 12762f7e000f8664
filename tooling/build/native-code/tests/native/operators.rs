//! What WebAssembly's tests do not have: the border between LLVM's code and Cranelift's, all sizes
//! of copies, traps in code that LLVM could drop.

use wasmtime::{Caller, FuncType, Val, ValType};

use crate::engines::Pair;

/// The module of `wat`, with LLVM's code on the second side.
fn pair(wat: &str) -> Pair {
    let mut pair = Pair::new();
    define_imports(&mut pair);
    instantiate(&mut pair, wat);
    pair
}

fn instantiate(pair: &mut Pair, wat: &str) {
    let buffer = wast::parser::ParseBuffer::new(wat).unwrap();
    let mut module = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap();
    assert_eq!(pair.instantiate(&module.encode().unwrap()), Some(true));
}

/// `host.sum` adds eight numbers, `host.fail` fails, `host.enter` calls the export `entered`.
fn define_imports(pair: &mut Pair) {
    let eight = [
        ValType::I32,
        ValType::I64,
        ValType::F64,
        ValType::I32,
        ValType::I64,
        ValType::F32,
        ValType::I32,
        ValType::I64,
    ];
    for side in &mut pair.sides {
        let ty = FuncType::new(&pair.engine, eight.clone(), [ValType::I64]);
        side.linker
            .func_new("host", "sum", ty, |_, arguments, results| {
                let numbers = arguments.iter().enumerate().map(|(index, argument)| {
                    let number = match argument {
                        Val::I32(number) => i64::from(*number),
                        Val::I64(number) => *number,
                        Val::F32(bits) => f32::from_bits(*bits) as i64,
                        Val::F64(bits) => f64::from_bits(*bits) as i64,
                        _ => 0,
                    };
                    number.wrapping_mul(1 << (4 * index))
                });
                results[0] = Val::I64(numbers.sum());
                Ok(())
            })
            .unwrap();
        side.linker
            .func_wrap("host", "fail", || -> wasmtime::Result<()> {
                Err(wasmtime::Error::msg("the import failed"))
            })
            .unwrap();
        side.linker
            .func_wrap("host", "enter", |mut caller: Caller<'_, ()>, number: i32| {
                let function = caller.get_export("entered").unwrap().into_func().unwrap();
                function.typed::<i32, i32>(&caller)?.call(&mut caller, number)
            })
            .unwrap();
    }
}

const CALLS: &str = r#"(module
  (type $eight (func (param i32 i64 f64 i32 i64 f32 i32 i64) (result i64)))
  (type $none (func))
  (type $one (func (param i32) (result i32)))
  (import "host" "sum" (func $sum (type $eight)))
  (import "host" "fail" (func $fail))
  (import "host" "enter" (func $enter (type $one)))
  (memory (export "memory") 1)
  (table 8 8 funcref)
  (elem (i32.const 1) $eight $sum $double $grow $fail)
  (global $count (export "count") (mut i32) (i32.const 0))
  (func $eight (type $eight)
    (i64.add
      (i64.mul (i64.extend_i32_s (local.get 0)) (local.get 1))
      (i64.add
        (i64.trunc_sat_f64_s (f64.mul (local.get 2) (f64.promote_f32 (local.get 5))))
        (i64.sub (i64.mul (local.get 4) (local.get 7))
          (i64.extend_i32_u (i32.add (local.get 3) (local.get 6)))))))
  (func $double (type $one) (i32.shl (local.get 0) (i32.const 1)))
  (func $grow (type $one) (memory.grow (local.get 0)))
  ;; Stays with Cranelift, and calls LLVM's code with arguments on the stack.
  (func $back (param i32) (result i64)
    (drop (memory.grow (i32.const 0)))
    (call $eight (local.get 0) (i64.const 3) (f64.const 2.5) (i32.const 7) (i64.const -9)
      (f32.const 1.5) (i32.const 11) (i64.const 13)))
  ;; Stays with Cranelift, and has arguments on the stack.
  (func $kept (type $eight)
    (drop (memory.grow (i32.const 0)))
    (call $sum (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4)
      (local.get 5) (local.get 6) (local.get 7)))
  (func (export "back") (param i32) (result i64) (call $back (local.get 0)))
  (func (export "grow") (param i32) (result i32)
    (drop (call $grow (local.get 0))) (memory.size))
  (func (export "kept") (param i32) (result i64)
    (call $kept (local.get 0) (i64.const 3) (f64.const 2.5) (i32.const 7) (i64.const -9)
      (f32.const 1.5) (i32.const 11) (i64.const 13)))
  (func (export "import") (param i32) (result i64)
    (call $sum (local.get 0) (i64.const 3) (f64.const 2.5) (i32.const 7) (i64.const -9)
      (f32.const 1.5) (i32.const 11) (i64.const 13)))
  (func (export "fail") (global.set $count (i32.const 7)) (call $fail))
  (func (export "indirect") (param i32 i32) (result i64)
    (call_indirect (type $eight) (local.get 1) (i64.const 3) (f64.const 2.5) (i32.const 7)
      (i64.const -9) (f32.const 1.5) (i32.const 11) (i64.const 13) (local.get 0)))
  (func (export "indirect-one") (param i32 i32) (result i32)
    (call_indirect (type $one) (local.get 1) (local.get 0)))
  (func (export "indirect-none") (param i32) (call_indirect (type $none) (local.get 0)))
  (func (export "entered") (type $one)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 5))
      (else (i32.add (i32.const 1) (call $enter (i32.sub (local.get 0) (i32.const 1)))))))
  (func $even (export "even") (type $one)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
      (else (call $odd (i32.sub (local.get 0) (i32.const 1))))))
  (func $odd (type $one)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
      (else (call $even (i32.sub (local.get 0) (i32.const 1))))))
  (func $endless (export "endless") (call $endless))
  (func (export "deep") (param i32) (result i32)
    (i32.add (call $even (local.get 0)) (call $even (local.get 0)))))"#;

#[test]
fn calls_cross_the_border_in_both_directions() {
    let mut pair = pair(CALLS);
    for number in [0, 1, -1, i32::MAX, i32::MIN] {
        let number = [Val::I32(number)];
        for name in ["back", "kept", "import"] {
            pair.call(name, &number).unwrap();
        }
    }
    assert!(pair.call("fail", &[]).unwrap_err().contains("the import failed"));
    pair.compare_state();
    for pages in [0, 1, 3, -1] {
        pair.call("grow", &[Val::I32(pages)]).unwrap();
        pair.compare_state();
    }
    assert!(matches!(pair.call("entered", &[Val::I32(9)]).unwrap()[..], [Val::I32(14)]));
}

#[test]
fn indirect_calls_trap_alike() {
    let mut pair = pair(CALLS);
    let mut outcomes = std::collections::BTreeSet::new();
    for slot in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1 << 20, i32::MAX, i32::MIN, -1] {
        let slot = Val::I32(slot);
        let one = pair.call("indirect-one", &[slot, Val::I32(1)]);
        for outcome in
            [one, pair.call("indirect", &[slot, Val::I32(-3)]), pair.call("indirect-none", &[slot])]
        {
            outcomes.insert(outcome.map_or_else(|reason| reason, |_| String::new()));
        }
        // The instance remains usable.
        pair.call("even", &[Val::I32(6)]).unwrap();
    }
    for reason in
        ["", "BadSignature", "IndirectCallToNull", "TableOutOfBounds", "the import failed"]
    {
        assert!(outcomes.iter().any(|outcome| outcome.contains(reason)), "{reason}: {outcomes:?}");
    }
}

#[test]
fn recursion_ends_by_a_trap() {
    let mut pair = pair(CALLS);
    pair.call("deep", &[Val::I32(1000)]).unwrap();
    for _ in 0..3 {
        assert_eq!(pair.call("endless", &[]).unwrap_err(), "StackOverflow");
        assert_eq!(pair.call("even", &[Val::I32(i32::MAX)]).unwrap_err(), "StackOverflow");
        pair.call("deep", &[Val::I32(10)]).unwrap();
    }
}

const MEMORY: &str = r#"(module
  (memory (export "memory") 1 3)
  (func (export "fill") (param i32 i32 i32)
    (memory.fill (local.get 0) (local.get 1) (local.get 2)))
  (func (export "copy") (param i32 i32 i32)
    (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "number") (param i32 i32)
    (loop $next
      (i32.store8 (local.get 0) (i32.mul (local.get 0) (i32.const 41)))
      (local.set 0 (i32.add (local.get 0) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get 0) (local.get 1)))))
  (func (export "dropped") (param i32) (drop (i64.load offset=65530 (local.get 0))))
  (func (export "far") (param i32) (result i32) (i32.load8_u offset=33000000 (local.get 0)))
  (func (export "farther") (param i32) (i64.store offset=4294967295 (local.get 0) (i64.const 1)))
  (func (export "order") (param i32) (result i32)
    (i32.store (i32.const 8) (i32.const 1))
    (drop (i32.load (local.get 0)))
    (i32.store (i32.const 8) (i32.const 2))
    (i32.load (i32.const 8))))"#;

#[test]
fn copies_of_all_sizes_are_the_same() {
    let mut pair = pair(MEMORY);
    let words = |numbers: [u32; 3]| numbers.map(|number| Val::I32(number.cast_signed()));
    for count in (0..80).chain([127, 128, 129, 1000, 4096]) {
        for (to, from) in
            [(100, 5000), (5000, 100), (100, 101), (101, 100), (100, 117), (117, 100), (100, 100)]
        {
            pair.call("number", &words([0, 9999, 0])[..2]).unwrap();
            pair.call("copy", &words([to, from, count])).unwrap();
            pair.call("fill", &words([9000, count * 7, count])).unwrap();
            pair.compare_state();
        }
    }
}

#[test]
fn copies_beyond_the_memory_trap_and_change_nothing() {
    let mut pair = pair(MEMORY);
    let words = |numbers: [u32; 3]| numbers.map(|number| Val::I32(number.cast_signed()));
    pair.call("number", &words([0, 65535, 0])[..2]).unwrap();
    for (start, count) in [
        (65536, 0),
        (65535, 1),
        (65535, 2),
        (65536, 1),
        (65500, 37),
        (u32::MAX, 1),
        (1, u32::MAX),
        (u32::MAX, u32::MAX),
    ] {
        let fits = u64::from(start) + u64::from(count) <= 65536;
        for outcome in [
            pair.call("fill", &words([start, 1, count])),
            pair.call("copy", &words([start, 7, count])),
            pair.call("copy", &words([7, start, count])),
        ] {
            assert_eq!(outcome.is_ok(), fits, "{start}, {count}: {outcome:?}");
        }
        pair.compare_state();
    }
}

#[test]
fn loads_without_use_trap_and_stores_keep_their_order() {
    let mut pair = pair(MEMORY);
    for address in [0, 1, 5, -1, i32::MAX] {
        for name in ["dropped", "far", "farther", "order"] {
            let _ = pair.call(name, &[Val::I32(address)]);
            pair.compare_state();
        }
    }
    assert_eq!(pair.call("dropped", &[Val::I32(0)]).unwrap_err(), "MemoryOutOfBounds");
    assert_eq!(pair.call("far", &[Val::I32(0)]).unwrap_err(), "MemoryOutOfBounds");
    assert_eq!(pair.call("farther", &[Val::I32(0)]).unwrap_err(), "MemoryOutOfBounds");
}
