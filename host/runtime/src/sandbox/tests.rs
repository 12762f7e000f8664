//! What each caller of the recipe grants by the path of a database.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::filesystem::grants::{Grant, LastLink};

/// As the runner and the C library.
const NATIVE: DatabaseGrant = DatabaseGrant {
    access: Access::ReadWrite,
    links: Links::Named,
    neighbours: Neighbours::Granted,
};

/// As the crate and the server.
const CRATE: DatabaseGrant = DatabaseGrant {
    access: Access::ReadWrite,
    links: Links::Resolved,
    neighbours: Neighbours::Closed,
};

const BOTH: [DatabaseGrant; 2] = [NATIVE, CRATE];

/// A fresh directory, by its path without links.
fn directory() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

/// What the recipe grants for `database`, and the path that it returns.
fn granted(recipe: &Recipe, database: &Path, how: DatabaseGrant) -> (Grants, Option<PathBuf>) {
    let mut grants = recipe.default_grants();
    let real = grants.database(database, how).ok();
    (grants.finish(Dotfiles::OpenIfNamed), real)
}

fn access(grants: &Grants, path: &Path) -> Option<Access> {
    grants.place(path.as_os_str().as_bytes(), LastLink::Follow).ok().map(|place| place.access)
}

const READ: Option<Access> = Some(Access::ReadOnly);
const WRITE: Option<Access> = Some(Access::ReadWrite);

#[test]
fn a_database_has_its_journals_whether_the_files_exist_or_not() {
    let (_directory, path) = directory();
    for how in BOTH {
        for exists in [false, true] {
            if exists {
                fs::write(path.join("x.db"), "").unwrap();
            }
            let (grants, real) = granted(&Recipe::of_user(), &path.join("x.db"), how);
            assert_eq!(real, Some(path.join("x.db")));
            for end in ["", "-journal", "-wal", "-shm", "-mj0123ABC9D"] {
                assert_eq!(access(&grants, &path.join(format!("x.db{end}"))), WRITE, "{end}");
            }
        }
        fs::remove_file(path.join("x.db")).unwrap();
    }
}

#[test]
fn neighbours_are_granted_where_sqlite_reaches_them_natively() {
    let (_directory, path) = directory();
    let of = |how| access(&granted(&Recipe::of_user(), &path.join("x.db"), how).0, &path.join("y"));
    assert_eq!((of(NATIVE), of(CRATE)), (WRITE, None));
}

/// Somebody else may have made the link.
#[test]
fn a_link_grants_its_target_alone() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join("elsewhere/sub")).unwrap();
    fs::create_dir(path.join("here")).unwrap();
    symlink("../elsewhere/real.db", path.join("here/link.db")).unwrap();
    symlink("elsewhere", path.join("linked")).unwrap();
    for typed in ["here/link.db", "linked/real.db", "linked/sub/../real.db"] {
        for how in BOTH {
            let (grants, real) = granted(&Recipe::of_user(), &path.join(typed), how);
            // Also where the target does not exist: SQLite creates it.
            assert_eq!(real, Some(path.join("elsewhere/real.db")), "{typed}");
            assert_eq!(access(&grants, &path.join("elsewhere/real.db-wal")), WRITE, "{typed}");
            for closed in ["elsewhere/other.db", "elsewhere/sub/x", "here/other.db"] {
                let found = access(&grants, &path.join(closed));
                assert!(found.is_none(), "{typed}, {how:?}: {closed}");
            }
            let by_name = if how.links == Links::Named { WRITE } else { None };
            if !typed.contains("..") {
                assert_eq!(access(&grants, &path.join(typed)), by_name, "{typed}");
            }
        }
    }
    symlink("loop.db", path.join("loop.db")).unwrap();
    for how in BOTH {
        assert_eq!(granted(&Recipe::of_user(), &path.join("loop.db"), how).1, None);
    }
}

/// The name is granted, and nothing is opened below it.
#[test]
fn a_directory_is_not_a_database() {
    let (_directory, path) = directory();
    fs::create_dir(path.join("sub")).unwrap();
    fs::create_dir(path.join("x.db-journal")).unwrap();
    let database = |name: &str| granted(&Recipe::of_user(), &path.join(name), CRATE).0;
    assert_eq!(access(&database("sub"), &path.join("sub/file")), None);
    assert_eq!(access(&database("x.db"), &path.join("x.db-journal/file")), None);
    for missing in ["none/x.db", "x.db-journal/..", "/", "/proc/self/x.db"] {
        for how in BOTH {
            let (grants, real) = granted(&Recipe::of_user(), &path.join(missing), how);
            assert_eq!((grants.iter().count(), real), (0, None), "{missing}");
        }
    }
}

#[test]
fn a_named_directory_decides_the_access_below_it() {
    let (_directory, path) = directory();
    fs::create_dir(path.join("sub")).unwrap();
    let mut recipe = Recipe::of_user();
    recipe.grant(&path, Access::ReadOnly).unwrap();
    for how in BOTH {
        for name in ["x.db", "sub/x.db"] {
            let (grants, _) = granted(&recipe, &path.join(name), how);
            assert_eq!(access(&grants, &path.join(name)), READ, "{name}");
            // The grant of the database hides nothing of the directory.
            assert_eq!(access(&grants, &path.join("sub/other")), READ, "{name}");
        }
    }
    let read = DatabaseGrant { access: Access::ReadOnly, ..CRATE };
    let (_other, elsewhere) = directory();
    let (grants, _) = granted(&recipe, &elsewhere.join("x.db"), read);
    assert_eq!(access(&grants, &elsewhere.join("x.db")), READ);
}

#[test]
fn masks_belong_to_one_recipe() {
    let (_directory, path) = directory();
    let masked = |name: &str| {
        let mut recipe = Recipe::of_user();
        recipe.masks.add(Mask::Hidden, [path.join(name)]);
        let mut grants = granted(&recipe, &path.join("x.db"), NATIVE).0;
        recipe.masks.apply(&mut grants);
        grants
    };
    let (first, second) = (masked("a"), masked("b"));
    assert_eq!((access(&first, &path.join("a")), access(&first, &path.join("b"))), (None, WRITE));
    assert_eq!((access(&second, &path.join("a")), access(&second, &path.join("b"))), (WRITE, None));
}

#[test]
fn extensions_cannot_be_put_where_they_are_searched() {
    let (_directory, path) = directory();
    let mut recipe = Recipe::of_user();
    recipe.search_extensions(vec![path.clone()]);
    let mut grants = Grants::default();
    grants.add(Grant::open(&path, &path, Access::ReadWrite).unwrap());
    recipe.masks.apply(&mut grants);
    assert_eq!(access(&grants, &path.join("new.wasm")), READ);
    assert_eq!(access(&grants, &path.join("x.db")), WRITE);
}
