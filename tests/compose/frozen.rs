//! Extensions of contract 0.1.0 as their authors sent them: hosts of later versions 0.1.x load, embed
//! and inspect them. `tests/frozen` has their bytes, which are never built again, and sources.
//!
//! The versions are in the names of interfaces only, so another digest there makes an extension, or a
//! host, of the next patch.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sqlite_wasm_runtime::artifact::compiler::HELPER;

use crate::support::{self, Directory, Input, Outcome};

/// Each with the hash of its bytes. Together they use each interface of the contract.
const EXTENSIONS: [(&str, &str); 3] = [
    ("frozen", "11bf7bd7ee548f7f0fa109977cc26889ba81ea36201f04c34dee039bd6459441"),
    ("frozen_c", "9921e2620014308975f231fb2cd5c491191fadd30bd1f4409bb9efbea6fc3070"),
    ("frozen_sql", "4bc31d7fae318a2c2a0614139961655097df58d45673d459a9d29866d48bcf78"),
];

const GRANTS: &[&str] = &["--grant", "frozen_c=sql", "--grant", "frozen_sql=sql"];

/// Each kind of entry that they have.
const SQL: &str = "SELECT frozen('abc'), hex(frozen(x'0102')), frozen(7), frozen(NULL) IS NULL;
    SELECT group_concat(a, '') FROM (SELECT column1 a FROM (VALUES('ccc'), ('a'), ('bb'))
        ORDER BY a COLLATE frozen_length);
    SELECT sum(value), count(*) FROM frozen_count(10) WHERE value > 3;
    SELECT group_concat(s) FROM (SELECT frozen_sum(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING) s
        FROM (VALUES(1), (2), (3))) UNION ALL SELECT frozen_sum(column1) FROM (VALUES(4), (5));
    SELECT frozen_pointed(frozen_point('here')), typeof(frozen_point('x'));
    SELECT frozen_run('CREATE TABLE t(a, b BLOB);
        INSERT INTO t VALUES(1, ?), (2, x''6161''), (3, NULL); SELECT a FROM t WHERE a > ?', 1);
    SELECT frozen_rows('SELECT a, b FROM t WHERE a < ?', 4);
    SELECT frozen_blob('t', 'b', 2, 'b');\n";

const REPLIES: &str =
    "cba|0201|7|1\nabbccc\n49|7\n1,3,5\n9\nhere|null\n2,3\na,b,1,1,2,aa,3,NULL\nba\n";

fn frozen(name: &str) -> PathBuf {
    support::repository().join(format!("tests/frozen/0.1.0/{name}.wasm"))
}

fn all() -> Vec<PathBuf> {
    EXTENSIONS.iter().map(|(name, _)| frozen(name)).collect()
}

/// The same extensions as their authors' next patches, in this directory.
fn all_of_the_next_patch(directory: &Path) -> Vec<PathBuf> {
    let changed = |file: PathBuf| {
        let to = directory.join(file.file_name().expect("a file"));
        fs::write(&to, next_patch(&file)).expect("the directory is ours");
        to
    };
    all().into_iter().map(changed).collect()
}

/// The bytes of a component or program, with the next patch of the contract instead of 0.1.0.
fn next_patch(file: &Path) -> Vec<u8> {
    let mut content = fs::read(file).expect("it is there");
    let places: Vec<_> = (0..content.len())
        .filter(|&place| content[place..].starts_with(b"@0.1.0"))
        .filter(|&place| names_the_contract(&content[..place]))
        .collect();
    assert!(!places.is_empty(), "`{}` has no version of the contract", file.display());
    for place in places {
        content[place + "@0.1.".len()] = b'1';
    }
    content
}

/// Whether the last name in these bytes is one of the contract, not one of another package.
fn names_the_contract(before: &[u8]) -> bool {
    let letters = |byte: &u8| byte.is_ascii_lowercase() || b"-/:".contains(byte);
    let name = before.rsplit(|byte| !letters(byte)).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    name.rsplit_once("sqlite-wasm:").is_some_and(|(_, name)| name.starts_with("extension"))
}

/// A host of the next patch in this directory: program, compile helper and shell.
fn host_of_the_next_patch(directory: &Path) -> PathBuf {
    let program = directory.join("sqlite-wasm-run");
    let cli = directory.join("cli.wasm");
    fs::write(cli, next_patch(&support::portable_component())).expect("the directory is ours");
    for (from, to) in
        [(support::our_binary(), &program), (support::helper(), &directory.join(HELPER))]
    {
        let changed = to.with_extension("changed");
        fs::write(&changed, next_patch(&from)).expect("the directory is ours");
        fs::set_permissions(&changed, fs::Permissions::from_mode(0o755)).expect("it is ours");
        support::copy_program(&changed, to);
    }
    program
}

fn runs(program: &Path, args: &[&str], directory: &Path) -> Outcome {
    let args = [GRANTS, args, &[":memory:"]].concat();
    let input = Input::Bytes(SQL.as_bytes());
    support::run(program, &args, directory, &input).exits_with(0).prints(REPLIES).keeps_quiet()
}

fn loads(program: &Path, extensions: &[PathBuf], directory: &Path) {
    let args = extensions.iter().flat_map(|file| ["--load", text(file)]);
    runs(program, &args.collect::<Vec<_>>(), directory);
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn embeds(program: &Path, extensions: &[PathBuf], directory: &Path) {
    let list = extensions.iter().map(|file| text(file)).collect::<Vec<_>>().join(",");
    let args = ["compose", "--embed", &list, "-o", "mine.wasm"];
    support::run(program, &args, directory, &Input::Nothing).exits_with(0).keeps_quiet();
    runs(program, &["mine.wasm"], directory);
}

#[test]
fn they_are_what_they_were() {
    for (name, expected) in EXTENSIONS {
        let bytes = fs::read(frozen(name)).expect("it is there");
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, expected, "{name} is not to be built again");
    }
}

#[test]
fn they_load() {
    loads(&support::our_binary(), &all(), &Directory::fresh("frozen").path());
}

#[test]
fn they_are_embedded() {
    embeds(&support::our_binary(), &all(), &Directory::fresh("frozen").path());
}

#[test]
fn a_host_of_the_next_patch_loads_and_embeds_them() {
    let directory = Directory::fresh("next-host");
    let program = host_of_the_next_patch(&directory.path());
    loads(&program, &all(), &directory.path());
    embeds(&program, &all(), &directory.path());
}

#[test]
fn those_of_the_next_patch_load_and_are_embedded() {
    let directory = Directory::fresh("next-extensions");
    let extensions = all_of_the_next_patch(&directory.path());
    loads(&support::our_binary(), &extensions, &directory.path());
    embeds(&support::our_binary(), &extensions, &directory.path());
}

#[test]
fn they_are_inspected() {
    let directory = Directory::fresh("inspect-frozen");
    for (name, entry) in [
        ("frozen", "scalar       frozen(1)\n"),
        ("frozen", "table        frozen_count (eponymous-only)\n"),
        ("frozen_c", "window       frozen_sum(1)\n"),
        ("frozen_sql", "needs        sql\n"),
    ] {
        let args = ["extension", "inspect", "--describe", text(&frozen(name))].map(str::to_owned);
        let run = support::run(&support::our_binary(), &args, &directory.path(), &Input::Nothing);
        let run = run.exits_with(0).keeps_quiet();
        for line in ["contract     0.1.0\n", entry] {
            assert!(run.out().contains(line), "{run}");
        }
    }
}
