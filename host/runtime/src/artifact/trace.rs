//! The functions in which a trap happened, also where LLVM made their code.
//!
//! All of LLVM's code is one function for wasmtime (`host/native`). The positions in the module that wasmtime has for it tell the
//! function that a piece of code belongs to.

use std::fmt::Write as _;

use wasmtime::{FrameInfo, WasmBacktrace};

/// The name of the function that LLVM's code is in (`sqlite_wasm_native::rewrite::IMAGE_NAME`).
pub const LLVM_NAME: &str = "machine-code-by-LLVM";

/// How many positions each function of LLVM's code has (`sqlite_wasm_native::inject::POSITIONS`).
pub const LLVM_POSITIONS: usize = 16;

/// The message of a trap as wasmtime prints it, with the names of all functions, those of Rust as they were written. (wasmtime does
/// that too, but with a quarter of a megabyte for C++.)
pub fn message(error: &wasmtime::Error) -> String {
    let message = format!("{error:?}");
    let Some(trace) = error.downcast_ref::<WasmBacktrace>() else { return message };
    let mut named = HEAD.to_owned();
    for (number, frame) in frames(trace).enumerate() {
        let _ = write!(named, "\n  {number:>3}: ");
        if let Some(position) = frame.position {
            let _ = write!(named, "{position:#8x} - ");
        }
        let _ = write!(named, "{}!{}", frame.module, frame.function);
    }
    message.replacen(&trace.to_string(), &named, 1)
}

/// The first line of wasmtime's own text.
const HEAD: &str = "error while executing at wasm backtrace:";

/// The names of the functions in which a trap happened, the innermost first.
pub fn functions(error: &wasmtime::Error) -> Vec<String> {
    let trace = error.downcast_ref::<WasmBacktrace>();
    trace.map(|trace| frames(trace).map(|frame| frame.function).collect()).unwrap_or_default()
}

/// Whether LLVM made the code of a frame, whose position is then not one of the module.
pub(crate) fn is_by_llvm(frame: &FrameInfo) -> bool {
    frame.func_name() == Some(LLVM_NAME)
}

/// A frame as it is shown.
struct Frame<'a> {
    module: &'a str,
    function: String,
    /// The position in the module, if it is known.
    position: Option<usize>,
}

/// All frames but those of LLVM's helpers, which are of no function of the module.
fn frames(trace: &WasmBacktrace) -> impl Iterator<Item = Frame<'_>> {
    trace.frames().iter().filter_map(|frame| {
        let (name, index, position) = if is_by_llvm(frame) {
            let number = (frame.func_offset()? / LLVM_POSITIONS).checked_sub(1)?;
            let function = frame.module().functions().nth(number)?;
            (function.name, function.index.as_u32(), None)
        } else {
            (frame.func_name().map(str::to_owned), frame.func_index(), frame.module_offset())
        };
        let function = match name {
            Some(name) => rustc_demangle::demangle(&name).to_string(),
            None => format!("<wasm function {index}>"),
        };
        Some(Frame { module: frame.module().name().unwrap_or("<unknown>"), function, position })
    })
}
