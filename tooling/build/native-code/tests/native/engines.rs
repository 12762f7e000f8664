//! A module, compiled by Cranelift and with LLVM's code.

use anyhow::Result;
use native_code::profile::Profile;
use sqlite_wasm_native::image::Image;
use sqlite_wasm_native::{inject, rewrite};
use wasmtime::{Config, Engine, Func, Instance, Linker, Module, Store, Trap, Val};

/// As the engine of the shell (`EngineKind::Command(Form::Full)`).
pub fn config() -> Config {
    let mut config = Config::new();
    config
        .memory_reservation(4 << 30)
        .memory_guard_size(32 << 20)
        .memory_may_move(false)
        .max_wasm_stack(1 << 20)
        // An unwinder of native code would take the image for one function of Cranelift.
        .native_unwind_info(false)
        .parallel_compilation(false);
    config
}

/// The engine that runs both.
pub fn engine() -> Engine {
    Engine::new(&config()).unwrap()
}

/// The module with LLVM's code.
///
/// # Errors
///
/// When its shape is one that LLVM's code does not exist for.
pub fn by_llvm(engine: &Engine, wasm: &[u8]) -> Result<Module> {
    let code = artifact(wasm)?;
    // SAFETY: `code` is what this engine's compiler has returned just now, with LLVM's code of the
    // same module in it.
    Ok(unsafe { Module::deserialize(engine, code)? })
}

/// The artifact with LLVM's code of the module.
///
/// # Errors
///
/// As [`by_llvm`].
pub fn artifact(wasm: &[u8]) -> Result<Vec<u8>> {
    inserted(wasm, &native_code::of_module(wasm, &Profile::default(), false)?.image, config)
}

/// The artifact of a module with its image.
///
/// # Errors
///
/// When anything does not fit.
pub fn inserted(wasm: &[u8], image: &Image, config: fn() -> Config) -> Result<Vec<u8>> {
    inject::compile_module(&rewrite::rewritten(wasm, image)?, image, config)
}

/// Two instances of each module, one by each compiler.
pub struct Pair {
    pub engine: Engine,
    pub sides: [Side; 2],
    modules: Option<[Module; 2]>,
}

/// One of them.
pub struct Side {
    pub store: Store<()>,
    pub linker: Linker<()>,
    pub instance: Option<Instance>,
}

impl Pair {
    pub fn new() -> Self {
        let engine = engine();
        Self { sides: sides(&engine), engine, modules: None }
    }

    /// Of a module by Cranelift, and with LLVM's code.
    pub fn of(engine: Engine, modules: [Module; 2]) -> Self {
        Self { sides: sides(&engine), engine, modules: Some(modules) }
    }

    /// The last module.
    pub fn module(&self) -> &Module {
        &self.modules.as_ref().expect("a module was compiled")[0]
    }

    /// With nothing but the last module.
    pub fn renew(&mut self) {
        self.sides = sides(&self.engine);
    }

    /// Instantiate a module on both sides, and whether LLVM's code runs on the second. None if
    /// wasmtime refuses it.
    pub fn instantiate(&mut self, wasm: &[u8]) -> Option<bool> {
        let by_cranelift = Module::new(&self.engine, wasm).ok()?;
        let by_llvm = by_llvm(&self.engine, wasm);
        if let Err(error) = &by_llvm {
            let reason = format!("{error:#}");
            assert!(reason.starts_with("the module "), "{reason}");
        }
        let is_llvm = by_llvm.is_ok();
        self.modules = Some([by_cranelift.clone(), by_llvm.unwrap_or(by_cranelift)]);
        self.again().then_some(is_llvm)
    }

    /// Instantiate the last module anew on both sides, and whether that was possible.
    pub fn again(&mut self) -> bool {
        let modules = self.modules.as_ref().expect("a module was compiled");
        let started = self.sides.iter_mut().zip(modules).map(|(side, module)| {
            let instance = side.linker.instantiate(&mut side.store, module);
            side.instance = instance.as_ref().ok().copied();
            instance.err().map(|error| reason(&error))
        });
        let [cranelift, llvm] = &started.collect::<Vec<_>>()[..] else { unreachable!() };
        assert_eq!(llvm, cranelift);
        cranelift.is_none()
    }

    /// Call an export of the last module on both sides, and compare.
    pub fn call(&mut self, name: &str, arguments: &[Val]) -> std::result::Result<Vec<Val>, String> {
        let outcomes = self.sides.iter_mut().map(|side| {
            let instance = side.instance.expect("a module is instantiated");
            let function = instance.get_func(&mut side.store, name).expect(name);
            call(&mut side.store, function, arguments)
        });
        let [cranelift, llvm] = &outcomes.collect::<Vec<_>>()[..] else { unreachable!() };
        assert!(equal(cranelift, llvm), "{name}({arguments:?}): {cranelift:?}, but LLVM {llvm:?}");
        llvm.clone()
    }

    /// The memories and globals of the last module are the same on both sides.
    pub fn compare_state(&mut self) {
        self.compare(true);
    }

    /// The memories are.
    pub fn compare_memories(&mut self) {
        self.compare(false);
    }

    fn compare(&mut self, with_globals: bool) {
        let states = self.sides.iter_mut().map(|side| {
            let instance = side.instance.expect("a module is instantiated");
            let exports = instance.exports(&mut side.store).map(wasmtime::Export::into_extern);
            let exports: Vec<_> = exports.collect();
            let mut state = Vec::new();
            for export in exports {
                if let Some(memory) = export.clone().into_memory() {
                    state.push((memory.data(&side.store).to_vec(), None));
                }
                if let Some(global) = export.into_global().filter(|_| with_globals) {
                    state.push((Vec::new(), Some(global.get(&mut side.store))));
                }
            }
            state
        });
        let [cranelift, llvm] = &states.collect::<Vec<_>>()[..] else { unreachable!() };
        assert_eq!(cranelift.len(), llvm.len());
        for (cranelift, llvm) in cranelift.iter().zip(llvm) {
            assert!(cranelift.0 == llvm.0, "the memories differ");
            let same = match (&cranelift.1, &llvm.1) {
                (Some(cranelift), Some(llvm)) => equal_value(cranelift, llvm),
                _ => true,
            };
            assert!(same, "{:?}, but LLVM {:?}", cranelift.1, llvm.1);
        }
    }
}

fn sides(engine: &Engine) -> [Side; 2] {
    [0, 1].map(|_| Side {
        store: Store::new(engine, ()),
        linker: Linker::new(engine),
        instance: None,
    })
}

type Outcome = std::result::Result<Vec<Val>, String>;

fn call(store: &mut Store<()>, function: Func, arguments: &[Val]) -> Outcome {
    let mut results = vec![Val::I32(0); function.ty(&*store).results().len()];
    match function.call(store, arguments, &mut results) {
        Ok(()) => Ok(results),
        Err(error) => Err(reason(&error)),
    }
}

fn reason(error: &wasmtime::Error) -> String {
    let trap = error.downcast_ref::<Trap>();
    trap.map_or_else(|| error.root_cause().to_string(), |trap| format!("{trap:?}"))
}

fn equal(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal_value(a, b)),
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

/// Equal bits, but for NaN, whose bits WebAssembly leaves open.
fn equal_value(a: &Val, b: &Val) -> bool {
    let float =
        |a: u32, b: u32| a == b || (f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan());
    let double =
        |a: u64, b: u64| a == b || (f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan());
    match (a, b) {
        (Val::I32(a), Val::I32(b)) => a == b,
        (Val::I64(a), Val::I64(b)) => a == b,
        (Val::F32(a), Val::F32(b)) => float(*a, *b),
        (Val::F64(a), Val::F64(b)) => double(*a, *b),
        (Val::V128(a), Val::V128(b)) => {
            let (a, b) = (a.as_u128(), b.as_u128());
            let floats =
                (0..4).all(|lane| float((a >> (32 * lane)) as u32, (b >> (32 * lane)) as u32));
            let doubles =
                (0..2).all(|lane| double((a >> (64 * lane)) as u64, (b >> (64 * lane)) as u64));
            floats || doubles
        }
        (Val::FuncRef(a), Val::FuncRef(b)) => a.is_some() == b.is_some(),
        _ => false,
    }
}
