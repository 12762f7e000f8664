//! Files, ports, signals and abstract sockets, by Landlock.
//!
//! The ruleset handles all rights that the crate knows, so the kernel refuses
//! all that no rule allows. Older kernels handle fewer: TCP from 6.7 on,
//! devices from 6.10, signals and abstract sockets from 6.12.

use anyhow::{Context, Result};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
};

use super::{Layer, Plan, Rights};

/// The newest rights that are handled; older kernels know fewer.
const NEWEST: ABI = ABI::V7;

/// Bind this thread to the rules of `plan`.
pub fn restrict(plan: &Plan) -> Result<Layer> {
    let status = try_restrict(plan).context("failed to restrict access to files (Landlock)")?;
    Ok(match status.ruleset {
        RulesetStatus::NotEnforced => Layer::Missing,
        _ => Layer::Up,
    })
}

fn try_restrict(plan: &Plan) -> Result<RestrictionStatus> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for (handle, rights) in plan.handles() {
        rules = rules.add_rule(PathBeneath::new(handle, access(rights)))?;
    }
    for (path, rights) in plan.paths() {
        rules = add_path(rules, path, rights)?;
    }
    Ok(rules.restrict_self()?)
}

/// Add a rule for a path. A missing file needs none.
fn add_path(
    rules: RulesetCreated,
    path: &std::path::Path,
    rights: Rights,
) -> Result<RulesetCreated> {
    let Ok(handle) = PathFd::new(path) else { return Ok(rules) };
    Ok(rules.add_rule(PathBeneath::new(handle, access(rights)))?)
}

/// The rights in Landlock's terms. For a regular file the crate drops the
/// rights that only directories have.
fn access(rights: Rights) -> BitFlags<AccessFs> {
    match rights {
        Rights::Read => make_bitflags!(AccessFs::{ReadFile | ReadDir}),
        Rights::Write => make_bitflags!(AccessFs::{
            ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | MakeSym | RemoveFile
                | RemoveDir | Refer
        }),
        Rights::Files => {
            make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | MakeReg | RemoveFile})
        }
        Rights::Execute => make_bitflags!(AccessFs::{ReadFile | Execute}),
        Rights::Terminal => make_bitflags!(AccessFs::{ReadFile | WriteFile | IoctlDev}),
    }
}
