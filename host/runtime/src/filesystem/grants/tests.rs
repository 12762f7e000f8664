//! Resolution of paths, with a random tree against a model.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use arbtest::arbitrary::{Result as Arbitrary, Unstructured};
use tempfile::TempDir;

use super::*;

fn granted(directory: &Path) -> Grants {
    let mut grants = Grants::default();
    grants.add(Grant::open(directory, directory, Access::ReadWrite).unwrap());
    grants
}

fn with(mut grants: Grants, directory: &Path, access: Access) -> Grants {
    grants.add(Grant::open(directory, directory, access).unwrap());
    grants
}

/// A fresh directory, by its path without links.
fn directory() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn access(grants: &Grants, path: &Path) -> Result<Access, Refused> {
    grants.place(bytes(path), LastLink::Follow).map(|place| place.access)
}

const CLOSED: Result<Access, Refused> = Err(Refused::NotGranted);
const READ: Result<Access, Refused> = Ok(Access::ReadOnly);
const WRITE: Result<Access, Refused> = Ok(Access::ReadWrite);

#[test]
fn parent_names_lead_out_of_the_grant() {
    let (_directory, path) = directory();
    fs::create_dir(path.join("a")).unwrap();
    let grants = granted(&path);
    assert_eq!(access(&grants, &path.join("a/../new")), WRITE);
    assert_eq!(access(&grants, &path.join("a/../../etc/passwd")), CLOSED);
    assert_eq!(access(&grants, &path.join("..").join("etc")), CLOSED);
    assert_eq!(access(&grants, Path::new("relative")), CLOSED);
}

#[test]
fn links_are_followed_by_the_hosts_own_rules() {
    let (_directory, path) = directory();
    symlink("real.db", path.join("link.db")).unwrap();
    symlink("/etc/passwd", path.join("out")).unwrap();
    let grants = granted(&path);
    let (resolved, had_link) = grants.resolve(bytes(&path.join("link.db"))).unwrap();
    assert_eq!((&resolved[..], had_link), (bytes(&path.join("real.db")), true));
    assert_eq!(access(&grants, &path.join("link.db")), WRITE);
    let (outside, _) = grants.resolve(bytes(&path.join("out"))).unwrap();
    assert_eq!(outside, b"/etc/passwd");
    assert_eq!(access(&grants, &path.join("out")), CLOSED);
}

#[test]
fn a_circle_of_links_is_refused() {
    let (_directory, path) = directory();
    symlink("b", path.join("a")).unwrap();
    symlink("a", path.join("b")).unwrap();
    let grants = granted(&path);
    assert_eq!(access(&grants, &path.join("a")), Err(Refused::Links));
    assert_eq!(grants.resolve(bytes(&path.join("a"))), Err(Refused::Links));
}

#[test]
fn the_innermost_granted_directory_decides_by_every_name() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join("inner/deep")).unwrap();
    fs::create_dir(path.join("sub")).unwrap();
    symlink("inner", path.join("link")).unwrap();
    symlink("../inner/deep", path.join("sub/link")).unwrap();
    let grants = with(granted(&path), &path.join("inner"), Access::ReadOnly);
    for name in ["inner/x", "inner/deep/x", "link/x", "sub/link/x", "sub/../inner/x", "inner/."] {
        assert_eq!(access(&grants, &path.join(name)), READ, "{name}");
    }
    for name in ["x", "sub/x", "inner/../x", "sub"] {
        assert_eq!(access(&grants, &path.join(name)), WRITE, "{name}");
    }
    // By a name that the component chose.
    fs::rename(path.join("inner"), path.join("moved")).unwrap();
    assert_eq!(access(&grants, &path.join("moved/x")), READ);
    assert_eq!(access(&grants, &path.join("moved/deep/x")), READ);
}

#[test]
fn a_directory_granted_by_another_name_keeps_its_rights() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join("inner")).unwrap();
    let mut grants = granted(&path);
    let inner = Grant::open(&path.join("inner"), Path::new("/data"), Access::ReadOnly).unwrap();
    grants.add(inner);
    assert_eq!(access(&grants, Path::new("/data/x")), READ);
    assert_eq!(access(&grants, &path.join("inner/x")), READ);
    assert_eq!(access(&grants, &path.join("x")), WRITE);
}

#[test]
fn a_hidden_directory_looks_as_if_it_were_not_granted() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join("own/compiled")).unwrap();
    fs::write(path.join("own/key"), "").unwrap();
    symlink("own", path.join("link")).unwrap();
    let mut grants = granted(&path);
    grants.mask(&path.join("own"), Mask::Hidden);
    for name in ["own", "own/key", "own/new", "own/compiled/x", "link", "link/key", "own/none/x"] {
        assert_eq!(access(&grants, &path.join(name)), CLOSED, "{name}");
    }
    assert_eq!(access(&grants, &path.join("other")), WRITE);
    fs::rename(path.join("own"), path.join("moved")).unwrap();
    assert_eq!(access(&grants, &path.join("moved/key")), CLOSED);
    let mut inner = with(Grants::default(), &path.join("moved/compiled"), Access::ReadWrite);
    inner.mask(&path.join("moved"), Mask::Hidden);
    assert_eq!(access(&inner, &path.join("moved/compiled/x")), CLOSED);
}

#[test]
fn a_missing_masked_entry_cannot_be_created() {
    let (_directory, path) = directory();
    let mut grants = granted(&path);
    grants.mask(&path.join("share/runner/data"), Mask::Hidden);
    grants.mask(&path.join("cli.cwasm"), Mask::ReadOnly);
    assert_eq!(access(&grants, &path.join("share")), CLOSED);
    assert_eq!(access(&grants, &path.join("share/runner")), CLOSED);
    assert_eq!(access(&grants, &path.join("cli.cwasm")), READ);
    assert_eq!(access(&grants, &path.join("shared")), WRITE);
}

/// Who creates the target of a link creates the file of that name.
#[test]
fn the_target_of_a_masked_link_that_leads_nowhere_cannot_be_created() {
    let (_directory, path) = directory();
    symlink("second", path.join("first")).unwrap();
    symlink(path.join("files"), path.join("second")).unwrap();
    symlink("circle", path.join("circle")).unwrap();
    let mut grants = granted(&path);
    grants.mask(&path.join("first/deep/file"), Mask::ReadOnly);
    grants.mask(&path.join("circle/file"), Mask::ReadOnly);
    for name in ["first", "second", "files", "files/deep", "first/deep/file"] {
        assert_ne!(access(&grants, &path.join(name)), WRITE, "{name}");
    }
    fs::create_dir_all(path.join("files/deep")).unwrap();
    assert_eq!(access(&grants, &path.join("first/deep/file")), READ);
    assert_eq!(access(&grants, &path.join("other")), WRITE);
}

#[test]
fn a_masked_directory_is_read_only_and_its_parents_are_pinned() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join("lib/runner/extensions")).unwrap();
    fs::write(path.join("lib/runner/extensions/a.wasm"), "").unwrap();
    symlink("lib", path.join("link")).unwrap();
    let mut grants = granted(&path);
    grants.mask(&path.join("link/runner/extensions"), Mask::ReadOnly);
    assert_eq!(access(&grants, &path.join("lib/runner/extensions/a.wasm")), READ);
    assert_eq!(access(&grants, &path.join("lib/runner/extensions/new")), READ);
    assert_eq!(access(&grants, &path.join("lib/runner/my.db")), WRITE);
    let may_move = |name: &str| {
        let path = path.join(name);
        let place = grants.place(bytes(&path), LastLink::Keep).unwrap();
        place.access == Access::ReadWrite && grants.may_move(&place)
    };
    fs::write(path.join("lib/runner/my.db"), "").unwrap();
    for name in ["lib", "lib/runner", "lib/runner/extensions", "link"] {
        assert!(!may_move(name), "{name}");
    }
    assert!(may_move("lib/runner/my.db"));
}

#[test]
fn a_masked_file_is_known_by_its_other_names() {
    let (_directory, path) = directory();
    fs::write(path.join("history"), "typed").unwrap();
    fs::hard_link(path.join("history"), path.join("other")).unwrap();
    fs::write(path.join("free"), "").unwrap();
    let mut grants = granted(&path);
    grants.mask(&path.join("history"), Mask::Hidden);
    let other = File::open(path.join("other")).unwrap();
    assert_eq!(grants.mask_of(&other), Some(Mask::Hidden));
    assert_eq!(grants.mask_of(File::open(path.join("free")).unwrap()), None);
    assert_eq!(grants.open_read(bytes(&path.join("other"))).unwrap_err(), Refused::NotGranted);
}

#[test]
fn only_a_database_and_its_own_files_are_granted() {
    let (_directory, path) = directory();
    fs::create_dir(path.join("sub")).unwrap();
    let mut grants = Grants::default();
    let grant = Grant::open(&path, Path::new("/"), Access::ReadWrite).unwrap();
    grants.add_database(grant.only_databases(), OsStr::new("x.db"));
    for name in ["/x.db", "/x.db-journal", "/x.db-wal", "/x.db-shm", "/x.db-mj0123ABC9D"] {
        assert_eq!(access(&grants, Path::new(name)), WRITE, "{name}");
    }
    for name in ["/", "/y.db", "/x.db-mj", "/x.db-wal2", "/x.dbx", "/sub", "/sub/x.db", "/sub/.."] {
        assert_eq!(access(&grants, Path::new(name)), CLOSED, "{name}");
    }
    for name in ["x.db", "x.db-wal"] {
        fs::create_dir(path.join(name)).unwrap();
        assert_eq!(access(&grants, &Path::new("/").join(name).join("file")), CLOSED, "{name}");
    }
    let place = grants.place(b"/x.db", LastLink::Keep).unwrap();
    assert!(grants.beside(&place, "-shm").is_ok() && grants.beside(&place, "-no").is_err());
}

#[test]
fn dotfiles_are_closed_but_the_database() {
    let (_directory, path) = directory();
    fs::create_dir_all(path.join(".config/x")).unwrap();
    fs::create_dir(path.join("a")).unwrap();
    symlink(".config", path.join("link")).unwrap();
    let mut grants = granted(&path);
    grants.hide_dotfiles(&path);
    let home = Grant::open(&path, &path, Access::ReadWrite).unwrap();
    grants.allow_database(&home, OsStr::new(".my.db"));
    for name in [".bashrc", ".config", ".config/x/y", "link/x", "link/new", "a/../.bashrc"] {
        assert_eq!(access(&grants, &path.join(name)), CLOSED, "{name}");
    }
    for name in [".my.db", ".my.db-wal", "plain", "link/../plain"] {
        let expected = if name.starts_with("link") { CLOSED } else { WRITE };
        assert_eq!(access(&grants, &path.join(name)), expected, "{name}");
    }
}

#[test]
fn names_are_bytes() {
    let (_directory, path) = directory();
    let odd = path.join(OsStr::from_bytes(b"\xff\xfe"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(OsStr::from_bytes(b"\x80.db")), "content").unwrap();
    let grants = granted(&odd);
    let name = [bytes(&odd), b"/\x80.db"].concat();
    let mut content = String::new();
    grants.open_read(&name).unwrap().read_to_string(&mut content).unwrap();
    assert_eq!(content, "content");
    assert_eq!(grants.resolve(&name), Ok((name, false)));
}

#[test]
fn only_regular_files_are_opened_to_be_read() {
    let (_directory, path) = directory();
    let pipe = path.join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let grants = granted(&path);
    assert_eq!(grants.open_read(bytes(&pipe)).unwrap_err(), Refused::NotRegular);
    assert_eq!(grants.open_read(bytes(&path)).unwrap_err(), Refused::NotRegular);
    // All paths outside the grants get the same error.
    symlink("/etc/passwd", path.join("there")).unwrap();
    symlink("/etc/passwd-not", path.join("not-there")).unwrap();
    for name in ["there", "not-there"] {
        let refused = grants.open_read(bytes(&path.join(name))).unwrap_err();
        assert_eq!(refused, Refused::NotGranted, "{name}");
    }
}

/// Names of the random tree: few, so that paths often exist.
const NAMES: &[&str] = &["a", "b", "c", "ro", "hidden", "fixed"];

/// A tree with links, a read-only directory, a hidden and a masked one, and a
/// directory outside.
fn random_tree(root: &Path, random: &mut Unstructured<'_>) -> Arbitrary<()> {
    let inside = root.join("in");
    for name in ["in/a/ro/b", "in/b/hidden/c", "in/fixed/a", "in/a/b", "out/a"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for _ in 0..random.int_in_range(0..=6)? {
        let place = inside.join(random_path(random, 2)?);
        let target = match random.int_in_range(0..=3)? {
            0 => inside.join(random_path(random, 2)?),
            1 => root.join("out").join(random_path(random, 1)?),
            2 => Path::new("..").join(random_path(random, 2)?),
            _ => random_path(random, 2)?,
        };
        // Ignore names that are taken or whose directory is missing.
        let _ = symlink(target, place);
    }
    Ok(())
}

fn random_path(random: &mut Unstructured<'_>, most: usize) -> Arbitrary<PathBuf> {
    let mut path = PathBuf::new();
    for _ in 0..=random.int_in_range(0..=most)? {
        match random.int_in_range(0..=9)? {
            0 => path.push(".."),
            _ => path.push(random.choose(NAMES)?),
        }
    }
    Ok(path)
}

/// The model's access to an entry, by its real path.
fn model(root: &Path, real: &Path) -> Result<Access, Refused> {
    let inside = root.join("in");
    if !real.starts_with(&inside) || real.starts_with(inside.join("b/hidden")) {
        return CLOSED;
    }
    let closed = ["a/ro", "fixed"].iter().any(|name| real.starts_with(inside.join(name)));
    if closed { READ } else { WRITE }
}

/// The real path that this resolves to, according to the system.
fn real(place: &Place<'_>) -> PathBuf {
    use std::os::fd::AsRawFd;
    let dir = fs::read_link(format!("/proc/self/fd/{}", place.dir.as_raw_fd())).unwrap();
    if &*place.name == b"." { dir } else { dir.join(OsStr::from_bytes(&place.name)) }
}

#[test]
fn random_paths_resolve_as_in_the_model() {
    let check = |random: &mut Unstructured<'_>| {
        let (_directory, root) = directory();
        random_tree(&root, random)?;
        let inside = root.join("in");
        let mut grants = with(granted(&inside), &inside.join("a/ro"), Access::ReadOnly);
        grants.mask(&inside.join("b/hidden"), Mask::Hidden);
        grants.mask(&inside.join("fixed"), Mask::ReadOnly);
        for _ in 0..20 {
            let path = inside.join(random_path(random, 4)?);
            for last in [LastLink::Follow, LastLink::Keep] {
                let Ok(place) = grants.place(bytes(&path), last) else { continue };
                let real = real(&place);
                assert_eq!(Ok(place.access), model(&root, &real), "{path:?} led to {real:?}");
            }
            // A path without links is accessible where the model grants it.
            let (Some(parent), Some(_)) = (path.parent(), path.file_name()) else { continue };
            if fs::canonicalize(parent).is_ok_and(|real| real == parent) && !path.is_symlink() {
                assert_eq!(access(&grants, &path), model(&root, &path), "{path:?}");
            }
        }
        Ok(())
    };
    arbtest::arbtest(check).budget_ms(1500);
}
