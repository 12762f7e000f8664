//! Random paths in random trees of directories and links, compared with a model
//! of the grants: the system's own resolution, and the innermost granted
//! directory around what it finds.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;

use crate::support::attacker::attack;
use crate::support::{self, Directory, Outcome};

/// Directories of each tree, outer ones first.
const DIRECTORIES: &[&str] = &[
    "inside",
    "inside/a",
    "inside/a/b",
    "inside/.c",
    "inside/kept",
    "inside/kept/d",
    "inside/kept/free",
    "inside/kept/free/e",
    "outside",
    "outside/f",
];

/// What is granted: the path, and whether it may be written.
const GRANTS: &[(&str, bool)] =
    &[("inside", true), ("inside/kept", false), ("inside/kept/free", true)];

/// A tree with a file `file` in each directory, which holds the directory's
/// name, and random links.
struct Tree {
    directory: Directory,
}

impl Tree {
    fn random(random: &mut Unstructured<'_>) -> Result<Self> {
        let tree = Self { directory: Directory::fresh("tree") };
        for directory in DIRECTORIES {
            fs::create_dir(tree.path(directory)).expect("the directory is ours");
            fs::write(tree.path(directory).join("file"), directory).expect("the directory is ours");
        }
        for number in 0..random.int_in_range(0..=8)? {
            let place = format!("{}/l{number}", random.choose(DIRECTORIES)?);
            let target = match random.int_in_range(0..=3)? {
                0 => tree.path(random.choose(DIRECTORIES)?).display().to_string(),
                1 => tree.path(random.choose(DIRECTORIES)?).join("file").display().to_string(),
                _ => relative(random)?,
            };
            let _ = symlink(target, tree.path(&place));
        }
        Ok(tree)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Whether the path may be reached, and written, by the model.
    fn access(&self, real: &Path) -> Option<bool> {
        // `inside` is the home: its dotfiles are not granted with it.
        if real.starts_with(self.path("inside/.c")) {
            return None;
        }
        let grants = GRANTS.iter().filter(|(name, _)| real.starts_with(self.path(name)));
        grants.max_by_key(|(name, _)| name.len()).map(|&(_, writable)| writable)
    }

    /// Where the path leads: as the system resolves it, but that `..` behind a name that is
    /// not granted and does not exist goes back, since the host does not look there.
    fn resolved(&self, path: &str) -> Option<PathBuf> {
        let mut place = PathBuf::from("/");
        for name in path.split('/') {
            if name == ".." {
                if place.is_file() {
                    return None;
                }
                place.pop();
                continue;
            }
            let next = place.join(name);
            match fs::canonicalize(&next) {
                Ok(real) => place = real,
                Err(_) if self.access(&place).is_none() => place = next,
                Err(_) => return None,
            }
        }
        fs::canonicalize(place).ok()
    }

    /// Files that may not change, and what they hold.
    fn protected(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        collect(&self.directory.path(), &mut found);
        found.retain(|path, _| self.access(path) != Some(true));
        found
    }

    fn attack(&self, actions: &[String]) -> Outcome {
        let kept = format!("{}:ro", self.path("inside/kept").display());
        let free = self.path("inside/kept/free").display().to_string();
        attack(&self.path("inside"), &["--dir", &kept, "--dir", &free], actions)
    }
}

fn collect(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(path).into_iter().flatten() {
        let path = entry.expect("it is ours").path();
        let metadata = fs::symlink_metadata(&path).expect("it is ours");
        let what = if metadata.is_symlink() {
            format!("{:?}", fs::read_link(&path))
        } else {
            format!("{:?} {:?}", metadata.permissions(), fs::read(&path).ok())
        };
        found.insert(path.clone(), what);
        if metadata.is_dir() {
            collect(&path, found);
        }
    }
}

/// Some names, one after the other.
fn relative(random: &mut Unstructured<'_>) -> Result<String> {
    const NAMES: &[&str] = &[
        "..", "..", "..", ".", "", "a", "b", ".c", "d", "e", "f", "kept", "kept", "free", "inside",
        "outside", "file", "l0", "l1", "l2", "l3", "l4", "l5", "new", "...", "kept-not",
    ];
    let mut names = Vec::new();
    for _ in 0..random.int_in_range(1..=5)? {
        names.push(*random.choose(NAMES)?);
    }
    Ok(names.join("/"))
}

/// An absolute path, most of the time with a file at its end.
fn path(random: &mut Unstructured<'_>, tree: &Tree) -> Result<String> {
    let start = tree.path(random.choose(DIRECTORIES)?).display().to_string();
    let middle = relative(random)?;
    let end = random.choose(&["/file", "/file", "/new", ""])?;
    Ok(format!("{start}/{middle}{end}").replace("::", ""))
}

/// Fails unless a read that was done returned the file that the system finds, and that file is
/// granted.
#[track_caller]
fn check_read(tree: &Tree, path: &str, line: &str, run: &Outcome) {
    let Some(content) = line.split_once(": done ").map(|(_, content)| content) else { return };
    let real = tree.resolved(path);
    let real = real.unwrap_or_else(|| panic!("`{path}` is nowhere, and was read\n{run}"));
    assert!(tree.access(&real).is_some(), "`{path}` is not granted: {real:?}\n{run}");
    let expected = fs::read_to_string(&real).expect("it was read");
    assert_eq!(content, format!("{expected:?}"), "`{path}` is another file\n{run}");
}

#[test]
fn random_paths_are_those_of_the_model() {
    const ACTIONS: usize = 40;
    arbtest(|random| {
        let tree = Tree::random(random)?;
        let paths = (0..ACTIONS).map(|_| path(random, &tree)).collect::<Result<Vec<_>>>()?;
        let before = tree.protected();
        for action in ["files-read", "wasi-read"] {
            let actions: Vec<_> = paths.iter().map(|path| format!("{action}={path}")).collect();
            let run = tree.attack(&actions).exits_with(0);
            let out = run.out();
            let lines: Vec<&str> = out.lines().collect();
            assert_eq!(lines.len(), paths.len(), "one line for each\n{run}");
            paths.iter().zip(lines).for_each(|(path, line)| check_read(&tree, path, line, &run));
        }
        const WRITES: &[&str] = &[
            "files-write",
            "files-create",
            "files-rewrite",
            "files-delete",
            "files-permissions",
            "wasi-write",
            "wasi-remove",
            "wasi-create-directory",
            "wasi-remove-directory",
        ];
        let mut actions = Vec::new();
        for pair in paths.windows(2) {
            let (path, other) = (&pair[0], &pair[1]);
            actions.push(match random.int_in_range(0..=2)? {
                0 => {
                    let action = random.choose(&["wasi-move", "wasi-hard-link", "wasi-link"])?;
                    format!("{action}={path}::{other}")
                }
                _ => format!("{}={path}", random.choose(WRITES)?),
            });
        }
        let run = tree.attack(&actions).exits_with(0);
        let after = tree.protected();
        assert!(
            after == before,
            "what is not granted has changed: {:#?}\n{run}",
            changes(&before, &after)
        );
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

/// The paths that differ.
fn changes(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let all = before.keys().chain(after.keys());
    all.filter(|&path| before.get(path) != after.get(path)).cloned().collect()
}

/// The other side: what the model grants, by a plain path, is done.
#[test]
fn plain_paths_are_read_and_written_as_granted() {
    let mut none = Unstructured::new(&[]);
    let tree = Tree::random(&mut none).expect("nothing is random about it");
    for directory in DIRECTORIES {
        let path = tree.path(directory).display().to_string();
        let access = tree.access(Path::new(&path));
        let reads = ["files-read", "wasi-read"].map(|action| format!("{action}={path}/file"));
        let writes = ["files-create", "wasi-write", "wasi-remove"]
            .map(|action| format!("{action}={path}/new"));
        for (actions, allowed) in [(&reads[..], access.is_some()), (&writes, access == Some(true))]
        {
            let run = tree.attack(actions).exits_with(0);
            let done = run.out().lines().all(|line| line.contains(": done"));
            let refused = run.out().lines().all(|line| line.contains(": refused"));
            assert!(if allowed { done } else { refused }, "{directory}: {access:?}\n{run}");
        }
    }
}
