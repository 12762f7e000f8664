//! The map of functions that `perf` reads (`/tmp/perf-PID.map`), also of those of which LLVM made the code: wasmtime's own map has
//! one function with all of LLVM's code.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::ops::Range;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use wasmtime::component::Component;
use wasmtime_environ::iterate_address_map;
use wasmtime_environ::obj::ELF_WASMTIME_ADDRMAP;

use crate::artifact::trace::{LLVM_NAME, LLVM_POSITIONS};

/// Add a component that was loaded from `artifact` to the map of this process: the feature `profiling` does it.
///
/// # Errors
///
/// When the map cannot be written.
pub fn write(loaded: &Component, artifact: &[u8]) -> io::Result<()> {
    let lines = map(artifact, loaded.image_range().start as u64).unwrap_or_default();
    let path = format!("/tmp/perf-{}.map", std::process::id());
    OpenOptions::new().create(true).append(true).open(path)?.write_all(lines.as_bytes())
}

/// A function of the artifact.
struct Function<'a> {
    /// `wasm[0]::function[12]::sqlite3_step`.
    name: &'a str,
    /// Where it is in the code.
    code: Range<u64>,
}

impl Function<'_> {
    /// The module and the index of a WebAssembly function.
    fn index(&self) -> Option<(&str, u32)> {
        let (module, rest) = self.name.split_once("::function[")?;
        Some((module, rest.split(']').next()?.parse().ok()?))
    }
}

/// The lines for an artifact that was loaded at this address; none if it is not one of wasmtime's.
pub fn map(artifact: &[u8], address: u64) -> Option<String> {
    let file = object::File::parse(artifact).ok()?;
    let start = address + file.section_by_name(".text")?.file_range()?.0;
    let positions = file.section_by_name(ELF_WASMTIME_ADDRMAP)?.data().ok()?;
    let symbols = file.symbols().filter(|it| it.kind() == SymbolKind::Text && it.size() > 0);
    let functions = symbols.filter_map(|it| {
        Some(Function { name: it.name().ok()?, code: it.address()..it.address() + it.size() })
    });
    let mut functions: Vec<_> = functions.collect();
    functions.sort_unstable_by_key(|function| function.code.start);
    let mut lines = String::new();
    let mut line = |code: Range<u64>, name: &str| {
        let _ = writeln!(lines, "{:x} {:x} {name}", start + code.start, code.end - code.start);
    };
    for function in &functions {
        if function.name.ends_with(LLVM_NAME) {
            for (code, name) in pieces(function, &functions, positions)? {
                line(code, name);
            }
        } else {
            line(function.code.clone(), function.name);
        }
    }
    Some(lines)
}

/// The pieces of LLVM's code, each with the name of its function.
fn pieces<'a>(
    whole: &Function<'a>,
    functions: &[Function<'a>],
    positions: &[u8],
) -> Option<Vec<(Range<u64>, &'a str)>> {
    let (module, _) = whole.index()?;
    let mut own: Vec<_> = functions.iter().filter_map(|it| Some((it.index()?, it.name))).collect();
    own.retain(|((other, _), _)| *other == module);
    own.sort_unstable();
    let starts: Vec<_> = iterate_address_map(positions)?
        .map(|(start, position)| (u64::from(start), position.file_offset()))
        .filter(|(start, _)| whole.code.contains(start))
        .collect();
    let first = starts.iter().filter_map(|(_, position)| *position).min()?;
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([whole.code.end]);
    let pieces = starts.iter().zip(ends).map(|(&(start, position), end)| {
        // That of helpers is the first one.
        let number = position.map_or(0, |position| (position - first) as usize / LLVM_POSITIONS);
        let name = number.checked_sub(1).and_then(|number| own.get(number));
        (start..end, name.map_or(whole.name, |(_, name)| *name))
    });
    Some(pieces.collect())
}
