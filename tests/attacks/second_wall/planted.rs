//! Native code planted in a precompiled component: a program as anybody may
//! write it, whose compiled function is then overwritten.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wasm_encoder::{
    CodeSection, ComponentBuilder, ComponentExportKind, ComponentExportSection,
    ComponentInstanceSection, ComponentSection, ComponentValType, ConstExpr, ExportKind,
    ExportSection, Function, FunctionSection, GlobalSection, GlobalType, Module, TypeSection,
    ValType,
};

use crate::support::{self, Input};

/// Found in the compiled function: the first constant that it uses. Of 32 bits,
/// since longer ones do not stand in the code itself.
const MARKER: i32 = 0x5e77_a1c0;

/// Repetitions in the function, each some ten bytes of native code: room for
/// the payload.
const REPETITIONS: i32 = 2000;

/// Where the sources of the native programs lie.
fn sources() -> PathBuf {
    support::repository().join("tests/attacks/second_wall")
}

/// Writes `planted.cwasm` into `directory`: sealed, and then changed. The build
/// with the first wall broken takes it all the same.
pub fn plant(directory: &Path) {
    fs::write(directory.join("planted.wasm"), component()).expect("our own directory is writable");
    let args = ["precompile", "planted.wasm"];
    support::ours(directory, &args).exits_with(0);
    let path = directory.join("planted.cwasm");
    let mut code = fs::read(&path).expect("it was just made");
    let payload = payload(directory);
    let [marker, last] = [MARKER, MARKER + REPETITIONS - 1].map(i32::to_le_bytes);
    let place = code.windows(marker.len()).position(|bytes| bytes == marker);
    // The constant ends its instruction: what follows is the next one.
    let start = place.expect("the constant is in the code") + marker.len();
    let end = code.windows(marker.len()).rposition(|bytes| bytes == last);
    assert!(start + payload.len() < end.expect("the last constant too"), "no room for the payload");
    code[start..start + payload.len()].copy_from_slice(&payload);
    fs::write(path, code).expect("our own directory is writable");
}

/// A command-line component whose only function is long and has no meaning.
fn component() -> Vec<u8> {
    let mut component = ComponentBuilder::default();
    let module = component.core_module(None, &module());
    let instance = component.core_instantiate(None, module, []);
    let run = component.core_alias_export(None, instance, "run", ExportKind::Func);
    let (result, encoder) = component.type_defined(None);
    encoder.result(None, None);
    let (function, mut encoder) = component.type_function(None);
    encoder
        .async_(false)
        .params::<_, ComponentValType>([])
        .result(Some(ComponentValType::Type(result)));
    let run = component.lift_func(None, run, function, []);
    let mut bytes = component.finish();
    let mut instances = ComponentInstanceSection::new();
    instances.export_items([("run", ComponentExportKind::Func, run)]);
    instances.append_to_component(&mut bytes);
    let mut exports = ComponentExportSection::new();
    exports.export("wasi:cli/run@0.2.0", ComponentExportKind::Instance, 0, None);
    exports.append_to_component(&mut bytes);
    bytes
}

fn module() -> Module {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut globals = GlobalSection::new();
    let ty = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    globals.global(ty, &ConstExpr::i32_const(1));
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, 0);
    let mut code = CodeSection::new();
    code.function(&body());
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&globals).section(&exports).section(&code);
    module
}

/// Constants that no compiler can join.
fn body() -> Function {
    let mut body = Function::new([]);
    for index in 0..REPETITIONS {
        let mut code = body.instructions();
        code.global_get(0).global_get(0).i32_rotl();
        code.i32_const(MARKER + index).i32_xor().global_set(0);
    }
    body.instructions().global_get(0).i32_eqz().end();
    body
}

/// The payload as bare machine code.
fn payload(directory: &Path) -> Vec<u8> {
    let object = directory.join("payload.o");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O1", "-c", "-nostdlib", "-ffreestanding", "-fPIC", "-fno-stack-protector"])
        .args(["-fno-asynchronous-unwind-tables", "-fcf-protection=none", "-fno-jump-tables"])
        .args(["-mgeneral-regs-only", "-o"])
        .args([&object, &sources().join("payload.c")]);
    support::finish(compiler, &Input::Nothing).exits_with(0);
    let flat = directory.join("payload.bin");
    let mut linker = Command::new("ld");
    linker.arg("-T").arg(sources().join("payload.ld")).args(["--oformat", "binary", "-o"]);
    linker.args([&flat, &object]);
    support::finish(linker, &Input::Nothing).exits_with(0);
    fs::read(flat).expect("it was just made")
}

/// Builds the program `name` without libraries, at a fixed address.
pub fn native_program(name: &str, output: &Path) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-static", "-no-pie", "-o"]).arg(output);
    compiler.arg(sources().join(name).with_extension("c"));
    support::finish(compiler, &Input::Nothing).exits_with(0);
}
