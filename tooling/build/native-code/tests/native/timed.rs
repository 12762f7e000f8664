//! Code that looks at the time, as the engine of a server runs it (`EngineKind::Timed`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use native_code::profile::Profile;
use sqlite_wasm_native::{inject, rewrite};
use wasmtime::{Caller, Config, Engine, Instance, Linker, Module, Store, Trap, UpdateDeadline};

use crate::engines;

const TEXT: &str = r#"(module
    (import "host" "late" (func $late))
    (func (export "loop") (loop (br 0)))
    (func (export "sum") (param i32) (result i32) (local i32)
      (loop
        (local.set 1 (i32.add (local.get 1) (local.get 0)))
        (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
      (local.get 1))
    (func $deep (export "deep") (param i32) (result i32)
      (if (result i32) (local.get 0)
        (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
        (else (i32.const 0))))
    (func (export "late") (param i32)
      (call $late)
      (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))"#;

fn config() -> Config {
    let mut config = engines::config();
    config.epoch_interruption(true);
    config
}

/// The module by Cranelift, and with LLVM's code.
fn modules(engine: &Engine) -> [Module; 2] {
    let buffer = wast::parser::ParseBuffer::new(TEXT).unwrap();
    let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
    let image = native_code::of_module(&wasm, &Profile::default(), true).unwrap().image;
    assert!(image.is_timed);
    let rewritten = rewrite::rewritten(&wasm, &image).unwrap();
    let code = inject::compile_module(&rewritten, &image, config).unwrap();
    // SAFETY: `code` is what the compiler has returned just now, with LLVM's code of the same module in it.
    let by_llvm = unsafe { Module::deserialize(engine, code).unwrap() };
    [Module::new(engine, &wasm).unwrap(), by_llvm]
}

/// An instance whose import moves the epoch beyond the deadline.
fn instance(engine: &Engine, module: &Module) -> (Store<()>, Instance) {
    let mut linker = Linker::new(engine);
    let late = |caller: Caller<'_, ()>| caller.engine().increment_epoch();
    linker.func_wrap("host", "late", late).unwrap();
    let mut store = Store::new(engine, ());
    store.set_epoch_deadline(1_000_000);
    let instance = linker.instantiate(&mut store, module).unwrap();
    (store, instance)
}

#[test]
fn it_computes_the_same() {
    let engine = Engine::new(&config()).unwrap();
    for module in modules(&engine) {
        let (mut store, instance) = instance(&engine, &module);
        let sum = instance.get_typed_func::<i32, i32>(&mut store, "sum").unwrap();
        assert_eq!(sum.call(&mut store, 100_000).unwrap(), 100_000_i32.wrapping_mul(100_001) / 2);
        let deep = instance.get_typed_func::<i32, i32>(&mut store, "deep").unwrap();
        assert_eq!(deep.call(&mut store, 1000).unwrap(), 1000);
    }
}

#[test]
fn what_begins_late_ends_at_once() {
    let engine = Engine::new(&config()).unwrap();
    for module in modules(&engine) {
        let (mut store, instance) = instance(&engine, &module);
        store.set_epoch_deadline(0);
        for name in ["sum", "deep"] {
            let function = instance.get_typed_func::<i32, i32>(&mut store, name).unwrap();
            let error = function.call(&mut store, 5).unwrap_err();
            assert_eq!(error.downcast_ref(), Some(&Trap::Interrupt), "{name}");
        }
        store.set_epoch_deadline(1);
        let late = instance.get_typed_func::<i32, ()>(&mut store, "late").unwrap();
        let error = late.call(&mut store, 5).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Trap::Interrupt));
    }
}

/// The callback moves the deadline five times. The loop reads both anew each time.
#[test]
fn a_loop_without_end_goes_on_until_its_last_deadline() {
    let engine = Engine::new(&config()).unwrap();
    for module in modules(&engine) {
        let (mut store, instance) = instance(&engine, &module);
        let (asked, counted) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (times, done) = (asked.clone(), counted.clone());
        store.epoch_deadline_callback(move |_| {
            if times.fetch_add(1, Ordering::SeqCst) < 5 {
                return Ok(UpdateDeadline::Continue(1));
            }
            Ok(UpdateDeadline::Interrupt)
        });
        store.set_epoch_deadline(1);
        let clock = engine.clone();
        let ticking = std::thread::spawn(move || {
            while !done.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
                clock.increment_epoch();
            }
        });
        let endless = instance.get_typed_func::<(), ()>(&mut store, "loop").unwrap();
        let error = endless.call(&mut store, ()).unwrap_err();
        counted.store(true, Ordering::SeqCst);
        ticking.join().unwrap();
        assert_eq!(error.downcast_ref(), Some(&Trap::Interrupt));
        assert_eq!(asked.load(Ordering::SeqCst), 6);
    }
}

#[test]
fn an_image_for_other_code_is_refused() {
    let buffer = wast::parser::ParseBuffer::new(TEXT).unwrap();
    let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
    for is_timed in [false, true] {
        let image = native_code::of_module(&wasm, &Profile::default(), is_timed).unwrap().image;
        let rewritten = rewrite::rewritten(&wasm, &image).unwrap();
        let other = if is_timed { engines::config } else { config };
        assert!(inject::compile_module(&rewritten, &image, other).is_err());
    }
}
