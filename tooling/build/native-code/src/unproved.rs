//! What is done about functions whose code `native-check` does not prove.
//!
//! LLVM may compute an address from others, so that only what it knows of their values says that
//! it is in the memory. The first time such a function and those that LLVM may inline in it hide
//! their addresses: a `mov` in assembler returns the value of 32 bits, of which LLVM then
//! knows nothing. The second time it stays with wasmtime's compiler. All is made and proved anew
//! after that, as LLVM inlines others; `unproved.txt` lists our components' functions, which only
//! saves this time.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use sqlite_wasm_native::module::Module;
use wasmparser::Operator;

use crate::profile::names;

/// `hide NAME` or `keep NAME` in each line.
const LISTED: &str = include_str!("../unproved.txt");

/// The size of a function that LLVM may inline in several others, in bytes of WebAssembly.
const MAX_INLINED: usize = 400;

/// How often what is inlined may inline others.
const MAX_DEPTH: usize = 4;

/// The functions of a module that are not proved, by their indices among those that it defines.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Unproved {
    /// Those that hide their addresses.
    pub hidden: BTreeSet<u32>,
    /// Those that stay with wasmtime's compiler, with the reason.
    pub kept: BTreeMap<u32, String>,
    /// What was found besides what is listed, as lines for the list.
    pub found: Vec<String>,
    /// The listed names that no function of the module has.
    pub stale: usize,
    names: BTreeMap<u32, String>,
}

impl Unproved {
    /// What is listed of a module.
    ///
    /// # Errors
    ///
    /// When the module or the list is not valid.
    pub fn listed(wasm: &[u8], module: &Module<'_>) -> Result<Self> {
        Self::of(LISTED, wasm, module)
    }

    fn of(list: &str, wasm: &[u8], module: &Module<'_>) -> Result<Self> {
        let names = names::of(wasm)?.into_iter();
        let names = names.filter_map(|(index, name)| Some((module.defined(index)?, name)));
        let mut unproved = Self { names: names.collect(), ..Self::default() };
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (hides, name) = match (line.strip_prefix("hide "), line.strip_prefix("keep ")) {
                (Some(name), _) => (true, name),
                (_, Some(name)) => (false, name),
                _ => bail!("`{}` is no line of unproved.txt", line.escape_debug()),
            };
            let named = unproved.names.iter().filter(|(_, known)| *known == name);
            let named: Vec<u32> = named.map(|(index, _)| *index).collect();
            unproved.stale += usize::from(named.is_empty());
            let reason = "it is listed as not proved";
            if hides {
                unproved.hidden.extend(named)
            } else {
                unproved.kept.extend(named.into_iter().map(|it| (it, reason.to_owned())))
            }
        }
        Ok(unproved)
    }

    /// What is done about those that were found: they hide their addresses, or else stay with wasmtime's compiler.
    pub fn extend(&mut self, unproved: BTreeMap<u32, String>) {
        let (hidden, kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            unproved.into_iter().partition(|(index, _)| !self.hidden.contains(index));
        for (index, reason) in hidden {
            self.found("hide", index, &reason);
            self.hidden.insert(index);
        }
        self.keep(kept.into_iter().map(|(index, why)| (index, format!("not proved: {why}"))));
    }

    /// These cannot be in the image.
    pub fn keep(&mut self, functions: impl IntoIterator<Item = (u32, String)>) {
        for (index, reason) in functions {
            self.found("keep", index, &reason);
            self.kept.insert(index, reason);
        }
    }

    fn found(&mut self, word: &str, index: u32, reason: &str) {
        let line = format!("{word} {}", self.names.get(&index).map_or("?", String::as_str));
        // All is made anew after this, which takes its time.
        eprintln!("native-code: to be listed in unproved.txt: {line} ({reason})");
        self.found.push(line);
    }

    /// The functions that hide their addresses, with those that LLVM may inline in them.
    ///
    /// # Errors
    ///
    /// When the module is not valid.
    pub fn hiding(&self, module: &Module<'_>) -> Result<BTreeSet<u32>> {
        let mut callees: Vec<Vec<u32>> = Vec::new();
        for body in &module.bodies {
            let mut called = Vec::new();
            for operator in body.get_operators_reader()? {
                if let Operator::Call { function_index } = operator? {
                    called.extend(module.defined(function_index));
                }
            }
            callees.push(called);
        }
        let mut sites = vec![0_usize; callees.len()];
        callees.iter().flatten().for_each(|callee| sites[*callee as usize] += 1);
        let may_inline = |callee: u32| {
            let bytes = module.bodies[callee as usize].as_bytes().len();
            bytes <= MAX_INLINED || sites[callee as usize] == 1 && !module.escaped.contains(&callee)
        };
        let mut hiding = self.hidden.clone();
        let mut last = hiding.clone();
        for _ in 0..MAX_DEPTH {
            let called = last.iter().flat_map(|caller| &callees[*caller as usize]).copied();
            last =
                called.filter(|callee| may_inline(*callee) && !hiding.contains(callee)).collect();
            hiding.extend(&last);
        }
        Ok(hiding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str, text: &str) -> Result<(Unproved, BTreeSet<u32>)> {
        let buffer = wast::parser::ParseBuffer::new(text).unwrap();
        let wasm = wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap();
        let module = Module::parse(&wasm).unwrap();
        let unproved = Unproved::of(list, &wasm, &module)?;
        let hiding = unproved.hiding(&module)?;
        Ok((unproved, hiding))
    }

    #[test]
    fn functions_are_found_by_their_names_and_others_are_counted() {
        let text =
            "(module (import \"a\" \"b\" (func $imported)) (func $one) (func $two) (func $four))";
        let list = "# a line\n\nhide two\nkeep one\nhide imported\nkeep three\n";
        let (mut unproved, hiding) = of(list, text).unwrap();
        let kept = |unproved: &Unproved| unproved.kept.keys().copied().collect::<Vec<_>>();
        assert_eq!((hiding, kept(&unproved), unproved.stale), ([1].into(), vec![0], 2));
        unproved.extend([(1, "a".to_owned()), (2, "b".to_owned())].into());
        assert_eq!((&unproved.hidden, kept(&unproved)), (&[1, 2].into(), vec![0, 1]));
        assert_eq!(unproved.found, ["hide four", "keep two"]);
        assert!(of("two\n", text).is_err());
    }

    #[test]
    fn what_may_be_inlined_hides_its_addresses_too() {
        let large = "(drop (i32.const 1000000))".repeat(100);
        let text = format!(
            "(module (func $one (call $small) (call $once) (call $twice)) (func $small)
               (func $once {large} (call $twice) (call $inner)) (func $twice {large})
               (func $inner) (func $other (call $small)))"
        );
        assert_eq!(of("hide one", &text).unwrap().1, [0, 1, 2, 4].into());
    }
}
