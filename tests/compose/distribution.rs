//! Composed programs as they are handed out: made by a copied `dist/` with
//! nothing else around, looked at, and written whole or not at all.

use std::fs;

use crate::support::composed::{Composed, shipped};
use crate::support::{self, Directory, End, Input, Outcome};
use nix::unistd::geteuid;

/// What `make dist` hands out, copied to an empty directory.
struct Dist {
    directory: Directory,
}

impl Dist {
    fn with(extensions: &[&str]) -> Self {
        let directory = Directory::fresh("dist");
        let dist = directory.path().join("dist");
        fs::create_dir_all(dist.join("extensions")).expect("the directory is ours");
        support::copy_runner(&dist.join("sqlite-wasm-run"));
        let cli = support::portable_component();
        fs::copy(cli, dist.join("cli.wasm")).expect("the directory is ours");
        for name in extensions {
            let file = dist.join(format!("extensions/{name}.wasm"));
            fs::copy(shipped(name), file).expect("the directory is ours");
        }
        let grants = shipped("sha3query").with_file_name("grants.toml");
        fs::copy(grants, dist.join("extensions/grants.toml")).expect("the directory is ours");
        Self { directory }
    }

    /// Run its program in the directory around it. The environment has no `PATH`.
    fn run(&self, args: &[&str]) -> Outcome {
        let program = self.directory.path().join("dist/sqlite-wasm-run");
        support::run(&program, args, &self.directory.path(), &Input::Nothing)
    }
}

#[test]
fn a_copied_dist_composes_and_runs_with_an_empty_path() {
    let dist = Dist::with(&["sha3", "sha3query", "series"]);
    let composed = dist.run(&["compose", "--embed", "sha3,sha3query,series", "-o", "mine.wasm"]);
    composed.exits_with(0).keeps_quiet();
    let sql = "SELECT hex(sha3_256('abc')), sum(value), length(sha3_query('SELECT 1')) \
               FROM generate_series(1, 10)";
    let answer = "3A985DA74FE225B2045C172D6BD390BD855F086E3E9D525B46BFE24511431532|55|32\n";
    dist.run(&["mine.wasm", "my.db", sql]).prints(answer).keeps_quiet();
}

/// The same name in the working directory comes first.
#[test]
fn a_name_after_cli_may_be_one_next_to_the_program() {
    let dist = Dist::with(&["series"]);
    let path = dist.directory.path();
    fs::rename(path.join("dist/cli.wasm"), path.join("dist/other.wasm")).expect("it is there");
    let args = ["compose", "--cli", "other.wasm", "--embed", "series", "-o", "mine.wasm"];
    dist.run(&args).exits_with(0).keeps_quiet();
    fs::write(path.join("other.wasm"), "no component").expect("the directory is ours");
    dist.run(&[&args[..], &["--force"]].concat()).exits_with(121);
    let args = ["compose", "--cli", "missing.wasm", "--embed", "series"];
    let missing = dist.run(&args).exits_with(121);
    assert!(missing.err().contains("`missing.wasm`"), "{missing}");
}

#[test]
fn without_the_server_its_package_is_named() {
    for command in ["serve", "mcp"] {
        let refused = Dist::with(&[]).run(&[command, "my.db"]).exits_with(120);
        assert!(refused.err().contains("install the package `sqlite-wasm-serve`"), "{refused}");
    }
}

#[test]
fn vec0_is_embedded_and_searches() {
    let composed = Composed::with("vec0", &["vec0"]);
    let grant = ["--grant", "vec0=sql"];
    let script = "CREATE VIRTUAL TABLE v USING vec0(e float[2]);
        INSERT INTO v(rowid, e) VALUES (1, '[1, 0]'), (2, '[0, 1]'), (3, '[0.9, 0.1]');
        SELECT rowid FROM v WHERE e MATCH '[1, 0]' ORDER BY distance LIMIT 2;
        SELECT vec_length('[1, 2, 3]');\n";
    composed.run_with(&grant, &["v.db"], script).prints("1\n3\n3\n").keeps_quiet();
    composed.run_with(&grant, &["v.db"], "SELECT count(*) FROM v;\n").prints("3\n");
}

#[test]
fn ann_is_embedded_and_searches_as_when_it_is_loaded() {
    let composed = Composed::with("ann", &["ann"]);
    let script = "CREATE VIRTUAL TABLE v USING ann(e float[2], kind text);
        INSERT INTO v(rowid, e, kind) VALUES (1, '[1, 0]', 'a'), (2, '[0, 1]', 'b'), (3, '[0.9, 0.1]', 'b');
        SELECT rowid, round(distance, 4) FROM v WHERE e MATCH '[1, 0]' AND k = 2 AND kind = 'b';
        PRAGMA integrity_check;\n";
    let embedded = composed.run_with(&["--grant", "ann=sql"], &[":memory:"], script);
    let answer = "3|0.1414\n2|1.4142\nok\n";
    embedded.prints(answer).keeps_quiet();
    let loaded = support::ours(&composed.directory(), &["--load", "ann", ":memory:", script]);
    loaded.prints(answer).keeps_quiet();
}

#[test]
fn a_composed_program_is_inspected_in_both_forms() {
    let composed = Composed::with("inspected", &["series", "sha3query"]);
    let sha256 = |name: &str| {
        let run = support::ours(&composed.directory(), &["extension", "inspect", "--json", name]);
        let found: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
        found["sha256"].as_str().expect("a text").to_owned()
    };
    let hashes = [sha256("series"), sha256("sha3query")];
    for file in ["composed.wasm", "composed.cwasm"] {
        let run = support::ours(&composed.directory(), &["extension", "inspect", file]);
        let run = run.exits_with(0).keeps_quiet();
        let wanted = [
            "cli          3.".to_owned(),
            concat!("extension    series ", env!("CARGO_PKG_VERSION")).to_owned(),
            format!("  sha256     {}", hashes[0]),
            "  placement  fused".to_owned(),
            concat!("extension    sha3query ", env!("CARGO_PKG_VERSION")).to_owned(),
            format!("  sha256     {}", hashes[1]),
            "  placement  bundled (needs sql:ro)".to_owned(),
            "  registers  generate_series".to_owned(),
        ];
        for line in wanted {
            assert!(run.out().lines().any(|l| l.starts_with(&line)), "`{line}`: {run}");
        }
        let run = support::ours(&composed.directory(), &["extension", "inspect", "--json", file]);
        let found: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
        assert!(found["cli_version"].as_str().is_some_and(|text| text.starts_with("3.")), "{run}");
        assert_eq!(found["precompiled"], file.ends_with(".cwasm"), "{run}");
        let [series, query] = [0, 1].map(|place| &found["extensions"][place]);
        assert_eq!((&series["name"], &series["fused"]), (&"series".into(), &true.into()), "{run}");
        assert_eq!(series["placement"], "fused", "{run}");
        assert!(query["fused"] == false && query["sha256"] == hashes[1], "{run}");
    }
}

#[test]
fn a_plain_cli_shows_its_version() {
    let cli = support::portable_component();
    let directory = Directory::fresh("plain");
    let run = support::ours(&directory.path(), &["extension", "inspect", text(&cli)]);
    let run = run.exits_with(0).keeps_quiet();
    assert!(run.out().starts_with("cli          3.") && !run.out().contains("extension"), "{run}");
}

/// The disk is a small tmpfs over the working directory, in a mount namespace of
/// its own; what is composed is larger.
#[test]
fn what_cannot_be_written_whole_is_not_there() {
    let directory = Directory::fresh("full");
    let script = r#"
        mount --make-rprivate / 2>/dev/null
        mount -t tmpfs -o size=1m tmpfs "$PWD" && cd "$PWD" || exit 99
        "$0" "$@"
        code=$?
        ls
        exit $code"#;
    let (program, cli) = (support::our_binary(), support::portable_component());
    let words = [text(&program), "compose", "--embed", "series", "--cli", text(&cli)];
    // In a chroot the root is not a mount whose propagation could be changed.
    let namespace = ["--mount", "--propagation", "unchanged", "--map-root-user"];
    let root = if geteuid().is_root() { &namespace[..3] } else { &namespace };
    let words = [root, &["sh", "-c", script], &words].concat();
    let mut command = support::command("unshare".as_ref(), &words, &directory.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let run = support::finish(command, &Input::Nothing);
    assert!(run.end != End::Exited(99), "a small disk cannot be mounted here\n{run}");
    let run = run.complains("failed to write `composed.wasm`");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    assert!(run.out().is_empty(), "something is left: {run}");
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}
