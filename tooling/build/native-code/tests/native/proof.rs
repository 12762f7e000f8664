//! What is done about code that is not proved or cannot be in an image.

use native_code::profile::Profile;
use sqlite_wasm_native::image::Function;
use wasmtime::Val;

use crate::engines::Pair;

/// LLVM knows that the numbers are small, and so makes one pointer of them, which grows in the loop.
const TEXT: &str = r#"(module
  (memory (export "memory") 2)
  (data (i32.const 40) "\01\02\03\04\05\06\07\08")
  (func $sum (export "sum") (param $p i32) (param $n i32) (result i32)
    (local $s i32) (local $i i32)
    (local.set $p (i32.and (local.get $p) (i32.const 0xffff)))
    (local.set $n (i32.and (local.get $n) (i32.const 255)))
    (loop
      (local.set $s (i32.add (local.get $s)
        (i32.load (i32.add (local.get $p) (i32.shl (local.get $i) (i32.const 2))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if 0 (i32.le_u (local.get $i) (local.get $n))))
    (local.get $s)))"#;

#[test]
fn a_function_that_is_not_proved_hides_its_addresses() {
    let buffer = wast::parser::ParseBuffer::new(TEXT).unwrap();
    let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
    let made = native_code::of_module(&wasm, &Profile::default(), false).unwrap();
    assert_eq!(made.unproved.found, ["hide sum"]);
    assert!(made.kept.is_empty() && matches!(made.image.functions[..], [Function::Entry(_)]));

    let mut pair = Pair::new();
    assert_eq!(pair.instantiate(&wasm), Some(true));
    for (start, count) in [(40, 1), (0, 255), (-1, 3), (0x1_0028, 0x101)] {
        pair.call("sum", &[Val::I32(start), Val::I32(count)]).unwrap();
    }
}

/// Vectors that no register has during a call: more than a frame may have.
#[test]
fn a_function_with_a_large_frame_stays_with_cranelift() {
    let each = |text: fn(usize) -> String| (0..160).map(text).collect::<String>();
    let text = format!(
        r#"(module
          (memory (export "memory") 1)
          (table 1 1 funcref)
          (elem (i32.const 0) $small)
          (func $small (export "small") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
          (func $large (export "large") (param i32) (result i32) (local i32{})
            {}
            (local.set 1 (call_indirect (param i32) (result i32) (local.get 0) (i32.const 0)))
            {}
            (local.get 1)))"#,
        each(|_| " v128".to_owned()),
        each(|index| format!("(local.set {} (v128.load (i32.const {})))", index + 2, 16 * index)),
        each(|index| format!(
            "(v128.store (i32.const {}) (local.get {}))",
            16 * index + 8,
            index + 2
        )),
    );
    let buffer = wast::parser::ParseBuffer::new(&text).unwrap();
    let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
    let made = native_code::of_module(&wasm, &Profile::default(), false).unwrap();
    assert_eq!(made.unproved.found, ["keep large"]);
    assert!(matches!(made.image.functions[..], [Function::Entry(_), Function::Kept]));

    let mut pair = Pair::new();
    assert_eq!(pair.instantiate(&wasm), Some(true));
    assert_eq!(pair.call("large", &[Val::I32(6)]).map(|it| it[0].unwrap_i32()), Ok(7));
    pair.compare_state();
}

#[test]
fn calls_by_a_table_that_may_grow_stay_with_cranelift() {
    let text = r#"(module
      (table 1 2 funcref)
      (elem (i32.const 0) $one)
      (func $one (export "one") (result i32) (i32.const 1))
      (func (export "by-table") (param i32) (result i32)
        (call_indirect (result i32) (local.get 0))))"#;
    let buffer = wast::parser::ParseBuffer::new(text).unwrap();
    let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
    let made = native_code::of_module(&wasm, &Profile::default(), false).unwrap();
    assert_eq!(made.kept, [(1, "the table may grow".to_owned())]);

    let mut pair = Pair::new();
    assert_eq!(pair.instantiate(&wasm), Some(true));
    for index in [0, 1, -1] {
        pair.call("by-table", &[Val::I32(index)]).ok();
    }
    assert_eq!(pair.call("by-table", &[Val::I32(0)]).map(|it| it[0].unwrap_i32()), Ok(1));
}
