//! Components, and images that do not belong to them.

use native_code::profile::Profile;
use sqlite_wasm_native::image::{Function, Image};
use sqlite_wasm_native::inject;
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

use crate::engines::{config, engine};

/// Two core modules, of which the first calls the second. It is longer than what wasmtime compiles instead.
fn component(factor: u32) -> Vec<u8> {
    let more = "(drop (i32.add (local.get 0) (i32.const 1)))".repeat(100);
    let text = format!(
        r#"(component
          (core module $main
            (import "other" "twice" (func $twice (param i32) (result i32)))
            (memory (export "memory") 1)
            (table 2 2 funcref)
            (elem (i32.const 0) $inner)
            (func $inner (param i32) (result i32)
              {more}
              (i32.store (i32.const 8) (local.get 0))
              (i32.mul (i32.load (i32.const 8)) (i32.const {factor})))
            (func (export "run") (param i32) (result i32)
              (call $twice (call_indirect (param i32) (result i32) (local.get 0) (i32.const 0)))))
          (core module $other
            (func (export "twice") (param i32) (result i32)
              (i32.add (local.get 0) (local.get 0))))
          (core instance $other (instantiate $other))
          (core instance $main (instantiate $main (with "other" (instance $other))))
          (func (export "run") (param "number" s32) (result s32)
            (canon lift (core func $main "run"))))"#
    );
    let buffer = wast::parser::ParseBuffer::new(&text).unwrap();
    wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap()
}

fn compiled(component: &[u8], image: &Image) -> anyhow::Result<Vec<u8>> {
    let prepared = inject::prepared(component, image)?;
    inject::compile(&prepared.component, &prepared.module, image, config)
}

fn run(engine: &Engine, code: &[u8]) -> i32 {
    // SAFETY: the compiler has returned `code` just now.
    let component = unsafe { Component::deserialize(engine, code).unwrap() };
    let mut store = Store::new(engine, ());
    let instance = Linker::new(engine).instantiate(&mut store, &component).unwrap();
    let run = instance.get_typed_func::<(i32,), (i32,)>(&mut store, "run").unwrap();
    run.call(&mut store, (7,)).unwrap().0
}

/// Whether the artifact has the image's code, but for the distances of its slots.
fn has_image(code: &[u8], image: &Image) -> bool {
    let slot = image.slots[0].offset as usize;
    let piece = if slot > 64 { &image.code[..64] } else { &image.code[slot + 5..slot + 69] };
    code.windows(piece.len()).any(|window| window == piece)
}

#[test]
fn a_component_runs_the_image_of_its_module() {
    let (engine, component) = (engine(), component(3));
    let image = native_code::of_component(&component, &Profile::default(), false).unwrap().image;
    let code = compiled(&component, &image).unwrap();
    assert!(has_image(&code, &image));
    assert_eq!(run(&engine, &code), 42);
    let by_cranelift = engine.precompile_component(&component).unwrap();
    assert!(!has_image(&by_cranelift, &image));
    assert_eq!(run(&engine, &by_cranelift), 42);
}

#[test]
fn an_image_and_its_artifact_are_the_same_each_time() {
    let component = component(3);
    let images = [0, 1]
        .map(|_| native_code::of_component(&component, &Profile::default(), false).unwrap().image);
    assert!(images[0] == images[1]);
    assert!(compiled(&component, &images[0]).unwrap() == compiled(&component, &images[1]).unwrap());
}

#[test]
fn an_image_of_another_module_is_refused() {
    let (component, other) = (component(3), component(5));
    let image = native_code::of_component(&other, &Profile::default(), false).unwrap().image;
    let error = compiled(&component, &image).unwrap_err().to_string();
    assert_eq!(error, "the image is for another module");
}

#[test]
fn an_image_that_takes_something_else_for_granted_is_refused() {
    let component = component(3);
    let image = native_code::of_component(&component, &Profile::default(), false).unwrap().image;
    let refused = |what: &str, change: &dyn Fn(&mut Image)| {
        let mut image = image.clone();
        change(&mut image);
        assert!(compiled(&component, &image).is_err(), "{what}");
    };
    for index in 0..image.layout.len() {
        refused("another layout", &|image| image.layout[index] += 8);
    }
    refused("one more function", &|image| image.functions.push(Function::Internal));
    refused("one function less", &|image| {
        image.functions.pop();
    });
    refused("no slot", &|image| image.slots.clear());
}
