//! Loading native code (`.cwasm`), which needs a valid seal.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use blake3::Hash;

use super::{Loader, open};
use crate::artifact::component::{Code, Loaded};
use crate::artifact::file_hashes::{FileState, HashKind};
use crate::artifact::{self, Unusable};
use crate::wall;

impl Loader {
    /// Load native code that is root's, sealed with the user's key, or named by
    /// `--allow-native`.
    pub(super) fn native(&self, path: &Path, file: &File) -> Result<Loaded> {
        let state = FileState::of(file)?;
        if artifact::is_of_system(file) {
            return self.owned_by_root(file, &state);
        }
        if let Some(copy) =
            self.records.get(&state, HashKind::Content).and_then(|id| self.cached_copy(&id))
        {
            return Ok(copy);
        }
        let content = Code::read(file)?;
        if wall::broken::is_broken() {
            return self.load_code(Code::Bytes(content.into()));
        }
        let seal = artifact::verified_seal(&content)?;
        let is_ours = self.key.as_ref().is_some_and(|key| seal.is_by(key));
        if !is_ours && !self.is_allowed(path, file) {
            bail!(Unusable::Foreign);
        }
        let content = Arc::new(content);
        let loaded = self.load_code(Code::Bytes(content.clone()))?;
        // Code for another processor does not load, and is not kept.
        if is_ours {
            self.cache_copy(&state, &content);
        }
        Ok(loaded)
    }

    /// Load the `.wasm` that the native code was compiled from, for this
    /// loader's engine. The seal only says which one that is, so nobody needs to
    /// have signed it.
    pub(super) fn source_of(&self, path: &Path, file: &File) -> Result<Loaded> {
        let source = artifact::seal_of(file)?.source();
        if let Some(compiled) = self.cached_code(&source) {
            return Ok(compiled);
        }
        let portable = path.with_extension("wasm");
        let wasm = open(&portable).and_then(|file| self.read(&file));
        match wasm {
            Ok(wasm) if blake3::hash(&wasm) == source => self.load_bytes(&portable, &wasm),
            _ => bail!(Unusable::WithoutSource),
        }
    }

    /// Map root's file as it is, after its checksum was verified once.
    fn owned_by_root(&self, file: &File, state: &FileState) -> Result<Loaded> {
        let seal = artifact::seal_of(file)?;
        let id = blake3::hash(seal.bytes());
        if self.records.get(state, HashKind::Artifact) != Some(id) {
            artifact::verified_seal(&Code::read(file)?)?;
            self.records.put(state, HashKind::Artifact, &id);
        }
        self.load_code(Code::File(Arc::new(file.try_clone()?)))
    }

    /// Compares device and inode, so that any name of the file is accepted.
    fn is_allowed(&self, path: &Path, file: &File) -> bool {
        let Ok(opened) = file.metadata() else { return false };
        self.allowed.iter().any(|allowed| {
            allowed == path
                || std::fs::metadata(allowed).is_ok_and(|allowed| {
                    (allowed.dev(), allowed.ino()) == (opened.dev(), opened.ino())
                })
        })
    }

    fn cached_copy(&self, id: &Hash) -> Option<Loaded> {
        let path = self.cache.as_ref()?.copied(id)?;
        self.cached(&path, id, |content, _| blake3::hash(content) == *id)
    }

    fn cache_copy(&self, state: &FileState, content: &[u8]) {
        let id = blake3::hash(content);
        self.records.put(state, HashKind::Content, &id);
        if let Some(cache) = &self.cache
            && let Some(path) = cache.copied(&id)
        {
            cache.write(&path, content);
        }
    }
}
