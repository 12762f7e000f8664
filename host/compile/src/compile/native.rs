//! LLVM's code instead of Cranelift's, for the core modules that it was made of.
//!
//! The build embeds images in this program (`build.rs`), so whoever can replace one can replace the
//! program. Anybody can make a component that contains such a module, as composed files do; its code
//! fits if its instances have the layout for which it was made. Whatever does not fit leaves the
//! component to Cranelift: another module, layout, kind of code or processor, or another wasmtime.

use sqlite_wasm_native::image::{Image, Packed};
use sqlite_wasm_native::inject::{self, Prepared};
use sqlite_wasm_native::pinned::{GUARD_BYTES, RESERVATION_BYTES};
use sqlite_wasm_runtime::artifact::engine::EngineKind;
use sqlite_wasm_runtime::limits::MAX_MEMORY_BYTES;
use sqlite_wasm_runtime::limits::address_space::{FULL_GUARD_BYTES, Form};

use super::{config, forward};

// LLVM's code, and the proof of it, take these for granted.
const _: () = assert!(GUARD_BYTES == FULL_GUARD_BYTES && RESERVATION_BYTES == MAX_MEMORY_BYTES);

/// The images, each with its BLAKE3.
const IMAGES: &[(&[u8], [u8; 32])] = &include!(concat!(env!("OUT_DIR"), "/images.rs"));

/// The code with LLVM's functions, if this program has them for the component.
pub fn compile(kind: EngineKind, wasm: &[u8]) -> Option<Vec<u8>> {
    let is_timed = is_timed(kind).filter(|_| has_features())?;
    IMAGES.iter().find_map(|(bytes, hash)| {
        let packed = Packed::trusted(bytes, &[*hash]).ok()?;
        let is_it = packed.is_timed == is_timed && inject::has_module(wasm, &packed.module);
        is_it.then(|| inserted(kind, wasm, &packed.image().ok()?).ok())?
    })
}

/// Whether code of this kind looks at the time; none if LLVM's code is never of this kind: with
/// checks of addresses, or of an extension.
fn is_timed(kind: EngineKind) -> Option<bool> {
    match kind {
        EngineKind::Command(Form::Full) => Some(false),
        EngineKind::Timed(Form::Full) => Some(true),
        _ => None,
    }
}

fn inserted(kind: EngineKind, wasm: &[u8], image: &Image) -> anyhow::Result<Vec<u8>> {
    let Prepared { component, module } = inject::prepared(wasm, image)?;
    let forwarding = forward::forwarding(&component)?.unwrap_or(component);
    inject::compile(&forwarding, &module, image, || {
        let mut config = config(kind);
        // The order of functions says which is which.
        config.parallel_compilation(false);
        config
    })
}

/// Whether this processor has what LLVM's code uses (x86-64-v2). wasmtime stores Cranelift's
/// features in the code, among them these, and compares them where it is loaded.
#[cfg(target_arch = "x86_64")]
fn has_features() -> bool {
    std::is_x86_feature_detected!("sse3")
        && std::is_x86_feature_detected!("ssse3")
        && std::is_x86_feature_detected!("sse4.1")
        && std::is_x86_feature_detected!("sse4.2")
        && std::is_x86_feature_detected!("popcnt")
        && std::is_x86_feature_detected!("cmpxchg16b")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_features() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use sqlite_wasm_runtime::artifact;

    use super::*;
    use crate::compile::by_cranelift;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn llvm_s_code_is_of_two_kinds() {
        let forms = [Form::Full, Form::Checked, Form::Unsignalled];
        let kinds = forms.into_iter().flat_map(|form| {
            [EngineKind::Command(form), EngineKind::Timed(form), EngineKind::Extension(form)]
        });
        let found: Vec<_> = kinds.filter_map(|kind| Some((kind, is_timed(kind)?))).collect();
        let expected =
            [(EngineKind::Command(Form::Full), false), (EngineKind::Timed(Form::Full), true)];
        assert_eq!(found, expected);
    }

    #[test]
    fn another_component_is_compiled_by_cranelift() {
        let kind = EngineKind::Command(Form::Full);
        assert!(compile(kind, EMPTY).is_none());
        let code = super::super::compile(kind, EMPTY).unwrap();
        assert_eq!(code, by_cranelift(kind, EMPTY).unwrap());
        assert!(!artifact::is_by_llvm(&code));
    }

    #[test]
    fn doctor_knows_the_mark_of_llvm_s_code() {
        assert_eq!(sqlite_wasm_native::image::CODE_MARK, artifact::LLVM_MARK);
    }

    #[test]
    fn traps_know_the_names_in_llvm_s_code() {
        assert_eq!(sqlite_wasm_native::rewrite::IMAGE_NAME, artifact::trace::LLVM_NAME);
        assert_eq!(inject::POSITIONS as usize, artifact::trace::LLVM_POSITIONS);
    }
}
