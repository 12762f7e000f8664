//! Random modules (`tests/modules`): LLVM's code against Cranelift's.
//!
//! `GENERATED=FIRST..END` names other seeds than those of the test, and with `ARBTEST_BUDGET_MS` new seeds are tried until that time
//! is over. A difference names its seed: `cargo run --release --manifest-path tests/modules/Cargo.toml SEED 1` prints the module.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use native_code::profile::Profile;
use sqlite_wasm_native::image::Function;
use wasmtime::{Config, Engine, FuncType, Module, Val, ValType};

use crate::engines::{self, Pair};

/// The seeds that the test has time for.
const SEEDS: Range<u64> = 0..600;

/// How many modules are compiled together.
const TOGETHER: u64 = 40;

/// How often each function is called.
const CALLS: usize = 3;

/// What was compared.
#[derive(Debug, Default)]
struct Count {
    modules: usize,
    functions: usize,
    /// Those with LLVM's code, which is proved.
    by_llvm: usize,
    /// Those whose code is not proved.
    unproved: usize,
    calls: usize,
    /// The calls that did not trap.
    returned: usize,
    /// Why functions stay with Cranelift.
    kept: BTreeMap<String, usize>,
}

#[test]
fn modules_of_wasm_smith_do_the_same() {
    let start = Instant::now();
    let mut count = Count::default();
    match (std::env::var("GENERATED"), std::env::var("ARBTEST_BUDGET_MS")) {
        (Ok(seeds), _) => {
            let (first, end) = seeds.split_once("..").expect("GENERATED is FIRST..END");
            compare_all(first.parse().unwrap()..end.parse().unwrap(), &mut count);
        }
        (_, Ok(budget)) => {
            let budget = Duration::from_millis(budget.parse().unwrap());
            // Others each time.
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            let mut next = now.as_secs() << 16;
            while start.elapsed() < budget {
                compare_all(next..next + TOGETHER, &mut count);
                next += TOGETHER;
            }
        }
        _ => compare_all(SEEDS, &mut count),
    }
    println!("{count:?} in {:?}", start.elapsed());
    assert!(count.by_llvm * 2 >= count.functions, "{count:?}");
    assert!(count.returned * 3 >= count.calls && count.calls >= count.functions, "{count:?}");
}

fn compare_all(seeds: Range<u64>, count: &mut Count) {
    for first in seeds.clone().step_by(TOGETHER as usize) {
        compare(first..seeds.end.min(first + TOGETHER), count);
        println!("up to {}: {count:?}", seeds.end.min(first + TOGETHER));
    }
}

/// Compare the modules of these seeds: compiled together, but each with an instance of its own.
fn compare(seeds: Range<u64>, count: &mut Count) {
    let wasm = generated(&seeds);
    // Code that looks at the time is another one.
    let is_timed = seeds.start / TOGETHER % 2 == 1;
    let config = if is_timed { timed } else { engines::config };
    let engine = Engine::new(&config()).unwrap();
    let made = native_code::of_module(&wasm, &Profile::default(), is_timed);
    let made = made.unwrap_or_else(|error| panic!("seeds {seeds:?}: {error:#}"));
    let functions = &made.image.functions;
    count.modules += (seeds.end - seeds.start) as usize;
    count.functions += functions.len();
    count.by_llvm += functions.iter().filter(|it| **it != Function::Kept).count();
    count.unproved += made.unproved.kept.len();
    for (_, reason) in &made.kept {
        *count.kept.entry(reason.clone()).or_default() += 1;
    }
    let code = engines::inserted(&wasm, &made.image, config);
    let code = code.unwrap_or_else(|error| panic!("seeds {seeds:?}: {error:#}"));
    // SAFETY: the compiler has returned `code` just now, with LLVM's code of the same module in it.
    let by_llvm = unsafe { Module::deserialize(&engine, code).unwrap() };
    let by_cranelift = Module::new(&engine, &wasm).unwrap();
    let mut pair = Pair::of(engine, [by_cranelift, by_llvm]);
    for seed in seeds {
        run(&mut pair, seed, count);
    }
}

/// Call each function of a module, and compare its results, the memory and the globals.
fn run(pair: &mut Pair, seed: u64, count: &mut Count) {
    renew(pair);
    let mut random = Random(seed);
    for (name, ty) in functions(pair, seed) {
        for _ in 0..CALLS {
            let arguments: Vec<_> = ty.params().map(|ty| random.value(&ty)).collect();
            let outcome = pair.call(&name, &arguments);
            count.calls += 1;
            count.returned += usize::from(outcome.is_ok());
            match outcome {
                // Globals may be written late where a load or store traps.
                Err(trap) if trap == "MemoryOutOfBounds" => {
                    pair.compare_memories();
                    renew(pair);
                }
                _ => pair.compare_state(),
            }
        }
    }
}

/// New instances, whose functions have all their fuel again.
fn renew(pair: &mut Pair) {
    pair.renew();
    for side in &mut pair.sides {
        side.store.set_epoch_deadline(NEVER);
        for (number, (parameters, result)) in IMPORTS.iter().enumerate() {
            let ty =
                FuncType::new(&pair.engine, parameters.iter().cloned(), result.iter().cloned());
            side.linker
                .func_new("host", &number.to_string(), ty, |_, arguments, results| {
                    let mixed = arguments
                        .iter()
                        .fold(7_u64, |mixed, it| (mixed ^ bits(it)).wrapping_mul(MIXER));
                    for result in results {
                        *result = match result {
                            Val::I32(_) => Val::I32(mixed as i32),
                            Val::I64(_) => Val::I64(mixed.cast_signed()),
                            _ => Val::F64(f64::from(mixed as i16).to_bits()),
                        };
                    }
                    Ok(())
                })
                .unwrap();
        }
    }
    assert!(pair.again(), "segments that do not fit are passive");
}

/// An epoch that no engine here reaches.
const NEVER: u64 = 1 << 40;

/// A large odd number.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Functions that modules may import, as `tests/modules` lists them.
const IMPORTS: [(&[ValType], Option<ValType>); 4] = [
    (&[], None),
    (&[ValType::I32], Some(ValType::I32)),
    (&[ValType::I64, ValType::F64, ValType::F32], Some(ValType::F64)),
    (
        &[
            ValType::I32,
            ValType::I64,
            ValType::I32,
            ValType::I64,
            ValType::F64,
            ValType::I32,
            ValType::I64,
        ],
        Some(ValType::I64),
    ),
];

fn bits(value: &Val) -> u64 {
    match value {
        Val::I32(number) => u64::from(number.cast_unsigned()),
        Val::I64(number) => number.cast_unsigned(),
        Val::F32(bits) => u64::from(*bits),
        Val::F64(bits) => *bits,
        _ => unreachable!("imports have no other parameters"),
    }
}

/// The exported functions of the module of a seed.
fn functions(pair: &Pair, seed: u64) -> Vec<(String, FuncType)> {
    let module = pair.module();
    let prefix = format!("{seed}.");
    let exports = module.exports().filter(|export| export.name().starts_with(&prefix));
    exports.filter_map(|it| Some((it.name().to_owned(), it.ty().func()?.clone()))).collect()
}

/// The modules of these seeds, as one.
fn generated(seeds: &Range<u64>) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(root.join("tests/modules/Cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target/modules"))
        .args(["--", &seeds.start.to_string(), &(seeds.end - seeds.start).to_string()])
        // These are of the crate that is tested.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(MIXER);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Limits, small numbers and any bits.
    fn number(&mut self) -> u64 {
        let (kind, number) = (self.next(), self.next());
        match kind % 4 {
            0 => [0, 1, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1, 0xffff_ffff]
                [number as usize % 8],
            1 | 2 => number % 4096,
            _ => number,
        }
    }

    fn double(&mut self) -> f64 {
        let (kind, number) = (self.next(), self.number());
        match kind % 4 {
            0 => {
                [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5, -1.5, 2_147_483_648.0]
                    [number as usize % 8]
            }
            1 | 2 => number.cast_signed() as f64 / 8.0,
            _ => f64::from_bits(number),
        }
    }

    fn value(&mut self, ty: &ValType) -> Val {
        match ty {
            ValType::I32 => Val::I32(self.number() as i32),
            ValType::I64 => Val::I64(self.number().cast_signed()),
            ValType::F32 => Val::F32((self.double() as f32).to_bits()),
            ValType::F64 => Val::F64(self.double().to_bits()),
            ValType::V128 => {
                let (low, high) = (u128::from(self.number()), u128::from(self.number()));
                Val::V128((high << 64 | low).into())
            }
            ValType::Ref(_) => unreachable!("functions have no references"),
        }
    }
}

fn timed() -> Config {
    let mut config = engines::config();
    config.epoch_interruption(true);
    config
}
