//! What an extension is, without loading it into SQLite.
//!
//! ```no_run
//! use sqlite_wasm_run::extensions::ExtensionsCtx;
//!
//! let mut extensions = ExtensionsCtx::new(vec![]);
//! let sha3 = extensions.inspect("sha3", "sha3.wasm".as_ref())?;
//! println!("{:?}", sha3.offer.map(|offer| offer.functions.len()));
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::extension::described;
use super::{ExtensionsCtx, permits, version};
use crate::extensions::types as wit;

/// A page of linear memory.
const PAGE_BYTES: u64 = 64 << 10;

/// An extension, as far as it can be looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: usize,
    /// The SHA-256 of its content, as `sha256sum` prints it and a file of grants
    /// names it.
    pub sha256: String,
    /// Whether it holds native code.
    pub precompiled: bool,
    /// Bytes of native code; none for what is no component.
    pub code_bytes: Option<usize>,
    /// Bytes of linear memory that it begins with.
    pub memory_bytes: Option<u64>,
    /// The version of the contract that it was made for.
    pub contract: Option<String>,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// What it registers and needs; none for one that does not load.
    pub offer: Option<Offer>,
    /// Why it does not load.
    pub refusal: Option<String>,
}

/// What an extension says of itself.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `types.manifest`")]
pub struct Offer {
    pub name: String,
    pub version: String,
    pub description: String,
    pub functions: Vec<Function>,
    pub collations: Vec<String>,
    pub modules: Vec<Module>,
    /// As the option that grants it names it: `sql`, `sql:ro`, `dir`, `env:NAME`.
    pub needs: Vec<String>,
}

/// A function that it registers.
#[derive(Debug, Clone, Serialize)]
pub struct Function {
    /// By which SQL calls it.
    pub name: String,
    /// How many; -1 for any number.
    pub arguments: i8,
    /// `scalar`, `aggregate` or `window`.
    pub kind: &'static str,
}

/// A module that it registers.
#[derive(Debug, Clone, Serialize)]
pub struct Module {
    /// By which SQL uses it.
    pub name: String,
    /// `created`, `eponymous` or `eponymous-only`.
    pub kind: &'static str,
    /// Whether its tables can be changed.
    pub writable: bool,
}

impl ExtensionsCtx {
    /// Look at the file `path`, which the person calls `name`. One that does not load is no failure: the
    /// refusal says why, in the words of `.load`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or this processor lacks what the engine
    /// needs.
    pub fn inspect(&mut self, name: &str, path: &Path) -> Result<Inspection> {
        let mut inspection = Inspection::of_file(path)?;
        if let Err(error) = self.try_load(path, &mut inspection) {
            inspection.refusal = Some(format!("{:#}", super::refused(name.as_ref(), error)));
        }
        Ok(inspection)
    }

    fn try_load(&mut self, path: &Path, inspection: &mut Inspection) -> Result<()> {
        let component = self.component(path)?;
        inspection.look_inside(&component);
        let (_, manifest) = described(&component, self.limits)?;
        inspection.offer = Some(Offer::from(&manifest));
        Ok(())
    }
}

impl Inspection {
    fn of_file(path: &Path) -> Result<Self> {
        let unreadable = |error| anyhow::anyhow!("failed to read `{}`: {error}", path.display());
        let content = fs::read(path).map_err(unreadable)?;
        Ok(Self {
            path: fs::canonicalize(path).map_err(unreadable)?,
            file_bytes: content.len(),
            sha256: permits::hexadecimal(&Sha256::digest(&content)),
            precompiled: path.extension().is_some_and(|ending| ending == "cwasm"),
            code_bytes: None,
            memory_bytes: None,
            contract: None,
            imports: Vec::new(),
            offer: None,
            refusal: None,
        })
    }

    fn look_inside(&mut self, component: &Component) {
        let ty = component.component_type();
        let imports = ty.imports(component.engine()).map(|(name, _)| name.to_owned());
        self.imports = imports.filter(|name| !is_types(name)).collect();
        self.contract = version::of(component);
        self.code_bytes = Some(component.text().len());
        let pages = component.resources_required().and_then(|all| all.max_initial_memory_size);
        self.memory_bytes = pages.map(|pages| pages * PAGE_BYTES);
    }
}

/// Interfaces of types alone, which ask for nothing.
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

/// As the option that grants it names it.
pub(crate) fn need(need: &wit::Need) -> String {
    match need {
        wit::Need::Sql => "sql".into(),
        wit::Need::SqlReadOnly => "sql:ro".into(),
        wit::Need::Folder(purpose) => format!("dir ({purpose})"),
        wit::Need::Environment(name) => format!("env:{name}"),
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
