//! Loading WebAssembly (`.wasm`), from the cache or by compiling it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use blake3::Hash;

use super::Loader;
use crate::artifact;
use crate::component::precompile::precompile;
use crate::component::{Code, Loaded};
use crate::file_hashes::{FileState, HashKind};

impl Loader {
    /// The component of a `.wasm`, from the cache if it was compiled before.
    pub(super) fn portable(&self, path: &Path, file: &File) -> Result<Loaded> {
        let state = FileState::of(file)?;
        let known = self.records.get(&state, HashKind::Content);
        if let Some(compiled) = known.and_then(|id| self.cached_code(&id)) {
            return Ok(compiled);
        }
        let wasm = self.read(file)?;
        artifact::check_wasm(&wasm)?;
        let id = blake3::hash(&wasm);
        self.records.put(&state, HashKind::Content, &id);
        if known != Some(id)
            && let Some(compiled) = self.cached_code(&id)
        {
            return Ok(compiled);
        }
        self.compile(path, &wasm, &id)
    }

    pub(super) fn compile(&self, path: &Path, wasm: &[u8], id: &Hash) -> Result<Loaded> {
        let code = {
            let _shown = (self.on_compile)(path);
            Arc::new(precompile(&self.compiler, self.kind, wasm, self.key.as_deref())?)
        };
        let loaded = self.load_code(Code::Bytes(code.clone()))?;
        // Code that does not load, by a helper of another version, is not kept.
        if let Some(cache) = self.cache.as_ref().filter(|_| self.key.is_some())
            && let Some(path) = cache.compiled(self.kind, id)
        {
            cache.write(&path, &code);
        }
        Ok(loaded)
    }

    pub(super) fn read(&self, file: &File) -> Result<Vec<u8>> {
        let max_bytes = self.compiler.max_wasm_bytes();
        // At once: a vector that grows would take three times as much.
        let mut wasm = Vec::with_capacity(file.metadata()?.len().min(max_bytes + 1) as usize);
        file.take(max_bytes + 1).read_to_end(&mut wasm).context("failed to read it")?;
        ensure!(
            wasm.len() as u64 <= max_bytes,
            "it is larger than {max_bytes} bytes, too large to compile within the memory limit; \
             raise `--max-memory` or build it smaller"
        );
        Ok(wasm)
    }

    pub(super) fn cached_code(&self, id: &Hash) -> Option<Loaded> {
        let path = self.cache.as_ref()?.compiled(self.kind, id)?;
        self.cached(&path, id, |_, source| source == *id)
    }
}
