//! How often functions are called and each of their branches goes each way, in SQLite's shell under
//! the scripts that it is trained with (`tooling/build/profile-branches`).
//!
//! A module is counted (`counting`), its runs are added up (`gathered`), and the result is a text by
//! the names of functions (`text`), so that it serves every module with the same functions. What
//! changed since then (`branches`) has no counts, as if nothing was known of it.

mod branches;
mod counting;
mod gathered;
pub mod names;
mod text;
mod weights;

use std::collections::BTreeMap;

use anyhow::Result;
use sqlite_wasm_native::module::Module;

pub use branches::ways;
pub use counting::counting;
pub use gathered::gathered;
pub use weights::{entry, summary, weights};

use branches::Shape;

/// The counts of the shell.
const OF_SHELL: &str = include_str!("../branches.txt");

/// The counts of functions by their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Functions with the same name are in the order of the module that was counted.
    functions: BTreeMap<String, Vec<Counted>>,
}

/// A function that was counted.
#[derive(Debug, PartialEq, Eq)]
enum Counted {
    /// It was not called.
    Never,
    /// It was called, and had the shape with this hash.
    Called(u32, Counts),
}

/// The counts of one function.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Its calls.
    pub calls: u64,
    /// Each way of each branch.
    pub branches: Vec<Vec<u64>>,
}

/// What a profile says about a module.
#[derive(Debug, Default)]
pub struct Known {
    /// The counts of each function that the module defines, if they are known.
    pub functions: Vec<Option<Counts>>,
    /// The functions that have counts, but other branches than these.
    pub stale: usize,
}

impl Profile {
    /// The counts of the shell that are in the source.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn of_shell() -> Result<Self> {
        Self::parse(OF_SHELL)
    }

    /// What is known of the functions of `wasm`, which `module` was read from.
    ///
    /// # Errors
    ///
    /// When the module is not valid.
    pub fn known(&self, wasm: &[u8], module: &Module<'_>) -> Result<Known> {
        let names = names::of(wasm)?;
        let mut known = Known::default();
        let mut unused: BTreeMap<&str, Vec<&Counted>> = self
            .functions
            .iter()
            .map(|(name, counted)| (name.as_str(), counted.iter().collect()))
            .collect();
        for (index, body) in module.bodies.iter().enumerate() {
            let index = module.imports.len() + index;
            let candidates =
                names.get(&(index as u32)).and_then(|name| unused.get_mut(name.as_str()));
            let Some(candidates) = candidates else {
                known.functions.push(None);
                continue;
            };
            let shape = Shape::of(body)?;
            // The first of these branches, or one that never ran, whose branches are not known.
            let called = candidates.iter().position(|it| it.is_of(&shape));
            let never = || candidates.iter().position(|it| **it == Counted::Never);
            let counts = called.or_else(never).map(|found| candidates.remove(found).counts());
            known.stale += usize::from(counts.is_none());
            known.functions.push(counts);
        }
        Ok(known)
    }
}

impl Counted {
    fn is_of(&self, shape: &Shape) -> bool {
        match self {
            Self::Never => false,
            Self::Called(hash, counts) => {
                let ways = counts.branches.iter().map(Vec::len);
                *hash == shape.hash && ways.eq(shape.ways.iter().map(|ways| *ways as usize))
            }
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Never => Counts::default(),
            Self::Called(_, counts) => counts.clone(),
        }
    }
}

/// The positions of counters in a module that counts.
struct Counters {
    /// The first of each function, which counts its calls.
    first: Vec<usize>,
    /// All of them.
    count: usize,
    shapes: Vec<Shape>,
}

impl Counters {
    fn of(module: &Module<'_>) -> Result<Self> {
        let (mut first, mut count) = (Vec::new(), 0);
        let shapes = module.bodies.iter().map(Shape::of).collect::<Result<Vec<_>>>()?;
        for shape in &shapes {
            first.push(count);
            count += shape.counters();
        }
        Ok(Self { first, count, shapes })
    }
}
