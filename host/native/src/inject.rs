//! Inserting an image where wasmtime would compile the functions of a module.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use wasmtime::{CacheStore, Config, Engine};

use crate::component::{self, CoreModule, modules};
use crate::image::{Function, Image, SLOT_BYTES};
use crate::pinned::blob::{Blob, Relocation, Source};
use crate::pinned::layout::Layout;
use crate::rewrite::{self, IMAGE, MARK};

/// The code starts at a multiple of this many bytes, as LLVM's constants need no more.
const IMAGE_ALIGNMENT: u32 = 64;

/// And the other functions, as Cranelift's.
const JUMP_ALIGNMENT: u32 = 16;

/// How far the positions of functions in wasmtime's address map are apart: more than there is in `$image` before the first
/// operator, from where wasmtime counts. The runtime computes the index of the function from them
/// (`sqlite_wasm_runtime::artifact::trace`).
pub const POSITIONS: u32 = 16;

/// A `jmp` with a distance of 32 bits.
const JUMP: u8 = 0xe9;

/// Whether a component has a core module with this BLAKE3.
pub fn has_module(wasm: &[u8], module: &[u8; 32]) -> bool {
    modules(wasm).is_ok_and(|modules| modules.iter().any(|one| is_it(wasm, one, module)))
}

fn is_it(wasm: &[u8], module: &CoreModule, hash: &[u8; 32]) -> bool {
    blake3::hash(&wasm[module.content.clone()]) == *hash
}

/// What is compiled instead of a component.
pub struct Prepared {
    /// The component.
    pub component: Vec<u8>,
    /// The core module in it that gets the image.
    pub module: Vec<u8>,
}

/// What is compiled instead of `wasm`.
///
/// # Errors
///
/// When the image is for another one.
pub fn prepared(wasm: &[u8], image: &Image) -> Result<Prepared> {
    let mut modules = modules(wasm)?.into_iter();
    let found = modules.find(|module| is_it(wasm, module, &image.module));
    let found = found.context("the image is for another module")?;
    let original = &wasm[found.content.clone()];
    let module = component::padded(rewrite::rewritten(original, image)?, original.len())?;
    Ok(Prepared { component: component::replaced(wasm, &found, &module), module })
}

/// Compile what [`prepared`] returned, or a component that contains its module unchanged. `config`
/// is called for each of the two passes, and chooses no parallel compilation.
///
/// Who made the rest of the component may be hostile. So the layout is that of exactly this module:
/// its types have other indices behind a module with the same types in another order, and LLVM's code
/// would take a function of one type for one of another.
///
/// # Errors
///
/// When anything does not fit, or the compiler refuses the component.
pub fn compile(
    wasm: &[u8],
    module: &[u8],
    image: &Image,
    config: impl Fn() -> Config,
) -> Result<Vec<u8>> {
    ensure!(Layout::of(wasm, module)?.fits(&image.layout), OTHER_LAYOUT);
    in_two_passes(image, |store| Ok(engine(config(), store)?.precompile_component(wasm)?))
}

/// The same for a core module that is not in a component, as `rewrite::rewritten` returned it.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_module(wasm: &[u8], image: &Image, config: impl Fn() -> Config) -> Result<Vec<u8>> {
    ensure!(Layout::of_core(wasm)?.fits(&image.layout), OTHER_LAYOUT);
    in_two_passes(image, |store| Ok(engine(config(), store)?.precompile_module(wasm)?))
}

const OTHER_LAYOUT: &str = "wasmtime's instances have another layout than the image was made for";

fn engine(mut config: Config, store: Arc<dyn CacheStore>) -> Result<Engine> {
    config.enable_incremental_compilation(store)?;
    Ok(Engine::new(&config)?)
}

fn in_two_passes(
    image: &Image,
    precompile: impl Fn(Arc<dyn CacheStore>) -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let recorder = Arc::new(Recorder::default());
    precompile(recorder.clone())?;
    let recorded = recorder.take();
    let replies = replies(&recorded.functions, image)?;
    let expected = replies.len();
    let injector =
        Arc::new(Injector { replies, compiled: recorded.compiled, ..Injector::default() });
    let code = precompile(injector.clone())?;
    ensure!(
        injector.given.load(Ordering::SeqCst) == expected
            && !injector.missed.load(Ordering::SeqCst),
        "wasmtime did not take each function of the image from its cache"
    );
    Ok(code)
}

/// Notes each function that is compiled: those of the image by the index of the request.
#[derive(Debug, Default)]
struct Recorder {
    requests: AtomicUsize,
    recorded: Mutex<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    functions: Vec<(usize, Vec<u8>)>,
    /// The others, by keys, which equal functions share.
    compiled: Compiled,
}

type Compiled = HashMap<Vec<u8>, Vec<u8>>;

impl Recorder {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Recorded {
        std::mem::take(&mut *self.recorded())
    }
}

impl CacheStore for Recorder {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.recorded().compiled.get(key).cloned().map(Cow::Owned)
    }

    fn insert(&self, key: &[u8], value: Vec<u8>) -> bool {
        let request = self.requests.load(Ordering::SeqCst).wrapping_sub(1);
        if is_other(&value) {
            self.recorded().compiled.insert(key.to_vec(), value);
        } else {
            self.recorded().functions.push((request, value));
        }
        true
    }
}

/// Replies to the n-th request, where the image has the function: keys do not say which function is requested, and depend on
/// what was compiled before. The others were compiled in the first pass.
#[derive(Debug, Default)]
struct Injector {
    requests: AtomicUsize,
    given: AtomicUsize,
    missed: AtomicBool,
    replies: BTreeMap<usize, Vec<u8>>,
    compiled: Compiled,
}

impl CacheStore for Injector {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let request = self.requests.fetch_add(1, Ordering::SeqCst);
        let reply = match self.replies.get(&request) {
            Some(reply) => {
                self.given.fetch_add(1, Ordering::SeqCst);
                reply
            }
            None => self.compiled.get(key)?,
        };
        Some(Cow::Borrowed(reply))
    }

    fn insert(&self, _key: &[u8], value: Vec<u8>) -> bool {
        // It was compiled: no reply, or wasmtime refused it.
        if !is_other(&value) {
            self.missed.store(true, Ordering::SeqCst);
        }
        true
    }
}

/// Whether it is not a function of the image.
fn is_other(value: &[u8]) -> bool {
    Blob::parse(value).is_ok_and(|blob| number(&blob.code).is_none())
}

/// The index of a function of the image, in the code that Cranelift makes of its three instructions.
fn number(code: &[u8]) -> Option<u64> {
    let mut words = code.windows(8).filter_map(|bytes| bytes.try_into().ok());
    words.find_map(|word| {
        let word = u64::from_le_bytes(word);
        (word & !IMAGE == MARK).then_some(word & IMAGE)
    })
}

/// What the second pass is to be given.
fn replies(functions: &[(usize, Vec<u8>)], image: &Image) -> Result<BTreeMap<usize, Vec<u8>>> {
    let (mut replies, mut seen, mut image_seen) =
        (BTreeMap::new(), vec![false; image.functions.len()], false);
    for (request, bytes) in functions {
        let blob = Blob::parse(bytes)?;
        let Some(number) = number(&blob.code) else { continue };
        let reply = if number == IMAGE {
            ensure!(!std::mem::replace(&mut image_seen, true), "the image has two places");
            whole(&blob, image)?
        } else {
            let place = seen.get_mut(number as usize).context("a function is not of the image")?;
            ensure!(!std::mem::replace(place, true), "a function of the image has two places");
            jump(&blob, image, image.functions[number as usize])?
        };
        ensure!(replies.insert(*request, reply).is_none(), "two functions have one request");
    }
    let complete = image
        .functions
        .iter()
        .zip(seen)
        .all(|(function, seen)| seen == matches!(function, Function::Entry(_)));
    ensure!(complete && image_seen, "wasmtime compiled other functions than the image has");
    Ok(replies)
}

/// The image instead of `$image`, whose calls are those of the slots in their order.
fn whole(blob: &Blob, image: &Image) -> Result<Vec<u8>> {
    let calls = calls(blob, image)?;
    ensure!(calls.len() == image.slots.len(), "the image has other slots");
    let slots = calls.into_iter().zip(&image.slots);
    let relocations = slots.map(|(call, slot)| Relocation {
        offset: u64::from(slot.offset) + SLOT_BYTES as u64 - 4,
        ..call
    });
    let relocations = relocations.collect();
    let whole = Blob { version: blob.version.clone(), code: image.code.clone(), relocations };
    Ok(whole.encode(&image.traps, &sources(image), IMAGE_ALIGNMENT))
}

/// Which function is where, as positions in the module: that of helpers is the first.
fn sources(image: &Image) -> Vec<Source> {
    let ends =
        image.pieces.iter().skip(1).map(|piece| piece.start).chain([image.code.len() as u32]);
    let pieces = image.pieces.iter().zip(ends);
    let sources = pieces.map(|(piece, end)| {
        let position = piece.function.map_or(0, |function| (function + 1) * POSITIONS);
        Source { start: piece.start, end, position }
    });
    sources.collect()
}

/// The calls of functions in the module, by their positions. Where code looks at the time, it also calls wasmtime's
/// function for that, which has the first name, as the check is before everything else.
fn calls(blob: &Blob, image: &Image) -> Result<Vec<Relocation>> {
    let mut calls = blob.relocations.clone();
    if image.is_timed {
        let count = calls.len();
        calls.retain(|call| call.name != 0);
        ensure!(calls.len() + 1 == count, "code does not look at the time once");
    }
    let is_sorted = calls.is_sorted_by(|a, b| a.offset < b.offset && a.name < b.name);
    ensure!(is_sorted, "the calls of a function are in another order");
    Ok(calls)
}

const OTHER_CALLS: &str = "a function of the image calls something else";

/// A jump into the image.
fn jump(blob: &Blob, image: &Image, function: Function) -> Result<Vec<u8>> {
    let Function::Entry(offset) = function else {
        bail!("a function that the image does not begin has the number of another");
    };
    let [call] = calls(blob, image)?.try_into().ok().context(OTHER_CALLS)?;
    let mut code = vec![JUMP];
    // The distance is added to what is here.
    code.extend(offset.to_le_bytes());
    let relocations = vec![Relocation { offset: 1, ..call }];
    let version = blob.version.clone();
    Ok(Blob { version, code, relocations }.encode(&[], &[], JUMP_ALIGNMENT))
}
