//! Inspecting a file without running any of it: an extension, or a program that contains
//! extensions.
//!
//! ```no_run
//! use sqlite_wasm_runtime::extensions::ExtensionsCtx;
//! use sqlite_wasm_runtime::extensions::inspect::Describe;
//!
//! let mut extensions = ExtensionsCtx::new(vec![]);
//! let sha3 = extensions.inspect("sha3", "sha3.wasm".as_ref(), Describe::Recorded)?;
//! println!("{:?}", sha3.offer.map(|offer| offer.functions.len()));
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::catalog::record;
use crate::artifact;
use crate::artifact::compiler::{CustomSection, Facts};
use crate::artifact::component::{self, Code, LoadError, is_native};
use crate::artifact::seal::SEAL_BYTES;
use crate::artifact::sha256::hexadecimal;
use crate::contract::composition::{Composition, Contained, Contents};
use crate::contract::script::Script;
use crate::contract::version::{COMMAND_EXPORT, DATABASE_EXPORT};
use crate::contract::{check, need, types as wit, version};
use crate::extensions::ExtensionsCtx;
use crate::extensions::load::refused;
use crate::installation::key::Key;

/// Largest file of native code that is hashed, in bytes: a composed program
/// with thirty extensions has thirty million.
const MAX_NATIVE_BYTES: u64 = 2 << 30;

/// Whether to run an extension to get its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Describe {
    /// No: show the manifest that its file records, which may be false.
    Recorded,
    /// Yes, in a sandbox without any grant.
    Run,
}

/// The result of inspecting a file.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: u64,
    /// The SHA-256 of its content, as `sha256sum` prints it and a file of grants
    /// names it.
    pub sha256: String,
    /// Whether it holds native code.
    pub precompiled: bool,
    /// For undamaged native code: whether this user's key has sealed it.
    pub sealed: Option<bool>,
    /// Bytes of WebAssembly code; `None` for a file that is not a component.
    pub code_bytes: Option<u64>,
    /// Bytes of linear memory that it begins with.
    pub memory_bytes: Option<u64>,
    /// The engine that runs it, with its version, if it is a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The version of the contract for which it was made.
    pub contract: Option<String>,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// Its custom sections.
    pub sections: Vec<CustomSection>,
    /// The manifest; `None` for a file that does not load or has no record.
    pub offer: Option<Offer>,
    /// The source of the manifest: `recorded` in the file, or `described` by the extension.
    pub offer_source: Option<&'static str>,
    /// Why it does not load.
    pub refusal: Option<String>,
    /// The kind of program, if it is one.
    #[serde(skip)]
    pub program: Option<Contents>,
}

/// The manifest of an extension.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `types.manifest`")]
pub struct Offer {
    pub name: String,
    pub version: String,
    pub description: String,
    pub functions: Vec<Function>,
    pub collations: Vec<String>,
    pub modules: Vec<Module>,
    /// In the words of the option that grants them: `sql`, `sql:ro`, `dir`, `env:NAME`.
    pub needs: Vec<String>,
}

/// A function that it registers.
#[derive(Debug, Clone, Serialize)]
pub struct Function {
    /// Its name in SQL.
    pub name: String,
    /// How many arguments it takes; -1 if it is variadic.
    pub arguments: i8,
    /// `scalar`, `aggregate` or `window`.
    pub kind: &'static str,
}

/// A module that it registers.
#[derive(Debug, Clone, Serialize)]
pub struct Module {
    /// Its name in SQL.
    pub name: String,
    /// `created`, `eponymous` or `eponymous-only`.
    pub kind: &'static str,
    /// Whether its tables can be changed.
    pub writable: bool,
}

impl ExtensionsCtx {
    /// Inspect the file `path`, which the user calls `name`. A file that does not load is not an
    /// error: the result has the reason, in the words of `.load`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or this processor lacks what the engine
    /// needs.
    pub fn inspect(&mut self, name: &str, path: &Path, describe: Describe) -> Result<Inspection> {
        if is_native(path) {
            let key = self.loader()?.key().map(Arc::as_ref);
            let (inspection, result) = inspect_native(path, key)?;
            return Ok(inspection.refused(name, result));
        }
        let wasm = self.loader()?.bytes(path)?;
        let found = fs::canonicalize(path).with_context(|| LoadError(path.into()))?;
        Ok(self.inspect_wasm(name, path, &wasm, describe).at(found))
    }

    /// Inspect these bytes, which are to be the file `path` of the extension `name`, without running
    /// any of them.
    pub fn inspect_bytes(&mut self, name: &str, path: &Path, wasm: &[u8]) -> Inspection {
        self.inspect_wasm(name, path, wasm, Describe::Recorded)
    }

    fn inspect_wasm(
        &mut self,
        name: &str,
        path: &Path,
        wasm: &[u8],
        describe: Describe,
    ) -> Inspection {
        let mut inspection = Inspection::of(path, wasm.len() as u64, hash(wasm));
        let result = self.look_inside(path, wasm, describe, &mut inspection);
        inspection.refused(name, result)
    }

    fn look_inside(
        &mut self,
        path: &Path,
        wasm: &[u8],
        describe: Describe,
        inspection: &mut Inspection,
    ) -> Result<()> {
        let facts = self.loader()?.facts(path, wasm)?;
        inspection.take(&facts);
        if facts.exports(COMMAND_EXPORT) || facts.exports(DATABASE_EXPORT) {
            let composition = Composition::of(wasm)?;
            let recorded = composition.as_ref().and_then(|list| list.cli_version.clone());
            let version = recorded.or(facts.cli_version);
            inspection.become_program(composition.as_ref(), version);
            return Ok(());
        }
        inspection.engine = Script::of(wasm)?.map(|script| script.engine());
        if inspection.engine.is_none() {
            version::check(&facts.exports)?;
        }
        let recorded = record::recorded(&facts)?;
        if describe == Describe::Recorded {
            inspection.offer = recorded.as_ref().map(Offer::from);
            inspection.offer_source = recorded.map(|_| "recorded");
            return Ok(());
        }
        let manifest = self.describe(path, wasm)?;
        inspection.offer = Some(Offer::from(&manifest));
        inspection.offer_source = Some("described");
        ensure!(
            recorded.is_none_or(|recorded| recorded == manifest),
            "its file records another manifest than it has; `extension record` corrects it"
        );
        Ok(())
    }
}

/// Native code is not loaded: only its seal, its length and its list are inspected.
fn inspect_native(path: &Path, key: Option<&Key>) -> Result<(Inspection, Result<()>)> {
    let read = || -> Result<Vec<u8>> {
        let file = component::open(path)?;
        let length = file.metadata()?.len();
        ensure!(length <= MAX_NATIVE_BYTES, "it is larger than {MAX_NATIVE_BYTES} bytes");
        Code::read(&file)
    };
    let content = read().map_err(|error| error.context(LoadError(path.into())))?;
    let found = fs::canonicalize(path).with_context(|| LoadError(path.into()))?;
    let mut inspection = Inspection::of(&found, content.len() as u64, hash(&content));
    let result = look_at_native(&content, key, &mut inspection);
    Ok((inspection, result.map_err(|error| error.context(LoadError(path.into())))))
}

fn look_at_native(content: &[u8], key: Option<&Key>, inspection: &mut Inspection) -> Result<()> {
    let seal = artifact::verified_seal(content)?;
    inspection.sealed = Some(key.is_some_and(|key| seal.is_by(key)));
    if let Some(composition) = Composition::of_native(&content[..content.len() - SEAL_BYTES])? {
        let version = composition.cli_version.clone();
        inspection.become_program(Some(&composition), version);
    }
    Ok(())
}

fn hash(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

impl Inspection {
    fn of(path: &Path, file_bytes: u64, sha256: String) -> Self {
        Self {
            path: path.into(),
            file_bytes,
            sha256,
            precompiled: is_native(path),
            code_bytes: None,
            memory_bytes: None,
            engine: None,
            contract: None,
            imports: Vec::new(),
            sections: Vec::new(),
            offer: None,
            offer_source: None,
            sealed: None,
            refusal: None,
            program: None,
        }
    }

    /// Of the file at this path.
    fn at(mut self, path: PathBuf) -> Self {
        if let Some(program) = &mut self.program {
            program.path = path.clone();
        }
        self.path = path;
        self
    }

    /// With the reason why the extension `name` does not load, if there is one.
    fn refused(mut self, name: &str, result: Result<()>) -> Self {
        let refusal = |error| format!("{:#}", refused(name.as_ref(), error));
        self.refusal = result.err().map(refusal);
        self
    }

    fn take(&mut self, facts: &Facts) {
        self.imports = facts.imports.iter().filter(|name| !is_types(name)).cloned().collect();
        self.contract = version::of(&facts.exports).map(str::to_owned);
        self.code_bytes = Some(facts.code_bytes);
        self.memory_bytes = Some(facts.memory_bytes);
        self.sections = facts.sections.clone();
    }

    fn become_program(&mut self, composition: Option<&Composition>, version: Option<String>) {
        self.program = Some(Contents {
            path: self.path.clone(),
            file_bytes: self.file_bytes,
            sha256: self.sha256.clone(),
            precompiled: self.precompiled,
            cli_version: version.filter(|version| check::line("version", version).is_ok()),
            extensions: Contained::all(composition),
        });
    }
}

/// Whether an interface has only types, so that importing it needs no capability.
fn is_types(import: &str) -> bool {
    ["sqlite-wasm:extension/types@", "sqlite-wasm:extension/table-types@"]
        .iter()
        .any(|types| import.starts_with(types))
}

impl From<&wit::Manifest> for Offer {
    fn from(manifest: &wit::Manifest) -> Self {
        Self {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            functions: manifest.functions.iter().map(Function::from).collect(),
            collations: manifest.collations.iter().map(|c| c.name.clone()).collect(),
            modules: manifest.modules.iter().map(Module::from).collect(),
            needs: manifest.needs.iter().map(need).collect(),
        }
    }
}

impl From<&wit::Function> for Function {
    fn from(function: &wit::Function) -> Self {
        Self {
            name: function.name.clone(),
            arguments: function.arguments,
            kind: match function.kind {
                wit::FunctionKind::Scalar => "scalar",
                wit::FunctionKind::Aggregate => "aggregate",
                wit::FunctionKind::Window => "window",
                wit::FunctionKind::Tokenizer => "tokenizer",
            },
        }
    }
}

impl From<&wit::Module> for Module {
    fn from(module: &wit::Module) -> Self {
        Self {
            name: module.name.clone(),
            kind: match module.kind {
                wit::ModuleKind::Created => "created",
                wit::ModuleKind::Eponymous => "eponymous",
                wit::ModuleKind::EponymousOnly => "eponymous-only",
            },
            writable: module.flags.contains(wit::ModuleFlags::WRITABLE),
        }
    }
}
